#include "config/namespace_check.h"

#include <fmt/format.h>

namespace cavern {
namespace {

using Found = std::optional<ConfigProblem>;

/// Neither SATA nor firmware that decides knows of them.
Found find_stranger(const SsdConfig& config, const std::string& key, const std::string& what,
                    const std::string& off) {
    if (config.host.link->name == "sata") {
        return ConfigProblem{
            {key, "host.interface"},
            fmt::format("{} with host.interface = sata, which has no {}", key, what),
            fmt::format("host.interface = nvme, or {}", off)};
    }
    if (config.cpu.decides != Decides::kCore) {
        return ConfigProblem{{key, "cpu.decides"},
                             fmt::format("{} where firmware decides, which has no {}", key, what),
                             fmt::format("cpu.decides = core, or {}", off)};
    }
    return std::nullopt;
}

/// What cannot stand beside handles, each with the key that would have to change.
Found find_fdp_problem(const SsdConfig& config) {
    if (config.host.fdp.handles == 0) {
        return std::nullopt;
    }
    const std::string key = "host.fdp.handles";
    if (auto stranger = find_stranger(config, key, "placement identifiers", key + " = 0")) {
        return stranger;
    }
    const FtlParams ftl = ftl_params(config);
    const Geometry& nand = config.nand.geometry;
    struct Rule {
        bool broken;
        std::string key;
        std::string with;
        std::string right;
    };
    const Rule rules[] = {
        {config.ftl.scheme->name != "page", "ftl.scheme",
         fmt::format("ftl.scheme = {}", config.ftl.scheme->name), "ftl.scheme = page"},
        {ftl.hot_cold, "ftl.hot_cold", "ftl.hot_cold = true", "one of them"},
        {ftl.gc_shared_frontier, "ftl.gc_shared_frontier", "ftl.gc_shared_frontier = true",
         "one of them"},
        {ftl.gc_in_pages, "ftl.gc_unit", "ftl.gc_unit = pages", "ftl.gc_unit = blocks"},
        {ftl.wear_leveling == WearLeveling::kStatic, "ftl.wear_leveling",
         "ftl.wear_leveling = static", "ftl.wear_leveling = dynamic or none"},
        {drive_geometry(config).page_bytes != nand.page_bytes, "ftl.unit",
         "a ftl.unit smaller than a page", "ftl.unit = page"},
        {ftl.faults.any(), "nand.bad_blocks", "bad blocks or failures", "one of them"},
    };
    for (const Rule& rule : rules) {
        if (rule.broken) {
            std::vector<std::string> keys{key, rule.key};
            if (rule.key == "nand.bad_blocks") {
                keys.insert(keys.end(), {"nand.program_failures", "nand.erase_failures",
                                         "nand.retire_worn", "nand.fault_list"});
            }
            return ConfigProblem{keys, fmt::format("{} with {}", key, rule.with), rule.right};
        }
    }
    return std::nullopt;
}

} // namespace

Found find_namespace_problem(const SsdConfig& config) {
    return find_fdp_problem(config);
}

} // namespace cavern
