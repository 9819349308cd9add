#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <type_traits>

namespace cavern {

/// Where an array will be touched: in runs, or here and there.
enum class Touches : unsigned char { kClustered, kScattered };

/// Fixed array of zero-initialised T whose untouched parts cost no memory: calloc of a large region
/// gives pages of zeros that the operating system backs on first write. Encode "nothing" as zero.
template <typename T>
class LazyArray {
    static_assert(std::is_trivial_v<T>);

  public:
    /// `how` only tells the operating system what to expect.
    explicit LazyArray(std::size_t size, Touches how = Touches::kClustered)
        : data_(static_cast<T*>(std::calloc(size == 0 ? 1 : size, sizeof(T)))), size_(size) {
        if (data_ == nullptr) {
            throw std::bad_alloc{};
        }
        if (how == Touches::kScattered) {
            advise_huge_pages(data_.get(), size * sizeof(T));
        }
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] T& operator[](std::size_t i) { return data_.get()[i]; }
    [[nodiscard]] const T& operator[](std::size_t i) const { return data_.get()[i]; }

  private:
    /// Random accesses to a map of some megabytes miss the TLB more than the cache. A huge page
    /// backs 2 MiB at the first touch, so arrays that may stay mostly untouched, the large ones, go
    /// without.
    static void advise_huge_pages(T* data, std::size_t bytes) {
        constexpr std::size_t kPage = 4096;
        constexpr std::size_t kSmallest = std::size_t{4} << 20;
        constexpr std::size_t kLargest = std::size_t{256} << 20;
        if (bytes < kSmallest || bytes > kLargest) {
            return;
        }
        const std::size_t skip = (kPage - reinterpret_cast<std::uintptr_t>(data) % kPage) % kPage;
        madvise(reinterpret_cast<char*>(data) + skip, (bytes - skip) / kPage * kPage,
                MADV_HUGEPAGE);
    }

    struct Free {
        void operator()(T* data) const { std::free(data); }
    };
    std::unique_ptr<T, Free> data_;
    std::size_t size_;
};

} // namespace cavern
