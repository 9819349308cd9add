#include "core/alloc/page_order.h"

#include <algorithm>
#include <string>

#include "core/base/check.h"

namespace cavern {

PageOrder::PageOrder(const Geometry& geometry, std::string_view order)
    : planes_per_die_(geometry.planes_per_die) {
    std::string letters(order);
    std::sort(letters.begin(), letters.end());
    CAVERN_CHECK(letters == "cdpw",
                 "the order \"" + std::string(order) + "\" is no permutation of \"cwdp\"");
    // Plane ids count planes within the die fastest, then channels, ways and dies in the way.
    const std::uint32_t per_channel = geometry.planes_per_die;
    const std::uint32_t per_way = per_channel * geometry.channels;
    const std::uint32_t per_die = per_way * geometry.ways;
    for (const char letter : order) {
        const Digit digit = letter == 'c'   ? Digit(geometry.channels, per_channel)
                            : letter == 'w' ? Digit(geometry.ways, per_way)
                            : letter == 'd' ? Digit(geometry.dies_per_way, per_die)
                                            : Digit(geometry.planes_per_die, 1);
        if (digit.size != 1) {
            digits_.push_back(digit);
        }
    }
}

void PageOrder::place(const Lpn* pages, std::size_t count, PlaneId* planes) {
    for (std::size_t i = 0; i < count; ++i) {
        planes[i] = plane_of(pages[i]);
    }
}

PlaneId PageOrder::plane_of(Lpn lpn) const {
    std::uint64_t rest = raw(lpn);
    std::uint32_t plane = 0;
    for (const Digit& digit : digits_) {
        const std::uint64_t quotient = digit.by_size.quotient_above_one(rest);
        plane += static_cast<std::uint32_t>(rest - quotient * digit.size) * digit.stride;
        rest = quotient;
    }
    return PlaneId{plane};
}

} // namespace cavern
