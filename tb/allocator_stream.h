#pragma once

#include <cstdint>

#include "core/base/random.h"
#include "tb/channel_allocator_if.h"

namespace cavern {

/// Random bursts for a channel allocator: mostly of some victims, now and then none or as many as
/// there can be, some asked for while the last one is still going on; channels that are busy for a
/// while, none of them for long stretches, and at times all at once.
class AllocatorStream {
  public:
    AllocatorStream(const AllocatorShape& shape, std::uint64_t seed)
        : random_(seed), shape_(shape) {}

    AllocatorInputs next() {
        const std::uint32_t all = (1u << shape_.channels) - 1;
        if (one_in(200)) {
            calm_ = !calm_;
            busy_ = 0;
        }
        if (!calm_) {
            busy_ ^= one_in(3) ? 1u << below(shape_.channels) : 0;
            busy_ = one_in(50) ? all : one_in(50) ? 0 : busy_;
        }
        const std::uint32_t most = one_in(20) ? shape_.victims : (shape_.victims + 7) / 8;
        const std::uint32_t victims = one_in(40) ? shape_.victims : 1 + below(most);
        return {one_in(2), one_in(20) ? 0 : victims, busy_};
    }

  private:
    std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>(random_.below(bound));
    }
    bool one_in(std::uint32_t n) { return random_.below(n) == 0; }

    Random random_;
    AllocatorShape shape_;
    bool calm_ = true;
    std::uint32_t busy_ = 0;
};

} // namespace cavern
