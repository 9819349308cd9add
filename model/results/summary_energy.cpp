#include "results/energy.h"
#include "results/run_results.h"

namespace cavern {
namespace {

/// The energy of a run, and what it is divided by.
struct RunEnergy {
    DriveEnergy energy;
    std::uint64_t requests; ///< answered since the end of the warm-up
    TimePs span;

    [[nodiscard]] std::optional<double> nand() const {
        return energy.nand ? std::optional(energy.nand->total()) : std::nullopt;
    }
    [[nodiscard]] std::optional<double> dram() const {
        return energy.dram ? std::optional(energy.dram->total()) : std::nullopt;
    }
    [[nodiscard]] std::optional<double> each(std::optional<double> of) const {
        return of && requests != 0 ? std::optional(*of / static_cast<double>(requests))
                                   : std::nullopt;
    }
};

RunEnergy energy_of_run(const RunResults& run) {
    RunEnergy all{{}, 0, run.timed != nullptr ? run.span : 0};
    if (run.timed != nullptr) {
        all.energy = energy_of(*run.timed, run.span);
        for (const HostInterface::OpStatistics& op : run.timed->host().statistics().by_op) {
            all.requests += op.latency_ns.count();
        }
    }
    return all;
}

ObjectFields<NandEnergy> nand_energy_fields() {
    ObjectFields<NandEnergy> fields;
    fields
        .value("read", "J",
               "Reads of the array, a value for each page type (tR), then one for SLC mode if the "
               "drive has such blocks.",
               [](const NandEnergy& nand) { return nand.read; })
        .value(
            "program", "J",
            "Programs, a value for each page type (tPROG), or with nand.one_shot one for all, then "
            "one for SLC mode if the drive has such blocks.",
            [](const NandEnergy& nand) { return nand.program; })
        .value("erase", "J", "Erases (tBERS).", [](const NandEnergy& nand) { return nand.erase; })
        .value("standby", "J",
               "Dies whose array is not busy; null where the part has no nand.icc_standby.",
               [](const NandEnergy& nand) { return nand.standby; })
        .laws({"sum(read) + sum(program) + erase + known(standby) = energy_j.nand"});
    return fields;
}

ObjectFields<SdramEnergy> dram_energy_fields() {
    ObjectFields<SdramEnergy> fields;
    fields
        .value("activate", "J", "Opening and closing rows.",
               [](const SdramEnergy& dram) { return dram.activate; })
        .value("read", "J", "Bursts read.", [](const SdramEnergy& dram) { return dram.read; })
        .value("write", "J", "Bursts written.", [](const SdramEnergy& dram) { return dram.write; })
        .value("refresh", "J", "Refreshes.", [](const SdramEnergy& dram) { return dram.refresh; })
        .value("active", "J", "Background while a row is open.",
               [](const SdramEnergy& dram) { return dram.active; })
        .value("precharged", "J", "Background while no row is open.",
               [](const SdramEnergy& dram) { return dram.precharged; })
        .laws({"activate + read + write + refresh + active + precharged = energy_j.dram"});
    return fields;
}

ObjectFields<RunEnergy> per_request_fields() {
    ObjectFields<RunEnergy> fields;
    fields
        .value("nand", "J", "Energy of the dies per request.",
               [](const RunEnergy& run) { return run.each(run.nand()); })
        .value("bus", "J", "Energy of the flash buses per request.",
               [](const RunEnergy& run) { return run.each(run.energy.bus); })
        .value("dram", "J", "Energy of the SDRAM per request.",
               [](const RunEnergy& run) { return run.each(run.dram()); })
        .value("link", "J", "Energy of the host link per request.",
               [](const RunEnergy& run) { return run.each(run.energy.link); })
        .value("controller", "J", "Energy of the controller per request.",
               [](const RunEnergy& run) { return run.each(run.energy.controller); })
        .value("total", "J", "Energy of all that is known per request.",
               [](const RunEnergy& run) { return run.each(run.energy.total()); })
        .laws({
            "nand * (sim.requests - sim.warmup_requests) = energy_j.nand",
            "bus * (sim.requests - sim.warmup_requests) = energy_j.bus",
            "dram * (sim.requests - sim.warmup_requests) = energy_j.dram",
            "link * (sim.requests - sim.warmup_requests) = energy_j.link",
            "controller * (sim.requests - sim.warmup_requests) = energy_j.controller",
            "total * (sim.requests - sim.warmup_requests) = energy_j.total",
        });
    return fields;
}

ObjectFields<RunEnergy> energy_fields() {
    ObjectFields<RunEnergy> fields;
    fields
        .value("nand", "J",
               "Energy of the dies; null unless the part gives nand.vcc, icc_read, icc_program "
               "and icc_erase.",
               [](const RunEnergy& run) { return run.nand(); })
        .object("nand_by", "The same by what the dies did.", nand_energy_fields(),
                [](const RunEnergy& run) { return run.energy.nand; })
        .value("bus", "J",
               "Energy of data on the flash buses, at the dies; null unless the part gives "
               "nand.icc_bus or nand.iccq_bus.",
               [](const RunEnergy& run) { return run.energy.bus; })
        .value("dram", "J",
               "Energy of the SDRAM; null unless the part gives dram.devices, dram.vdd and its "
               "IDD, and with dram.model = \"ideal\".",
               [](const RunEnergy& run) { return run.dram(); })
        .object("dram_by", "The same by what the SDRAM did.", dram_energy_fields(),
                [](const RunEnergy& run) { return run.energy.dram; })
        .value("link", "J", "Energy of the host link; null unless host.link_energy is given.",
               [](const RunEnergy& run) { return run.energy.link; })
        .value("controller", "J",
               "Energy of the controller; null unless controller.power is given.",
               [](const RunEnergy& run) { return run.energy.controller; })
        .value("total", "J",
               "Sum of nand, bus, dram, link and controller without those that are "
               "null; null where all are.",
               [](const RunEnergy& run) { return run.energy.total(); })
        .value("mean_power_w", "W", "Mean power: total per second of sim.measured_ns.",
               [](const RunEnergy& run) -> std::optional<double> {
                   const std::optional<double> total = run.energy.total();
                   if (!total || run.span == 0) {
                       return std::nullopt;
                   }
                   return *total / (static_cast<double>(run.span) * 1e-12);
               })
        .object("per_request", "Energy per request that the host got an answer to.",
                per_request_fields(), [](const RunEnergy& run) -> const RunEnergy& { return run; })
        .laws({
            "total = known(nand) + known(bus) + known(dram) + known(link) + known(controller)",
            "mean_power_w * (sim.measured_ns - 1) <= total * 1e9",
            "total * 1e9 <= mean_power_w * (sim.measured_ns + 1)",
            "if sim.fidelity = \"untimed\": known(total) = 0",
            "if config.nand.icc_standby = \"unknown\": known(nand_by.standby) = 0",
        });
    return fields;
}

} // namespace

void add_energy_fields(ObjectFields<RunResults>& summary) {
    summary.object("energy_j",
                   "Energy since warm-up, from the currents of the parts. What a part does not "
                   "give is null; all is null in a run without time. What dies have begun where "
                   "the power is cut counts whole.",
                   energy_fields(), energy_of_run);
}

} // namespace cavern
