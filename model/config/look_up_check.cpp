#include "config/look_up_check.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/units.h"
#include "core/buffer/eviction_policy_table.h"
#include "core/buffer/eviction_trigger_table.h"

namespace cavern {
namespace {

/// As firmware/lookup names it.
std::string_view name_of(CpuLookUp look_up) {
    constexpr std::string_view kNames[] = {"", "LM", "ML", "SQ", "SG", "BT", "DX"};
    return kNames[static_cast<std::size_t>(look_up)];
}

} // namespace

LookUpCost::Params look_up_params(const DrivePlan& config, std::uint64_t logical_pages) {
    const std::uint64_t frames = config.buffer.bytes / config.geometry.page_bytes;
    return {find_look_up_cycles(name_of(config.cpu.look_up), config.cpu.look_up_groups),
            static_cast<std::uint32_t>(std::min<std::uint64_t>(frames, UINT32_MAX)), logical_pages};
}

std::optional<ConfigProblem> find_look_up_problem(const DrivePlan& config) {
    const CpuConfig& cpu = config.cpu;
    if (cpu.look_up == CpuLookUp::kNone) {
        return std::nullopt;
    }
    const std::string_view name = name_of(cpu.look_up);
    if (cpu.model != CpuModel::kCost) {
        return ConfigProblem{{"cpu.model", "cpu.look_up"},
                             "cpu.look_up without cpu.model = cost",
                             "cpu.model = cost, or cpu.look_up = none"};
    }
    if (find_look_up_cycles(name, cpu.look_up_groups) == nullptr) {
        return ConfigProblem{{"cpu.look_up", "cpu.look_up_groups"},
                             fmt::format("look-up {} has not been measured with {} groups", name,
                                         cpu.look_up_groups),
                             "cpu.look_up_groups = " + measured_groups(name)};
    }
    const BufferConfig& buffer = config.buffer;
    const bool in_order = buffer.policy != nullptr && buffer.policy->name == "lru-page" &&
                          buffer.cache_reads && buffer.read_touch;
    const bool on_demand = buffer.eviction.size() == 1 && buffer.eviction[0]->name == "single";
    if (!in_order || !on_demand) {
        return ConfigProblem{
            {"cpu.look_up", "buffer.policy", "buffer.cache_reads", "buffer.read_touch",
             "buffer.eviction"},
            "cpu.look_up before a buffer that is not the firmware's data cache",
            "buffer.policy = lru-page, cache_reads = true, read_touch = true, eviction = single"};
    }
    const Geometry geometry = config.geometry;
    const std::uint64_t pages = geometry.pages();
    if (buffer.bytes / geometry.page_bytes != kMeasuredFrames) {
        return ConfigProblem{
            {"cpu.look_up", "buffer.size", "nand.page_size", "ftl.unit"},
            fmt::format("no look-up has been measured with {} frames",
                        buffer.bytes / geometry.page_bytes),
            fmt::format("buffer.size = {}, which is {} pages",
                        format_quantity(std::uint64_t{kMeasuredFrames} * geometry.page_bytes,
                                        Quantity::kBytes),
                        kMeasuredFrames)};
    }
    if (const char* refused = LookUpCost::why_not(look_up_params(config, pages))) {
        return ConfigProblem{{"cpu.look_up", "nand.page_size", "ftl.unit", "nand.channels",
                              "nand.ways", "nand.dies", "nand.planes", "nand.blocks_per_plane",
                              "nand.pages_per_block"},
                             fmt::format("cpu.look_up before a drive of {} pages", pages),
                             refused};
    }
    return std::nullopt;
}

} // namespace cavern
