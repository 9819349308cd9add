#include "core/alloc/stripe_block.h"

namespace cavern {

void StripeBlock::place(const Lpn* pages, std::size_t count, PlaneId* planes) {
    for (std::size_t i = 0; i < count; ++i) {
        planes[i] = plane_of(pages[i]);
    }
}

// Dies are numbered with the channel varying fastest, as here.
PlaneId StripeBlock::plane_of(Lpn lpn) const {
    // A drive has fewer than 2^32 blocks.
    const auto block = static_cast<std::uint32_t>(raw(geometry_.lbn_of(lpn)));
    const std::uint32_t row = block / geometry_.dies();
    const auto offset = static_cast<std::uint32_t>(raw(lpn) % geometry_.pages_per_block);
    return geometry_.plane(DieId{block % geometry_.dies()},
                           (row + offset) % geometry_.planes_per_die);
}

} // namespace cavern
