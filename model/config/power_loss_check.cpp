#include "config/power_loss_check.h"

#include <fmt/format.h>
#include <string>

namespace cavern {
namespace {

std::string recoverable_layers() {
    std::string names;
    for (const FtlRow& row : ftl_table()) {
        if (row.rebuilding != Rebuilding::kNone) {
            names += (names.empty() ? "" : ", ") + std::string(row.name);
        }
    }
    return names;
}

std::optional<ConfigProblem> plp_problem(const DrivePlan& config) {
    const PowerLossConfig& loss = config.power_loss;
    if (loss.recovery != PowerRecovery::kPlp) {
        return std::nullopt;
    }
    if (config.drain_costs.program == 0) {
        return ConfigProblem{
            {"power_loss.recovery", "nand.part"},
            "power_loss.recovery = plp with a part whose currents are not known",
            "nand.vcc, nand.icc_read, nand.icc_program and nand.icc_erase, or another part"};
    }
    if (config.drained_pages == 0) { // what does not fit is seen to be lost
        return ConfigProblem{
            {"power_loss.energy", "power_loss.recovery"},
            "power_loss.energy does not suffice for a page",
            fmt::format("at least {:.0f}uJ", 1 + 1e6 * config.drain_costs.program)};
    }
    return std::nullopt;
}

std::optional<ConfigProblem> map_log_problem(const DrivePlan& config) {
    const MapLogKind kind = config.map_log.kind;
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

std::optional<ConfigProblem> find_power_loss_problem(const DrivePlan& config) {
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
