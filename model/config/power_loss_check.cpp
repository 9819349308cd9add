#include "config/power_loss_check.h"

#include <fmt/format.h>
#include <numeric>
#include <string>

#include "core/parts/energy.h"

namespace cavern {
namespace {

constexpr double kFemto = 1e-15;

std::string recoverable_layers() {
    std::string names;
    for (const FtlRow& row : ftl_table()) {
        if (row.rebuilding != Rebuilding::kNone) {
            names += (names.empty() ? "" : ", ") + std::string(row.name);
        }
    }
    return names;
}

double mean(const std::vector<TimePs>& times) {
    return static_cast<double>(std::accumulate(times.begin(), times.end(), TimePs{0})) /
           static_cast<double>(times.size());
}

double page_transfer(const SsdConfig& config) {
    const Geometry geometry = drive_geometry(config);
    return static_cast<double>(
        config.nand.timing.data_time(std::uint64_t{geometry.page_bytes} + geometry.spare_bytes));
}

/// Of the die, its bus, and the controller, whose time the dies share; times in ps. 0: not known.
double operation_energy(const SsdConfig& config, std::uint64_t nanoamperes, double array,
                        double transfer) {
    const NandCurrents& part = config.nand.currents;
    if (!part.known()) {
        return 0;
    }
    const double controller = static_cast<double>(config.controller.power_uw) * 1e-6 *
                              (array + transfer) * 1e-12 / drive_geometry(config).dies();
    return supply_energy(part.vcc_mv, static_cast<double>(nanoamperes), array) +
           nand_bus_energy(part, transfer) + controller;
}

std::optional<ConfigProblem> plp_problem(const SsdConfig& config) {
    const PowerLossConfig& loss = config.power_loss;
    if (loss.recovery != PowerRecovery::kPlp) {
        return std::nullopt;
    }
    if (drained_page_energy(config) == 0) {
        return ConfigProblem{
            {"power_loss.recovery", "nand.part"},
            "power_loss.recovery = plp with a part whose currents are not known",
            "nand.vcc, nand.icc_read, nand.icc_program and nand.icc_erase, or another part"};
    }
    if (drained_pages(config) == 0) { // what does not fit is seen to be lost
        return ConfigProblem{
            {"power_loss.energy", "power_loss.recovery"},
            "power_loss.energy does not suffice for a page",
            fmt::format("at least {:.0f}uJ", 1 + 1e6 * drained_page_energy(config))};
    }
    return std::nullopt;
}

std::optional<ConfigProblem> map_log_problem(const SsdConfig& config) {
    const MapLogKind kind = map_log_params(config).kind;
    if (kind == MapLogKind::kNone) {
        return std::nullopt;
    }
    if (config.ftl.scheme->rebuilding != Rebuilding::kPages || config.ftl.scheme->caches_in_slc) {
        return ConfigProblem{{"power_loss.recovery", "ftl.scheme"},
                             fmt::format("power_loss.recovery = checkpoint or ltftl with "
                                         "ftl.scheme = {}",
                                         config.ftl.scheme->name),
                             "ftl.scheme = page, or power_loss.recovery = oob-scan"};
    }
    if (config.ftl.params.gc_placement != GcPlacement::kPlane) {
        return ConfigProblem{{"power_loss.recovery", "ftl.gc_placement"},
                             "power_loss.recovery = checkpoint or ltftl with planes that "
                             "ftl.gc_placement joins",
                             "power_loss.recovery = oob-scan, or ftl.gc_placement = plane"};
    }
    if (config.ftl.params.faults.any()) {
        return ConfigProblem{{"power_loss.recovery", "nand.bad_blocks"},
                             "power_loss.recovery = checkpoint or ltftl, whose blocks are fixed, "
                             "with bad blocks",
                             "power_loss.recovery = oob-scan, or nand.bad_blocks = 0"};
    }
    if (kind != MapLogKind::kMarks) {
        return std::nullopt;
    }
    if (config.buffer.policy == nullptr) {
        return ConfigProblem{{"power_loss.recovery", "buffer.policy"},
                             "power_loss.recovery = ltftl without a write buffer, where every "
                             "write is durable",
                             "a buffer.policy, or power_loss.recovery = checkpoint"};
    }
    if (config.nand.timing.t_prog.size() > 1 && !config.power_loss.ends_programs) {
        return ConfigProblem{{"power_loss.recovery", "power_loss.ends_programs", "nand.t_program"},
                             "power_loss.recovery = ltftl with pages that share their cells",
                             "power_loss.ends_programs = true"};
    }
    return std::nullopt;
}

} // namespace

double drained_page_energy(const SsdConfig& config) {
    return operation_energy(config, config.nand.currents.icc_program_na,
                            mean(config.nand.timing.t_prog), page_transfer(config));
}

double drain_read_energy(const SsdConfig& config) {
    return operation_energy(config, config.nand.currents.icc_read_na, mean(config.nand.timing.t_r),
                            page_transfer(config));
}

double drain_erase_energy(const SsdConfig& config) {
    return operation_energy(config, config.nand.currents.icc_erase_na,
                            static_cast<double>(config.nand.timing.t_bers), 0);
}

std::uint64_t drained_pages(const SsdConfig& config) {
    const double page = drained_page_energy(config);
    return page == 0 ? 0
                     : static_cast<std::uint64_t>(static_cast<double>(config.power_loss.energy_fj) *
                                                  kFemto / page);
}

std::optional<ConfigProblem> find_power_loss_problem(const SsdConfig& config) {
    const PowerLossConfig& loss = config.power_loss;
    if (!loss.happens()) {
        return std::nullopt;
    }
    const auto with = [&](const std::string& other) {
        return std::vector<std::string>{"power_loss.at", "power_loss.cuts", other};
    };
    const bool timed = config.fidelity != Fidelity::kUntimed;
    if (timed && loss.cuts != 0) {
        return ConfigProblem{{"power_loss.cuts", "fidelity"},
                             "power_loss.cuts in a run with time",
                             "power_loss.at, or fidelity = untimed"};
    }
    if (!timed && loss.at != 0) {
        return ConfigProblem{{"power_loss.at", "fidelity"},
                             "power_loss.at in a run without time",
                             "power_loss.cuts, or fidelity = at"};
    }
    if (config.ftl.scheme->rebuilding == Rebuilding::kNone) {
        return ConfigProblem{with("ftl.scheme"),
                             fmt::format("a loss of power with ftl.scheme = {}, which cannot be "
                                         "rebuilt from flash",
                                         config.ftl.scheme->name),
                             recoverable_layers()};
    }
    if (config.ftl.adaptive) {
        return ConfigProblem{with("ftl.partition"),
                             "a loss of power with memory divided at run time", "one of them"};
    }
    if (config.cpu.decides != Decides::kCore) {
        return ConfigProblem{with("cpu.decides"), "a loss of power with firmware that decides",
                             "cpu.decides = core"};
    }
    if (!timed && config.buffer.ncq_aware) {
        return ConfigProblem{with("buffer.ncq_aware"), "power_loss.cuts with buffer.ncq_aware",
                             "one of them"};
    }
    if (const auto problem = map_log_problem(config)) {
        return problem;
    }
    return plp_problem(config);
}

} // namespace cavern
