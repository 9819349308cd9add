#include "results/energy.h"

#include <algorithm>
#include <numeric>

namespace cavern {
namespace {

double sum(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

NandEnergy nand_energy(const Ssd& ssd, TimePs span) {
    const NandCurrents& part = ssd.config().nand.currents;
    const std::uint32_t dies = ssd.config().nand.geometry.dies();
    const auto energy = [&part](std::uint64_t nanoamperes, TimePs time) {
        return supply_energy(part.vcc_mv, static_cast<double>(nanoamperes),
                             static_cast<double>(time));
    };
    NandEnergy all;
    TimePs busy = 0;
    for (std::uint32_t d = 0; d < dies; ++d) {
        const NandDie& die = ssd.die(DieId{d});
        const NandDie::ArrayTimes& times = die.array_times();
        const auto add = [&](std::vector<double>& to, const std::vector<TimePs>& from,
                             std::uint64_t current) {
            to.resize(from.size());
            for (std::size_t type = 0; type < from.size(); ++type) {
                to[type] += energy(current, from[type]);
            }
        };
        add(all.read, times.read, part.icc_read_na);
        add(all.program, times.program, part.icc_program_na);
        all.erase += energy(part.icc_erase_na, times.erase);
        busy += die.statistics().busy;
    }
    if (part.icc_standby_na != 0) {
        all.standby = energy(part.icc_standby_na, dies * span - std::min(dies * span, busy));
    }
    return all;
}

double bus_energy(const Ssd& ssd) {
    const DrivePlan& config = ssd.config();
    std::uint64_t bytes = 0;
    for (std::uint32_t c = 0; c < config.nand.geometry.channels; ++c) {
        bytes += ssd.channel(c).statistics().bytes;
    }
    const auto byte_ps = static_cast<double>(config.nand.timing.bus_byte_fs) * 1e-3;
    return nand_bus_energy(config.nand.currents, static_cast<double>(bytes) * byte_ps);
}

SdramEnergy dram_energy(const Ssd& ssd, TimePs span) {
    const SdramController::Statistics did = ssd.sdram().statistics();
    const DramConfig& dram = ssd.config().dram;
    const TimePs of_ranks = span * dram.channels * dram.timing.ranks;
    const SdramWork work{did.activates,
                         did.read_bursts,
                         did.write_bursts,
                         did.refreshes,
                         std::min(did.row_open, of_ranks),
                         of_ranks};
    return sdram_energy(ssd.config().dram.currents, ssd.config().dram.timing, work);
}

double link_energy(const Ssd& ssd) {
    std::uint64_t bytes = 0;
    for (const RequestOp op : {RequestOp::kRead, RequestOp::kWrite}) {
        bytes += ssd.host().statistics().by_op[static_cast<std::size_t>(op)].bytes;
    }
    return static_cast<double>(bytes) * static_cast<double>(ssd.config().host.link_byte_fj) * 1e-15;
}

} // namespace

double NandEnergy::total() const {
    return sum(read) + sum(program) + erase + standby.value_or(0.0);
}

std::optional<double> DriveEnergy::total() const {
    double known = 0;
    bool any = false;
    const auto add = [&](std::optional<double> part) {
        any = any || part.has_value();
        known += part.value_or(0.0);
    };
    add(nand ? std::optional(nand->total()) : std::nullopt);
    add(bus);
    add(dram ? std::optional(dram->total()) : std::nullopt);
    add(link);
    add(controller);
    return any ? std::optional(known) : std::nullopt;
}

DriveEnergy energy_of(const Ssd& ssd, TimePs span) {
    const DrivePlan& config = ssd.config();
    DriveEnergy all;
    if (config.nand.currents.known()) {
        all.nand = nand_energy(ssd, span);
    }
    if (config.nand.currents.bus_known()) {
        all.bus = bus_energy(ssd);
    }
    if (config.dram.currents.known() && config.dram.model != SdramModel::kIdeal) {
        all.dram = dram_energy(ssd, span);
    }
    if (config.host.link_byte_fj != 0) {
        all.link = link_energy(ssd);
    }
    if (config.controller.power_uw != 0) {
        all.controller = static_cast<double>(config.controller.power_uw) * 1e-6 *
                         static_cast<double>(span) * 1e-12;
    }
    return all;
}

} // namespace cavern
