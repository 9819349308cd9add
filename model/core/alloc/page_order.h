#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/alloc/allocator.h"
#include "core/base/divisor.h"
#include "core/base/geometry.h"

namespace cavern {

class StateArchive;

/// Static placement by logical page number, in one of the 24 orders of channel (c), way (w), die in
/// the way (d) and plane (p), as MQSim offers them. The first letter varies fastest: "cwdp" is page
/// striping. Planes get equal shares, to a page. O(1), no state.
class PageOrder final : public AllocatorIf {
  public:
    /// `order`: a permutation of "cwdp".
    PageOrder(const Geometry& geometry, std::string_view order);

    void place(const Lpn* pages, std::size_t count, PlaneId* planes) override;
    [[nodiscard]] PlaneId plane_of(Lpn lpn) const;
    [[nodiscard]] std::optional<DieId> destination(Lpn lpn) const override {
        return DieId{raw(plane_of(lpn)) / planes_per_die_};
    }
    void serialize(StateArchive&) override {}

  private:
    struct Digit {
        Digit(std::uint32_t count, std::uint32_t planes)
            : size(count), by_size(count), stride(planes) {}
        std::uint32_t size; ///< how many channels, ways, dies or planes
        Divisor by_size;
        std::uint32_t stride; ///< planes between one of them and the next
    };
    std::uint32_t planes_per_die_;
    std::vector<Digit> digits_; ///< of more than one, fastest first
};

} // namespace cavern
