#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include "core/base/counter.h"
#include "core/data/page_contents.h"
#include "core/nand/nand_array.h"
#include "core/parts/nand_timing.h"
#include "timed/tlm/event_queue.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern {

/// One NAND die: page register, array busy times tR, tPROG, tBERS, ready/busy line. Executes one
/// command at a time, which may name several planes. A program or erase can be suspended; then
/// reads of what it does not touch are executed, until it is resumed. With a cache register the
/// array may read, or program, while another page of the same block is on the bus. Array state
/// (NandArray) changes when the operation completes. Speaks NandProtocol; b_transport, DMI and
/// debug are not offered.
class NandDie final : public sc_core::sc_module,
                      private tlm::tlm_fw_transport_if<NandProtocol>,
                      private EventHandlerIf {
  public:
    struct Statistics {
        std::uint64_t reads = 0;
        std::uint64_t register_reads = 0;
        std::uint64_t programs = 0;
        std::uint64_t erases = 0;
        std::uint64_t suspensions = 0;
        std::uint64_t copy_backs = 0;
        std::uint64_t cache_reads = 0;
        std::uint64_t cache_programs = 0;
        std::uint64_t one_shots = 0;
        std::uint64_t polls = 0;
        std::uint64_t resets = 0;
        TimePs busy = 0;

        static constexpr auto declared = counters_of(
            counter(&Statistics::reads, "reads", "pages",
                    "NAND pages read, when the read completes."),
            counter(&Statistics::register_reads, "register_reads", "reads",
                    "Reads of what the page register still held; no other counter has them. Only "
                    "with nand.column_change."),
            counter(&Statistics::programs, "programs", "pages",
                    "NAND pages programmed, when the program completes."),
            counter(&Statistics::erases, "erases", "blocks",
                    "Blocks erased, when the erase completes."),
            counter(&Statistics::suspensions, "suspensions", "suspensions",
                    "Programs and erases suspended for reads; only with nand.program_suspend or "
                    "nand.erase_suspend."),
            counter(&Statistics::copy_backs, "copy_backs", "pages",
                    "Pages copied in the die, each of which is among the reads and the programs; "
                    "only with nand.copy_back."),
            counter(&Statistics::cache_reads, "cache_reads", "pages",
                    "Of the reads, those that the array began before the page ahead was moved "
                    "out; only with nand.cache_read."),
            counter(&Statistics::cache_programs, "cache_programs", "pages",
                    "Of the programs, those whose data came in while the array programmed the "
                    "page ahead; only with nand.cache_program."),
            counter(&Statistics::one_shots, "one_shots", "word lines",
                    "Word lines whose pages, which are among the programs, were programmed in one "
                    "shot; only with nand.one_shot."),
            counter(&Statistics::polls, "polls", "polls",
                    "Times that the controller asked for the status; only with "
                    "nand.ready = poll."),
            counter(&Statistics::resets, "resets", "resets",
                    "Resets, which are no time that the array was busy; only with nand.reset."),
            duration(
                &Statistics::busy, "busy_ns",
                "Time that the array was busy: tWB, then tR, tPROG or tBERS, and what resuming "
                "adds to these."));
    };

    tlm::tlm_target_socket<32, NandProtocol> channel_target_socket{"channel_target_socket"};

    NandDie(const sc_core::sc_module_name& name, EventQueue& events, DieId id,
            const NandTiming& timing, NandArray& array, ActivityLogIf* activity);

    /// From now on pages have contents, which outlive this.
    void keep(PageContents& contents) { contents_ = &contents; }

    /// Up to now.
    [[nodiscard]] Statistics statistics() const;
    /// Reads, programs and erases so far, those before the statistics began anew among them.
    [[nodiscard]] std::uint64_t operations() const {
        return operations_before_ + statistics_.reads + statistics_.programs + statistics_.erases;
    }
    /// Time that the array was busy, a time for each page type, and one for SLC mode if there are
    /// such blocks. Programs in one shot are of one type.
    struct ArrayTimes {
        std::vector<TimePs> read;
        std::vector<TimePs> program;
        TimePs erase = 0;
    };
    /// With what is under way to its end.
    [[nodiscard]] const ArrayTimes& array_times() const { return array_times_; }
    void reset_statistics();
    /// R/B#: true while an array operation or the latching of its command is under way.
    [[nodiscard]] bool busy() const { return payload_ != nullptr; }
    /// Calls `act` with each command by which the array is being programmed or erased at `now`, or
    /// that is suspended in it: what a loss of power tears.
    template <typename Act>
    void each_begun(TimePs now, Act act) const {
        for (const tlm::tlm_generic_payload* payload : {payload_, suspended_}) {
            if (payload != nullptr) {
                const NandExtension& command = NandExtension::get(*payload);
                if (command.kind != FlashOpKind::kRead && command.began < now) {
                    act(command);
                }
            }
        }
    }

  private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
    unsigned int transport_dbg(tlm::tlm_generic_payload& payload) override;

    /// Of what the array has begun, or is about to: counted, but not past.
    [[nodiscard]] TimePs still_to_come() const;
    [[nodiscard]] std::size_t page_type(Ppn page, std::size_t types) const;
    [[nodiscard]] TimePs& array_time_of(const NandExtension& command);
    /// Of these by page type, that of the page; what the array does is counted with it from now on.
    [[nodiscard]] TimePs timed(const std::vector<TimePs>& times, TimePs in_slc_mode,
                               std::vector<TimePs>& counted, Ppn page) {
        const std::size_t type = page_type(page, times.size());
        counted_ = &counted[type];
        return type == times.size() ? in_slc_mode : times[type];
    }
    [[nodiscard]] TimePs read_time(Ppn page) {
        return timed(timing_.t_r, timing_.slc_t_r, array_times_.read, page);
    }
    [[nodiscard]] TimePs array_time(const NandExtension& command);
    void latch(tlm::tlm_generic_payload& payload, TimePs at);
    void suspend(const tlm::tlm_generic_payload& payload, TimePs at);
    void resume(tlm::tlm_generic_payload& payload, TimePs at);
    void work(tlm::tlm_generic_payload& payload, TimePs from, TimePs duration);
    void copy_read(tlm::tlm_generic_payload& payload, TimePs at);
    void source_read();
    void note_copies(const NandExtension& command);
    void check_copy(const NandExtension& command) const;
    void cache_read(tlm::tlm_generic_payload& payload, TimePs at, bool last);
    void page_cached();
    void latch_behind(tlm::tlm_generic_payload& payload, TimePs at);
    void announce_cache(const NandExtension& command, TimePs from);
    void start_behind();
    void free_cache();
    void status(const tlm::tlm_generic_payload& payload, TimePs at);
    void tell_status();
    void reset(tlm::tlm_generic_payload& payload, TimePs at);
    void reset_ends();
    void wait_for_poll(tlm::tlm_generic_payload& payload);
    void check_same_blocks(const NandExtension& command, const NandExtension& before,
                           const char* what) const;
    void check_planes(const NandExtension& command) const;
    void check_word_lines(const NandExtension& command) const;
    void check_beside_suspended(const NandExtension& command) const;
    void note_work(const NandExtension& command, TimePs until);
    void on_event(std::uint64_t work) override;
    void apply(NandExtension& command);
    void move_contents(NandExtension& command);

    EventQueue& events_;
    DieId id_;
    const NandTiming& timing_;
    const std::vector<TimePs> word_line_; ///< its tPROG; empty: pages go one by one
    const std::vector<TimePs>& t_prog_;   ///< per page type, or of a word line
    NandArray& array_;
    PageContents* contents_ = nullptr; ///< null: no data are kept
    ActivityLogIf* activity_;
    tlm::tlm_generic_payload* payload_ = nullptr;
    tlm::tlm_generic_payload* suspended_ = nullptr;
    TimePs left_ = 0;        ///< of the array time of the suspended one
    std::uint64_t work_ = 0; ///< number of the last piece of array time

    // The cache register.
    static constexpr std::uint64_t kPageCached = ~std::uint64_t{0}; ///< events beside those of work
    static constexpr std::uint64_t kCacheFree = kPageCached - 1;
    static constexpr std::uint64_t kSourceRead = kPageCached - 2;
    static constexpr std::uint64_t kStatusOut = kPageCached - 3;
    static constexpr std::uint64_t kResetEnds = kPageCached - 4;
    tlm::tlm_generic_payload* in_register_ = nullptr; ///< what the array ended last, if a read
    tlm::tlm_generic_payload* to_cache_ = nullptr;    ///< the read whose page goes there
    tlm::tlm_generic_payload* behind_ = nullptr;      ///< the program that waits for the array
    TimePs behind_at_ = 0;                            ///< when that was latched
    bool read_ends_ = false;                          ///< that read has not been counted
    bool caching_reads_ = false; ///< a page can be moved out while the array reads
    Ppn copied_ = kNoPpn;        ///< in the page register, for a program of the same plane
    PageContent register_;       ///< what that is
    TimePs source_from_ = 0;     ///< when the array reads, or read, what is copied in the die
    TimePs source_until_ = 0;
    bool cache_free_ = false;        ///< a program can be latched while the array programs
    TimePs cache_frees_at_ = kNever; ///< when that will be so
    tlm::tlm_generic_payload* ended_ = nullptr; ///< no poll has found this out yet
    TimePs ended_at_ = 0;
    Statistics statistics_; ///< busy: with what is under way to its end
    std::uint64_t operations_before_ = 0;
    ArrayTimes array_times_;
    TimePs* counted_ = nullptr; ///< where the time of what is under way is counted
};

} // namespace cavern
