#pragma once

#include <cstdint>
#include <utility>

#include "core/ftl/block_log_ftl.h"

namespace cavern {

/// Damages a layer, for the tests that expect the damage to be found.
struct BlockLogFtlProbe {
    static void map(BlockLogFtl& f, Lpn lpn) { f.mapped().insert(raw(lpn)); }
    static void swap_data(BlockLogFtl& f, std::uint32_t a, std::uint32_t b) {
        std::swap(f.data_[a], f.data_[b]);
    }
    static void share_data(BlockLogFtl& f, std::uint32_t a, std::uint32_t b) {
        f.data_[a] = f.data_[b];
    }
    static void drop_from_log(BlockLogFtl& f, std::uint32_t unit, std::uint32_t offset) {
        f.logs_.drop(f.log_of(unit), offset);
    }
    static void append_twice(BlockLogFtl& f, std::uint32_t unit, std::uint32_t offset) {
        f.logs_.append(f.log_of(unit), offset, 0);
    }
    static void forget_log(BlockLogFtl& f, std::uint32_t unit) { f.log_of_[unit] = 0; }
    static void leak(BlockLogFtl& f, PlaneId plane) { (void)f.store().take(plane); }
    static void free_in_use(BlockLogFtl& f, std::uint32_t unit) {
        FlashOpList ops;
        f.store().erase(f.data_block(unit, 0), FlashOp::kNone, ops);
    }
    static void miscount(BlockLogFtl& f, PlaneId plane) { ++f.placed_[raw(plane)]; }
    static void miscount_away(BlockLogFtl& f) { ++f.logs_away_; }
    static void swap_logs(BlockLogFtl& f, std::uint32_t a, std::uint32_t b) {
        const BlockId block = f.logs_.block(f.log_of(a), 0);
        f.logs_.set_block(f.log_of(a), 0, f.logs_.block(f.log_of(b), 0));
        f.logs_.set_block(f.log_of(b), 0, block);
    }
};

} // namespace cavern
