#include "core/parts/energy.h"

namespace cavern {

double supply_energy(std::uint64_t millivolts, double nanoamperes, double picoseconds) {
    return static_cast<double>(millivolts) * 1e-3 * nanoamperes * 1e-9 * picoseconds * 1e-12;
}

double nand_bus_energy(const NandCurrents& part, double picoseconds) {
    return supply_energy(part.vcc_mv, static_cast<double>(part.icc_bus_na), picoseconds) +
           supply_energy(part.vccq_mv, static_cast<double>(part.iccq_bus_na), picoseconds);
}

SdramEnergy sdram_energy(const SdramCurrents& part, const SdramTiming& timing,
                         const SdramWork& work) {
    const auto idd0 = static_cast<double>(part.idd0_na);
    const auto idd2n = static_cast<double>(part.idd2n_na);
    const auto idd3n = static_cast<double>(part.idd3n_na);
    const auto idd4r = static_cast<double>(part.idd4r_na);
    const auto idd4w = static_cast<double>(part.idd4w_na);
    const auto idd5 = static_cast<double>(part.idd5_na);
    const auto of_clocks = [&](double nanoamperes, double clocks) {
        return part.devices *
               supply_energy(part.vdd_mv, nanoamperes, clocks * static_cast<double>(timing.t_ck));
    };
    const auto of_time = [&](double nanoamperes, TimePs time) {
        return part.devices * supply_energy(part.vdd_mv, nanoamperes, static_cast<double>(time));
    };
    const auto count = [](std::uint64_t number) { return static_cast<double>(number); };
    const double row_cycle = of_clocks(idd0, timing.t_rc) - of_clocks(idd3n, timing.t_ras) -
                             of_clocks(idd2n, timing.t_rc - timing.t_ras);
    return {count(work.activates) * row_cycle,
            count(work.read_bursts) * of_clocks(idd4r - idd3n, timing.burst_clocks()),
            count(work.write_bursts) * of_clocks(idd4w - idd3n, timing.burst_clocks()),
            count(work.refreshes) * of_clocks(idd5 - idd3n, timing.t_rfc),
            of_time(idd3n, work.active),
            of_time(idd2n, work.span - work.active)};
}

} // namespace cavern
