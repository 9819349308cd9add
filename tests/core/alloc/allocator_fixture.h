#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "core/alloc/allocator.h"

namespace cavern::testing {

/// Planes have room unless listed.
class Space final : public SpaceIf {
  public:
    [[nodiscard]] bool has_room(PlaneId plane, Lpn) const override {
        return full.count(plane) == 0;
    }
    std::set<PlaneId> full;
};

inline std::vector<PlaneId> place(AllocatorIf& allocator, const std::vector<std::uint64_t>& lpns) {
    std::vector<Lpn> pages;
    for (const std::uint64_t lpn : lpns) {
        pages.push_back(Lpn{lpn});
    }
    std::vector<PlaneId> planes(pages.size());
    allocator.place(pages.data(), pages.size(), planes.data());
    return planes;
}

} // namespace cavern::testing
