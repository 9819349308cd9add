#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <tlm>

#include "core/base/counter.h"
#include "core/data/page_contents.h"
#include "core/nand/nand_array.h"
#include "core/parts/nand_timing.h"
#include "timed/nand/array_clock.h"
#include "timed/tlm/event_queue.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern {

class CacheRegister;
class CopyRegister;
class StatusByte;

/// One NAND die: page register, array busy times tR, tPROG, tBERS, ready/busy line. Executes one
/// command at a time, which may name several planes, step by step. A program or erase can be
/// suspended; then reads of what it does not touch are executed, until it is resumed. Beside the
/// array it has the registers that its part has. Array state (NandArray) changes when the operation
/// completes. Speaks NandProtocol; b_transport, DMI and debug are not offered.
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
    ~NandDie() override;

    /// From now on pages have contents, which outlive this.
    void keep(PageContents& contents) { contents_ = &contents; }

    /// Up to now.
    [[nodiscard]] Statistics statistics() const;
    /// Reads, programs and erases so far, those before the statistics began anew among them.
    [[nodiscard]] std::uint64_t operations() const {
        return operations_before_ + statistics_.reads + statistics_.programs + statistics_.erases;
    }
    /// With what is under way to its end.
    using ArrayTimes = ArrayClock::Times;
    [[nodiscard]] const ArrayTimes& array_times() const { return clock_.times(); }
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
    friend class CacheRegister;
    friend class CopyRegister;
    friend class StatusByte;

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
    unsigned int transport_dbg(tlm::tlm_generic_payload& payload) override;

    void tell(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase);
    void take_step(tlm::tlm_generic_payload& payload, NandExtension& command, TimePs at);
    /// Of what the array has begun, or is about to: counted, but not past.
    [[nodiscard]] TimePs still_to_come() const;
    [[nodiscard]] TimePs begin(const NandExtension& command);
    void latch(tlm::tlm_generic_payload& payload, NandExtension& command, TimePs at);
    void data_out(NandExtension& command);
    void suspend(const tlm::tlm_generic_payload& payload, TimePs at);
    void resume(tlm::tlm_generic_payload& payload, NandExtension& command, TimePs at);
    void begin_run(tlm::tlm_generic_payload& payload, const NandExtension& command, TimePs at);
    void work(tlm::tlm_generic_payload& payload, NandExtension& command, TimePs from,
              TimePs duration);
    void note_work(const NandExtension& command, TimePs until);
    void on_event(std::uint64_t work) override;
    void apply(NandExtension& command);
    void move_contents(NandExtension& command);

    static constexpr std::uint64_t kBegun = ~std::uint64_t{0}; ///< an event beside those of work

    EventQueue& events_;
    DieId id_;
    const NandTiming& timing_;
    NandArray& array_;
    ArrayClock clock_;
    PageContents* contents_ = nullptr; ///< null: no data are kept
    ActivityLogIf* activity_;
    tlm::tlm_generic_payload* payload_ = nullptr;
    tlm::tlm_generic_payload* suspended_ = nullptr;
    TimePs left_ = 0;        ///< of the array time of the suspended one
    std::uint64_t work_ = 0; ///< number of the last piece of array time
    // Null where the part has none, or is not polled.
    std::unique_ptr<CacheRegister> cache_;
    std::unique_ptr<CopyRegister> copy_;
    std::unique_ptr<StatusByte> status_;
    Statistics statistics_; ///< but for `busy`
    std::uint64_t operations_before_ = 0;
};

} // namespace cavern
