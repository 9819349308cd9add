#pragma once

#include <cstddef>
#include <optional>

#include "core/alloc/allocator.h"
#include "core/base/geometry.h"

namespace cavern {

class StateArchive;

/// Static placement by logical block: blocks go to channels in turn, then to ways and dies, so that
/// every block has one die for ever. Within it, neighbouring pages lie in neighbouring planes;
/// blocks begin at different ones, so that planes get equal shares. O(1), no state.
class StripeBlock final : public AllocatorIf {
  public:
    explicit StripeBlock(const AllocatorContext& context) : StripeBlock(context.geometry) {}
    explicit StripeBlock(const Geometry& geometry) : geometry_(geometry) {}

    void place(const Lpn* pages, std::size_t count, PlaneId* planes) override;
    [[nodiscard]] PlaneId plane_of(Lpn lpn) const;
    [[nodiscard]] std::optional<DieId> destination(Lpn lpn) const override {
        return geometry_.die_of(plane_of(lpn));
    }
    void serialize(StateArchive&) override {}

  private:
    Geometry geometry_;
};

} // namespace cavern
