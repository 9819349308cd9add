#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>

#include "core/base/counter.h"
#include "core/nand/nand_array.h"
#include "core/parts/nand_timing.h"
#include "timed/tlm/event_queue.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern {

/// One NAND die: page register, array busy times tR, tPROG, tBERS, ready/busy line. Executes one
/// command at a time, which may name several planes. A program or erase can be suspended; then
/// reads of what it does not touch are executed, until it is resumed. Array state (NandArray)
/// changes when the operation completes. Speaks NandProtocol; b_transport, DMI and debug are not
/// offered.
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
            duration(&Statistics::busy, "busy_ns",
                     "Time that the array was busy: tR, tPROG, tBERS."));
    };

    tlm::tlm_target_socket<32, NandProtocol> channel_target_socket{"channel_target_socket"};

    NandDie(const sc_core::sc_module_name& name, EventQueue& events, DieId id,
            const NandTiming& timing, NandArray& array, ActivityLogIf* activity);

    [[nodiscard]] const Statistics& statistics() const { return statistics_; }
    void reset_statistics() { statistics_ = {}; }
    /// R/B#: true while an array operation or the latching of its command is under way.
    [[nodiscard]] bool busy() const { return payload_ != nullptr; }

  private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
    unsigned int transport_dbg(tlm::tlm_generic_payload& payload) override;

    [[nodiscard]] TimePs array_time(const NandExtension& command) const;
    void latch(tlm::tlm_generic_payload& payload, TimePs at);
    void suspend(const tlm::tlm_generic_payload& payload, TimePs at);
    void resume(tlm::tlm_generic_payload& payload, TimePs at);
    void work(tlm::tlm_generic_payload& payload, TimePs from, TimePs duration);
    void check_planes(const NandExtension& command) const;
    void check_beside_suspended(const NandExtension& command) const;
    void note_work(const NandExtension& command, TimePs until);
    void on_event(std::uint64_t work) override;
    void apply(const NandExtension& command);

    EventQueue& events_;
    DieId id_;
    const NandTiming& timing_;
    NandArray& array_;
    ActivityLogIf* activity_;
    tlm::tlm_generic_payload* payload_ = nullptr;
    tlm::tlm_generic_payload* suspended_ = nullptr;
    TimePs left_ = 0;        ///< of the array time of the suspended one
    std::uint64_t work_ = 0; ///< number of the last piece of array time
    Statistics statistics_;
};

} // namespace cavern
