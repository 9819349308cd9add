#include "config/dram_check.h"

#include <fmt/format.h>

#include "core/base/units.h"
#include "core/ftl/ftl_table.h"

namespace cavern {

namespace {

/// What keeps the map from lying beside all that passes through the SDRAM.
std::optional<DramProblem> find_map_problem(const DrivePlan& config) {
    const DramConfig& dram = config.dram;
    if (!dram.map_traffic) {
        return std::nullopt;
    }
    if (config.ftl.scheme->name != "page") {
        return DramProblem{{"dram.map_traffic", "ftl.scheme"},
                           fmt::format("dram.map_traffic with ftl.scheme = {}, whose map does not "
                                       "lie in the SDRAM whole",
                                       config.ftl.scheme->name),
                           "ftl.scheme = page, or dram.map_traffic = false"};
    }
    const Geometry& nand = config.nand.geometry;
    const std::uint64_t pages =
        config.buffer.bytes +
        (config.geometry.word_line_pages + config.least_copies()) * nand.page_bytes;
    if (pages + config.map_bytes > dram.bytes) {
        return DramProblem{
            {"dram.map_traffic", "dram.size", "buffer.size"},
            fmt::format("a map of {} beside a buffer of {} in an SDRAM of {}",
                        format_quantity(config.map_bytes, Quantity::kBytes),
                        format_quantity(config.buffer.bytes, Quantity::kBytes),
                        format_quantity(dram.bytes, Quantity::kBytes)),
            fmt::format("dram.size at least {}",
                        format_quantity(pages + config.map_bytes, Quantity::kBytes))};
    }
    return std::nullopt;
}

} // namespace

std::optional<DramProblem> find_dram_problem(const DrivePlan& config) {
    const DramConfig& dram = config.dram;
    const SdramTiming& t = dram.timing;
    if (const auto problem = find_problem(t)) {
        const std::string key = "dram." + problem->key;
        return DramProblem{{key}, key + ": " + problem->what, problem->right};
    }
    if (!is_power_of_two(dram.channels)) {
        return DramProblem{{"dram.channels"},
                           fmt::format("dram.channels: {} is not a power of two", dram.channels),
                           "1, 2, 4, 8 or 16"};
    }
    if (!is_power_of_two(dram.stripe_bytes) || dram.stripe_bytes < t.burst_bytes()) {
        return DramProblem{{"dram.stripe", "dram.bus_bits", "dram.burst_length"},
                           fmt::format("dram.stripe = {} with bursts of {}",
                                       format_quantity(dram.stripe_bytes, Quantity::kBytes),
                                       format_quantity(t.burst_bytes(), Quantity::kBytes)),
                           "a power of two, at least a burst"};
    }
    const std::uint64_t banks = std::uint64_t{t.banks} * t.ranks * dram.channels;
    const std::uint64_t rows = banks * t.row_bytes;
    if (dram.bytes % rows != 0) {
        return DramProblem{
            {"dram.size", "dram.banks", "dram.row_bytes", "dram.ranks", "dram.channels"},
            fmt::format("dram.size = {} is no whole number of rows in {} banks",
                        format_quantity(dram.bytes, Quantity::kBytes), banks),
            fmt::format("a multiple of {}", format_quantity(rows, Quantity::kBytes))};
    }
    return find_map_problem(config);
}

} // namespace cavern
