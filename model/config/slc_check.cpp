#include "config/slc_check.h"

#include <algorithm>

#include <fmt/format.h>

namespace cavern {

std::optional<ConfigProblem> find_slc_problem(const DrivePlan& config) {
    const Geometry& nand = config.nand.geometry;
    const NandTiming& timing = config.nand.timing;
    const FtlRow& ftl = *config.ftl.scheme;
    if (nand.slc_blocks == 0) {
        return std::nullopt; // a layer that needs them says so
    }
    if (!ftl.caches_in_slc) {
        return ConfigProblem{
            {"nand.slc_blocks", "ftl.scheme"},
            fmt::format("nand.slc_blocks = {} with ftl.scheme = {}", nand.slc_blocks, ftl.name),
            "ftl.scheme = slc-cache, or nand.slc_blocks = 0"};
    }
    const std::size_t types = std::max(timing.t_r.size(), timing.t_prog.size());
    if (types == 1 || nand.pages_per_block % types != 0) {
        return ConfigProblem{{"nand.slc_blocks", "nand.part", "nand.t_read", "nand.t_program"},
                             fmt::format("blocks in SLC mode of a part of {} page type{}", types,
                                         types == 1 ? "" : "s"),
                             "a part of several page types, as many as bits in a cell"};
    }
    if (timing.slc_t_r == 0 || timing.slc_t_prog == 0) {
        return ConfigProblem{{"nand.slc_blocks", "nand.slc_t_read", "nand.slc_t_program"},
                             "nand.slc_blocks of a part without times of SLC mode",
                             "nand.slc_t_read and nand.slc_t_program above 0"};
    }
    return std::nullopt;
}

} // namespace cavern
