#include "firmware/twin/firmware_params.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/ftl/page_ftl_why_not.h"
#include "core/ftl/victim_policy_table.h"

namespace cavern {

namespace {

Refusal lacks(std::string key, const std::string& what, std::string right) {
    return {{std::move(key)}, "the firmware has no " + what, std::move(right)};
}

constexpr std::uint64_t kMostPages = 0xFFFF'FFFEu;

std::string text(std::string_view words) {
    return std::string(words);
}

Refused buffer_why_not(const FirmwareParams& p) {
    if (p.policy != "none" && p.policy != "lru-page" && p.policy != "lru-block") {
        return lacks("buffer.policy", "buffer.policy = \"" + text(p.policy) + "\"",
                     "lru-page, lru-block or none");
    }
    if (p.policy == "none") {
        return std::nullopt;
    }
    if (p.eviction.size() != 1 || (p.eviction[0] != "single" && p.eviction[0] != "cave")) {
        return lacks("buffer.eviction", "buffer.eviction other than one of single and cave",
                     "one of them");
    }
    if (p.cache_reads) {
        return lacks("buffer.cache_reads", "buffer.cache_reads", "false");
    }
    if (p.flush_keep) {
        return lacks("buffer.flush_keep", "buffer.flush_keep", "false");
    }
    if (p.ncq_aware) {
        return lacks("buffer.ncq_aware", "buffer.ncq_aware", "false");
    }
    return std::nullopt;
}

Refused ftl_why_not(const FirmwareParams& p) {
    const FtlParams& ftl = p.ftl;
    if (p.scheme != "page") {
        return lacks("ftl.scheme", "ftl.scheme = \"" + text(p.scheme) + "\"", "page");
    }
    if (ftl.gc_policy == nullptr || ftl.gc_policy->name != "greedy") {
        return lacks("ftl.gc_policy", "ftl.gc_policy other than greedy", "greedy");
    }
    if (ftl.gc_in_pages) {
        return lacks("ftl.gc_unit", "ftl.gc_unit = \"pages\"", "blocks");
    }
    if (ftl.gc_placement != GcPlacement::kPlane) {
        return lacks("ftl.gc_placement", "ftl.gc_placement other than plane", "plane");
    }
    if (ftl.gc_shared_frontier) {
        return lacks("ftl.gc_shared_frontier", "ftl.gc_shared_frontier", "false");
    }
    if (ftl.hot_cold) {
        return lacks("ftl.hot_cold", "ftl.hot_cold", "false");
    }
    if (ftl.refreshes) {
        return Refusal{
            {"ftl.refresh_reads", "ecc.refresh_errors"}, "blocks that are refreshed", "both 0"};
    }
    if (ftl.wear_leveling != WearLeveling::kNone) {
        return lacks("ftl.wear_leveling", "ftl.wear_leveling", "none");
    }
    if (ftl.faults.any()) {
        return Refusal{
            {"nand.bad_blocks", "nand.program_failures", "nand.erase_failures", "nand.fault_list"},
            "the firmware has no bad blocks or failures",
            "none"};
    }
    if (p.adaptive) {
        return lacks("ftl.partition", "memory divided between buffer and map", "fixed sizes");
    }
    if (p.geometry.word_line_pages != 1) {
        return lacks("nand.one_shot", "nand.one_shot", "false");
    }
    if (p.keeps_sectors || p.geometry.units_per_page != 1) {
        return Refusal{{"ftl.unit", "data.store"},
                       "the firmware has no ftl.unit in bytes and no data.store",
                       "page and none"};
    }
    if (p.geometry.pages() > kMostPages) {
        return Refusal{{},
                       "the firmware has no numbers for more than 2^32 - 2 pages",
                       "fewer or larger pages"};
    }
    return std::nullopt;
}

bool is_page_order(std::string_view name) {
    std::string letters(name);
    std::sort(letters.begin(), letters.end());
    return letters == "cdpw";
}

Refused allocator_why_not(const FirmwareParams& p) {
    if (p.allocator == "block-round-robin" || p.allocator == "stripe-page" ||
        is_page_order(p.allocator)) {
        return std::nullopt;
    }
    return lacks("alloc.scheme", "alloc.scheme = \"" + text(p.allocator) + "\"",
                 "block-round-robin, stripe-page or an order such as cwdp");
}

std::uint32_t policy_of(std::string_view name) {
    return name == "none" ? kDriveNoBuffer : name == "lru-page" ? kDriveLruPage : kDriveLruBlock;
}

/// A page map has no log blocks that could lie on the new die: `gather` is `free` there.
std::uint32_t mode_of(RoundRobinMode mode) {
    return mode == RoundRobinMode::kSticky ? kDriveSticky
           : mode == RoundRobinMode::kMove ? kDriveMove
                                           : kDriveFree;
}

drive_config translated(const FirmwareParams& p) {
    drive_config config{};
    config.channels = p.geometry.channels;
    config.ways = p.geometry.ways;
    config.dies_per_way = p.geometry.dies_per_way;
    config.planes_per_die = p.geometry.planes_per_die;
    config.blocks_per_plane = p.geometry.blocks_per_plane;
    config.pages_per_block = p.geometry.pages_per_block;
    config.logical_pages =
        static_cast<std::uint32_t>(page_ftl_logical_pages(p.geometry, p.ftl.overprovision));
    config.policy = policy_of(p.policy);
    config.frames = p.policy == "none" ? 0 : p.frames;
    config.units_on_full = p.eviction.empty() || p.eviction[0] == "single" ? 1
                           : p.cave_victims != 0                           ? p.cave_victims
                                                                           : p.geometry.dies();
    config.read_touch = p.read_touch ? 1 : 0;
    const bool by_address = p.allocator != "block-round-robin";
    config.allocator = by_address ? kDrivePageOrder : kDriveBlockRoundRobin;
    config.round_robin = mode_of(p.mode);
    const std::string_view order = is_page_order(p.allocator) ? p.allocator : "cwdp";
    std::copy(order.begin(), order.end(), std::begin(config.order));
    config.gc_low = p.ftl.gc_low;
    config.gc_high = p.ftl.gc_high;
    config.gc_pace = p.ftl.gc_pace == GcPace::kPaced ? kDrivePaced : kDriveBurst;
    config.gc_background = p.ftl.gc_background;
    return config;
}

} // namespace

Refused firmware_why_not(const FirmwareParams& params) {
    for (const auto& why_not : {buffer_why_not, ftl_why_not, allocator_why_not}) {
        if (const Refused reason = why_not(params)) {
            return reason;
        }
    }
    const drive_config config = translated(params);
    if (const char* problem = drive_refuses(&config)) {
        return Refusal{
            {}, std::string("the firmware refuses ") + problem, "a smaller or a usual drive"};
    }
    return std::nullopt;
}

drive_config firmware_config(const FirmwareParams& params) {
    const Refused reason = firmware_why_not(params);
    CAVERN_CHECK(!reason, reason->text());
    return translated(params);
}

} // namespace cavern
