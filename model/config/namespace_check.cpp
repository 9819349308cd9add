#include "config/namespace_check.h"

#include <fmt/format.h>

namespace cavern {
namespace {

using Found = std::optional<ConfigProblem>;

/// Neither SATA nor firmware that decides knows of them.
Found find_stranger(const DrivePlan& config, const std::string& key, const std::string& what,
                    const std::string& off) {
    if (config.host.link->name == "sata") {
        return ConfigProblem{
            {key, "host.interface"},
            fmt::format("{} with host.interface = sata, which has no {}", key, what),
            fmt::format("host.interface = nvme, or {}", off)};
    }
    if (config.cpu.decides != Decides::kCore || executes_firmware(config.cpu.model)) {
        return ConfigProblem{
            {key, "cpu.decides", "cpu.model"},
            fmt::format("{} where firmware decides or runs, which has no {}", key, what),
            fmt::format("cpu.decides = core, cpu.model = none or cost, or {}", off)};
    }
    return std::nullopt;
}

/// What cannot stand beside handles, each with the key that would have to change.
Found find_fdp_problem(const DrivePlan& config) {
    if (config.host.fdp.handles == 0) {
        return std::nullopt;
    }
    const std::string key = "host.fdp.handles";
    if (auto stranger = find_stranger(config, key, "placement identifiers", key + " = 0")) {
        return stranger;
    }
    const FtlParams ftl = config.ftl_params;
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
        {config.geometry.page_bytes != nand.page_bytes, "ftl.unit",
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

/// A zone is written in order, and what is written stays until it is reset.
Found find_zone_problem(const DrivePlan& config) {
    if (!config.ftl.scheme->has_zones) {
        return std::nullopt;
    }
    const std::string with = fmt::format("ftl.scheme = {}", config.ftl.scheme->name);
    if (auto stranger = find_stranger(config, "ftl.scheme", "zones", "ftl.scheme = page")) {
        return stranger;
    }
    const PreconditionConfig& before = config.precondition;
    if (before.fill != 0 || before.overwrite != 0 || before.until_steady) {
        return ConfigProblem{
            {"ftl.scheme", "precondition.fill", "precondition.overwrite", "precondition.until"},
            fmt::format("{} in a drive that is preconditioned", with),
            "precondition.fill = 0, and a workload that fills zones"};
    }
    const EvictionPolicyRow* policy = config.buffer.policy;
    if (policy != nullptr && policy->name == "bplru") {
        return ConfigProblem{{"ftl.scheme", "buffer.policy"},
                             fmt::format("{} with buffer.policy = bplru, which pads blocks", with),
                             "another buffer.policy"};
    }
    return std::nullopt;
}

} // namespace

Found find_namespace_problem(const DrivePlan& config) {
    if (auto problem = find_fdp_problem(config)) {
        return problem;
    }
    return find_zone_problem(config);
}

} // namespace cavern
