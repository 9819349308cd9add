#include "firmware/lookup/cost/look_up_cost.h"

#include <algorithm>

#include "core/base/check.h"

namespace cavern {
namespace {

constexpr std::uint32_t kPagesPerBlock = 256;
constexpr std::uint32_t kLowWatermark = 256;
constexpr std::uint32_t kHighWatermark = 512;
/// The watermark and two blocks less than the map word can name, in whole blocks.
constexpr std::uint64_t kMostLookUpPages = 33'553'000;
static_assert(kMostLookUpPages + kHighWatermark + 3 * kPagesPerBlock <= kMapMostPages);

const look_up* look_up_of(const LookUpCycles& cycles) {
    for (std::uint32_t i = 0; i < kLookUpCount; ++i) {
        if (cycles.look_up == kLookUps[i]->name) {
            return kLookUps[i];
        }
    }
    return nullptr;
}

/// The cache's own flash keeps its map and nothing else that matters here: it has a quarter more
/// pages than are written, where the map word has room for their numbers, so that its collection
/// moves little.
ftl_cache_settings settings_of(const LookUpCost::Params& params) {
    const std::uint64_t pages = params.logical_pages;
    const std::uint64_t least = (pages + kHighWatermark + 3 * kPagesPerBlock - 1) / kPagesPerBlock;
    const std::uint64_t most = kMapMostPages / kPagesPerBlock;
    const std::uint64_t roomy = std::max(least, pages / kPagesPerBlock * 5 / 4);
    ftl_cache_settings settings{};
    settings.logical_pages = static_cast<std::uint32_t>(pages);
    settings.frames = params.frames;
    settings.groups = params.cycles->groups;
    settings.order = kLeastOrder;
    settings.blocks = static_cast<std::uint32_t>(std::min(roomy, most));
    settings.pages_per_block = kPagesPerBlock;
    settings.low_watermark = kLowWatermark;
    settings.high_watermark = kHighWatermark;
    settings.seed = 1;
    return settings;
}

} // namespace

const char* LookUpCost::why_not(const Params& params) {
    if (params.logical_pages > kMostLookUpPages) {
        return "the drive must have at most 33553000 pages: the map entry has 25 bits for them";
    }
    const ftl_cache_settings settings = settings_of(params);
    return ftl_cache_refuses(&settings, look_up_of(*params.cycles));
}

LookUpCost::LookUpCost(const Params& params) : cycles_(*params.cycles) {
    CAVERN_CHECK(why_not(params) == nullptr, "the firmware's cache takes its settings");
    const ftl_cache_settings settings = settings_of(params);
    const look_up* const how = look_up_of(cycles_);
    memory_.resize(ftl_cache_bytes(&settings, how) / sizeof(std::uint64_t) + 1);
    arena room{reinterpret_cast<std::uint8_t*>(memory_.data()),
               memory_.size() * sizeof(std::uint64_t), 0};
    CAVERN_CHECK(ftl_cache_start(&cache_, &room, &settings, how),
                 "the firmware's cache has the memory that it asked for");
}

void LookUpCost::prewrite(std::uint64_t page) {
    ftl_cache_prewrite(&cache_, static_cast<std::uint32_t>(page));
}

double LookUpCost::access(std::uint64_t page, bool writes) {
    const ftl_cache_counts before = cache_.counts;
    const look_up_cost spent = cache_.cost;
    const auto lpn = static_cast<std::uint32_t>(page);
    if (writes) {
        ftl_cache_write(&cache_, lpn);
    } else {
        ftl_cache_read(&cache_, lpn);
    }
    const ftl_cache_counts& now = cache_.counts;
    if (now.unwritten_reads != before.unwritten_reads) {
        return 0;
    }
    AccessEnd end = AccessEnd::kMiss;
    if (now.read_hits + now.write_hits != before.read_hits + before.write_hits) {
        end = AccessEnd::kHit;
    } else if (now.flushes != before.flushes) {
        end = AccessEnd::kDirtyMiss;
    }
    const bool searched = cache_.cost.look_ups != spent.look_ups;
    return (searched ? cycles_.of_find(cache_.cost.compares - spent.compares) : 0.0) +
           cycles_.of_rest(writes, end);
}

} // namespace cavern
