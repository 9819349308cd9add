#include <algorithm>

#include "config/rules.h"

namespace cavern {
namespace {

constexpr std::uint64_t kMaxFrames = 0xFFFF'FFFEu; // a FrameId has 32 bits, one value means none

/// NAND pages of a word line, or one.
std::uint64_t program_pages(const DrivePlan& plan) {
    return plan.geometry.word_line_pages;
}

} // namespace

Refused sdram_rules(const DrivePlan& plan) {
    const DramConfig& dram = plan.dram;
    const SdramTiming& t = dram.timing;
    if (Refused refused = find_problem(t)) {
        const std::string key = "dram." + refused->keys.front();
        return Refusal{{key}, key + ": " + refused->what, refused->right};
    }
    const std::uint64_t banks = std::uint64_t{t.banks} * t.ranks * dram.channels;
    const std::uint64_t rows = banks * t.row_bytes;
    return first_broken(
        {{!is_power_of_two(dram.channels),
          {"dram.channels"},
          fmt::format("dram.channels: {} is not a power of two", dram.channels),
          "1, 2, 4, 8 or 16"},
         {!is_power_of_two(dram.stripe_bytes) || dram.stripe_bytes < t.burst_bytes(),
          {"dram.stripe", "dram.bus_bits", "dram.burst_length"},
          fmt::format("dram.stripe = {} with bursts of {}", size_of(dram.stripe_bytes),
                      size_of(t.burst_bytes())),
          "a power of two, at least a burst"},
         {dram.bytes % rows != 0,
          {"dram.size", "dram.banks", "dram.row_bytes", "dram.ranks", "dram.channels"},
          fmt::format("dram.size = {} is no whole number of rows in {} banks", size_of(dram.bytes),
                      banks),
          fmt::format("a multiple of {}", size_of(rows))}});
}

/// The map lies beside all that passes through the SDRAM.
Refused map_traffic_rules(const DrivePlan& plan) {
    if (!plan.dram.map_traffic) {
        return {};
    }
    const std::uint64_t needed =
        plan.buffer.bytes +
        (program_pages(plan) + plan.least_copies()) * plan.nand.geometry.page_bytes +
        plan.map_bytes;
    return first_broken(
        {{plan.ftl.scheme->name != "page",
          {"dram.map_traffic", "ftl.scheme"},
          fmt::format("dram.map_traffic with ftl.scheme = {}, whose map does not lie in the SDRAM "
                      "whole",
                      plan.ftl.scheme->name),
          "ftl.scheme = page, or dram.map_traffic = false"},
         {needed > plan.dram.bytes,
          {"dram.map_traffic", "dram.size", "buffer.size"},
          fmt::format("a map of {} beside a buffer of {} in an SDRAM of {}",
                      size_of(plan.map_bytes), size_of(plan.buffer.bytes),
                      size_of(plan.dram.bytes)),
          fmt::format("dram.size at least {}", size_of(needed))}});
}

/// Write-through needs frames as well: data passes through them.
Refused frame_rules(const DrivePlan& plan) {
    const BufferConfig& b = plan.buffer;
    const std::uint64_t page = plan.geometry.page_bytes;
    const std::uint64_t nand_page = plan.nand.geometry.page_bytes;
    const std::uint64_t lines = program_pages(plan);
    const std::uint64_t copies = plan.least_copies();
    return first_broken(
        {{b.bytes < page || b.bytes % page != 0,
          {"buffer.size", "nand.page_size"},
          fmt::format("buffer.size = {} is no whole number of pages", size_of(b.bytes)),
          fmt::format("a multiple of {}", size_of(page))},
         {b.bytes < lines * nand_page && b.policy == nullptr,
          {"buffer.size", "nand.page_size", "buffer.policy", "nand.one_shot"},
          fmt::format("buffer.size = {} and buffer.policy = none on NAND pages of {}",
                      size_of(b.bytes), size_of(nand_page)),
          lines == 1
              ? "a NAND page at least: its mapping units wait there for each other"
              : fmt::format("{} NAND pages at least: those of a word line wait there for each "
                            "other",
                            lines)},
         {b.bytes / page > kMaxFrames,
          {"buffer.size", "nand.page_size"},
          "the buffer has more than 4294967294 pages",
          "a smaller buffer.size"},
         {b.bytes + (lines + copies) * nand_page > plan.dram.bytes,
          {"buffer.size", "dram.copy_pages", "dram.size", "nand.one_shot"},
          fmt::format("a buffer of {} in an SDRAM of {}", size_of(b.bytes),
                      size_of(plan.dram.bytes)),
          fmt::format("buffer.size at least {} NAND pages below dram.size: {} for pages read, {} "
                      "for copies",
                      lines + copies, lines == 1 ? "one" : std::to_string(lines), copies)}});
}

Refused buffer_rules(const DrivePlan& plan) {
    const BufferConfig& b = plan.buffer;
    if (Refused refused = first_broken({{b.ncq_aware && b.policy == nullptr,
                                         {"buffer.ncq_aware", "buffer.policy"},
                                         "buffer.ncq_aware without a buffer",
                                         "a buffer.policy other than none"},
                                        {b.ncq_aware && b.dispatch == Dispatch::kAtOnce,
                                         {"buffer.ncq_aware", "buffer.dispatch"},
                                         "buffer.ncq_aware where no command ever waits",
                                         "buffer.dispatch = in-turn or auto"}})) {
        return refused;
    }
    if (b.policy == nullptr) {
        return {};
    }
    const auto on_full = std::count_if(b.eviction.begin(), b.eviction.end(),
                                       [](const auto* row) { return row->on_full; });
    if (Refused refused = first_broken(
            {{b.policy->needs_read_cache && !b.cache_reads,
              {"buffer.policy", "buffer.cache_reads"},
              fmt::format("buffer.policy = {} in a buffer without clean pages", b.policy->name),
              "buffer.cache_reads = true"},
             {on_full > 1,
              {"buffer.eviction"},
              "buffer.eviction names two rates of the same moment, a full buffer",
              "one of them"}})) {
        return refused;
    }
    Refused refused = own_parameters("buffer", eviction_trigger_table(), b.trigger_params);
    return refused ? refused : own_parameters("buffer", eviction_policy_table(), b.policy_params);
}

} // namespace cavern
