#include "core/buffer/size_buckets.h"

#include "core/base/check.h"

namespace cavern {

void SizeBuckets::push_newest(std::uint32_t item, std::uint32_t size) {
    CAVERN_CHECK(size != 0, "an empty block is put among those to evict");
    lists_.push_newest(size, item);
    occupied_[size / 64] |= std::uint64_t{1} << (size % 64);
    ++count_;
}

void SizeBuckets::remove(std::uint32_t item) {
    const std::uint32_t size = lists_.list_of(item);
    lists_.remove(item);
    if (lists_.size(size) == 0) {
        occupied_[size / 64] &= ~(std::uint64_t{1} << (size % 64));
    }
    --count_;
}

std::uint32_t SizeBuckets::largest_up_to(std::uint32_t size) const {
    std::uint32_t word = size / 64;
    std::uint64_t bits = occupied_[word] & (~std::uint64_t{0} >> (63 - size % 64));
    while (bits == 0) {
        if (word == 0) {
            return 0;
        }
        bits = occupied_[--word];
    }
    return word * 64 + 63 - static_cast<std::uint32_t>(__builtin_clzll(bits));
}

} // namespace cavern
