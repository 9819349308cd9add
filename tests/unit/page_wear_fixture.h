#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/ftl/page_ftl.h"

namespace cavern {

/// Brings an FTL into the state of an example.
struct PageFtlProbe {
    static void set_erases(PageFtl& f, BlockId block, std::uint32_t erases) {
        f.blocks_[raw(block)].erases = erases;
        PageFtl::Wear& wear = f.planes_[0].wear;
        wear.most = std::max(wear.most, erases);
    }
    static BlockId take(PageFtl& f) { return f.pool_.take(PlaneId{0}); }
    static void give_back(PageFtl& f, BlockId block) { f.pool_.give_back(block); }
    static void level(PageFtl& f, FlashOpList& ops) { f.level(PlaneId{0}, ops); }
    static void retire_silently(PageFtl& f, BlockId block) {
        f.blocks_[raw(block)].use = BlockUse::kBad;
    }
};

namespace testing {

using Lines = std::vector<std::string>;

inline FtlParams params_of(double overprovision, const char* wear = kNoWear,
                           std::uint32_t threshold = 100) {
    FtlParams params;
    params.overprovision = overprovision;
    params.wear_leveling = wear;
    params.wear_threshold = threshold;
    return params;
}

inline Lines text_of(const FlashOpList& ops) {
    const char* kinds[] = {"read", "program", "erase"};
    const char* origins[] = {"host", "gc",       "merge",  "padding", "map",
                             "wear", "recovery", "rescue", "failed"};
    Lines lines;
    for (const FlashOp& op : ops) {
        std::string text = kinds[static_cast<int>(op.kind)];
        text += std::string(" ") + origins[static_cast<int>(op.origin)];
        text += " page " + std::to_string(raw(op.page));
        text += op.lpn == kNoLpn ? "" : " lpn " + std::to_string(raw(op.lpn));
        text += op.after == FlashOp::kNone ? "" : " after " + std::to_string(op.after);
        lines.push_back(text);
    }
    return lines;
}

inline FlashOpList write(PageFtl& ftl, std::uint64_t lpn) {
    FlashOpList ops;
    ftl.write(Lpn{lpn}, PlaneId{0}, ops);
    return ops;
}

} // namespace testing
} // namespace cavern
