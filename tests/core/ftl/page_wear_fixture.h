#pragma once

#include <cstdint>

#include "core/ftl/page_ftl.h"
#include "tests/core/ftl/flash_op_text.h"

namespace cavern {

/// Brings an FTL into the state of an example.
struct FlashSpaceProbe {
    static FreePool& pool(FlashSpace& s) { return s.pool_; }
};
struct PageFtlProbe {
    static void set_erases(PageFtl& f, BlockId block, std::uint32_t erases) {
        f.space_.block(block).erases = erases;
        f.space_.wear()->on_erase(PlaneId{0}, erases);
    }
    static BlockId take(PageFtl& f) { return FlashSpaceProbe::pool(f.space_).take(PlaneId{0}); }
    static void give_back(PageFtl& f, BlockId block) {
        FlashSpaceProbe::pool(f.space_).give_back(block);
    }
    static void level(PageFtl& f, FlashOpList& ops) { f.collector_.level(PlaneId{0}, ops); }
    static void retire_silently(PageFtl& f, BlockId block) {
        f.space_.block(block).use = BlockUse::kBad;
    }
};

namespace testing {

inline FtlParams params_of(double overprovision, WearLeveling wear = WearLeveling::kNone,
                           std::uint32_t threshold = 100) {
    FtlParams params;
    params.overprovision = overprovision;
    params.wear_leveling = wear;
    params.wear_threshold = threshold;
    return params;
}

inline FlashOpList write(PageFtl& ftl, std::uint64_t lpn) {
    FlashOpList ops;
    ftl.write(Lpn{lpn}, PlaneId{0}, ops);
    return ops;
}

} // namespace testing
} // namespace cavern
