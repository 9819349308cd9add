#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/alloc/adaptive.h"
#include "core/alloc/allocator_table.h"
#include "core/buffer/cave_trigger.h"
#include "core/buffer/eviction_policy_table.h"
#include "core/buffer/eviction_trigger_table.h"
#include "core/drive/drive_core.h"
#include "core/drive/page_destination.h"
#include "core/ftl/ftl_table.h"
#include "core/nand/nand_array.h"

namespace cavern::testing {

/// What a small decision core is made of; words as in a configuration.
struct CoreParts {
    Geometry geometry;
    std::uint32_t frames = 8;
    std::string policy = "lru-page"; ///< none: write-through
    std::string eviction = "single"; ///< several: joined by "+"
    std::uint32_t cave_victims = 0;  ///< 0: as many as dies
    std::string allocator = "cwdp";
    RoundRobinMode rr_mode = RoundRobinMode::kFree;
    FtlParams ftl;
    DecisionLogIf* log = nullptr;
    /// Parameters of the triggers but for those above.
    EvictionTriggerParams triggers{eviction_trigger_table()};
    bool read_touch = false;
    bool cache_reads = false;
    bool flush_keep = false;
    bool keeps_sectors = false;
    std::uint32_t read_grain = 0; ///< of DriveCore::track_sectors
};

/// As the allocator sees the drive.
inline Geometry in_nand_pages(const Geometry& units) {
    Geometry pages = units;
    pages.units_per_page = 1;
    pages.pages_per_block /= units.units_per_page;
    pages.page_bytes *= units.units_per_page;
    pages.spare_bytes *= units.units_per_page;
    return pages;
}

inline std::vector<std::string> words_of(const std::string& joined) {
    std::vector<std::string> words;
    std::istringstream text(joined);
    for (std::string word; std::getline(text, word, '+');) {
        words.push_back(word);
    }
    return words;
}

inline std::vector<const EvictionTriggerRow*> triggers_of(const std::string& joined) {
    std::vector<const EvictionTriggerRow*> rows;
    for (const std::string& word : words_of(joined)) {
        rows.push_back(find_eviction_trigger(word));
    }
    return rows;
}

inline std::unique_ptr<FtlIf> make_ftl(const CoreParts& parts) {
    return find_ftl("page")->make(parts.geometry, parts.ftl, parts.log);
}

/// The core around a translation layer, which may be a broken one.
inline std::unique_ptr<DriveCore> make_core(const CoreParts& parts, std::unique_ptr<FtlIf> ftl) {
    auto load = std::make_unique<DieLoad>(parts.geometry.dies());
    const AllocatorRow& row = *find_allocator(parts.allocator);
    std::unique_ptr<AllocatorIf> allocator = row.make(
        {in_nand_pages(parts.geometry), *ftl, load.get(), parts.log},
        row.mode != nullptr ? SchemeParams{BlockRoundRobinParams{parts.rr_mode}} : SchemeParams{});
    auto destination =
        std::make_unique<const PageDestination>(*ftl, *allocator, parts.geometry.units_per_page);
    std::unique_ptr<WriteBuffer> buffer;
    if (parts.policy != "none") {
        EvictionPolicyContext order;
        order.capacity = parts.frames;
        order.geometry = parts.geometry;
        order.load = load.get();
        order.destination = destination.get();
        EvictionTriggerParams triggers = parts.triggers;
        if (parts.cave_victims != 0) {
            triggers[*find_eviction_trigger("cave")] = CaveParams{parts.cave_victims};
        }
        buffer = std::make_unique<WriteBuffer>(
            parts.frames, parts.geometry, find_eviction_policy(parts.policy)->make(order),
            make_eviction_trigger(triggers_of(parts.eviction), {parts.geometry}, triggers),
            parts.read_touch, parts.log, parts.cache_reads, ftl->logical_pages(), parts.flush_keep,
            parts.keeps_sectors);
    }
    auto core = std::make_unique<DriveCore>(
        parts.geometry, std::move(buffer), std::move(allocator), std::move(ftl),
        ArrayTimes{{25 * kUs}, {200 * kUs}, 1500 * kUs, 60 * kUs}, parts.log, std::move(load));
    if (parts.keeps_sectors) {
        core->track_sectors(parts.read_grain);
    }
    core->keep(std::move(destination));
    return core;
}

inline std::unique_ptr<DriveCore> make_core(const CoreParts& parts) {
    return make_core(parts, make_ftl(parts));
}

/// Every mapped page is programmed where the core believes it, with its logical page in the spare
/// area.
inline void expect_array_follows(const DriveCore& core, const NandArray& array) {
    std::uint64_t mapped = 0;
    for (std::uint64_t page = 0; page < core.ftl().logical_pages(); ++page) {
        const Ppn place = core.ftl().location(Lpn{page});
        if (place != kNoPpn) {
            ++mapped;
            ASSERT_TRUE(array.is_programmed(place)) << "logical page " << page;
            ASSERT_EQ(raw(array.stored_lpn(place)), page);
        }
    }
    EXPECT_EQ(mapped, core.ftl().mapped_pages());
}

/// The operations of a batch as letters: reads, programs (M: merged with what flash has), erases.
inline std::string kinds(const Batch& batch) {
    std::string text;
    for (const FlashOp& op : batch.ops) {
        text += op.kind == FlashOpKind::kRead      ? "R"
                : op.kind == FlashOpKind::kProgram ? (op.merges ? "M" : "P")
                                                   : "E";
    }
    return text;
}

} // namespace cavern::testing
