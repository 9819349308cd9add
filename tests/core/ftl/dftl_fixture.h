#pragma once

#include <string>
#include <vector>

#include "core/ftl/dftl.h"

namespace cavern::testing {

using Lines = std::vector<std::string>;

/// Translation pages of `entries` entries.
inline Geometry with_entries(Geometry geometry, std::uint32_t entries) {
    geometry.page_bytes = 4 * entries;
    return geometry;
}

inline FtlParams params_of(double overprovision, std::uint32_t cache, bool shim = false) {
    FtlParams params;
    params.overprovision = overprovision;
    DftlParams own;
    own.entries = cache;
    own.write_shim = shim;
    params.own = own;
    return params;
}

inline FlashOpList write(Dftl& ftl, std::uint64_t lpn) {
    FlashOpList ops;
    ftl.write(Lpn{lpn}, PlaneId{0}, ops);
    return ops;
}

inline FlashOpList read(Dftl& ftl, std::uint64_t lpn) {
    FlashOpList ops;
    (void)ftl.read(Lpn{lpn}, ops);
    return ops;
}

/// As flash_op_text.h, but without places: "read map 16 after 0".
inline std::string brief(const FlashOp& op) {
    const char* kinds[] = {"read", "program", "erase"};
    std::string text = kinds[static_cast<int>(op.kind)];
    text += op.origin == Origin::kGc        ? " gc"
            : op.origin == Origin::kHost    ? " host"
            : op.origin == Origin::kMapping ? " map"
                                            : " ?";
    text += op.lpn == kNoLpn ? "" : " " + std::to_string(raw(op.lpn));
    text += op.after == FlashOp::kNone ? "" : " after " + std::to_string(op.after);
    return text + (op.copies ? " copies" : "");
}

inline Lines brief(const FlashOpList& ops) {
    Lines text;
    for (const FlashOp& op : ops) {
        text.push_back(brief(op));
    }
    return text;
}

/// Pages and state of the cache, in the order they would leave: "9 clean".
inline Lines cached(const Dftl& ftl) {
    Lines lines;
    const MappingCache& cache = ftl.cache();
    for (std::uint32_t e = cache.victim(); e != MappingCache::kNone; e = cache.after(e)) {
        lines.push_back(std::to_string(raw(cache.lpn(e))) +
                        (cache.is_dirty(e) ? " dirty" : " clean"));
    }
    return lines;
}

} // namespace cavern::testing
