#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <type_traits>

namespace cavern {

/// Where an array will be touched: in runs, or here and there.
enum class Touches : unsigned char { kClustered, kScattered };

/// Fixed array of zero-initialised T whose untouched parts cost no memory: calloc of a large region
/// gives pages of zeros that the operating system backs on first write. Encode "nothing" as zero.
/// A very large one may exceed what the machine has, which calloc would be refused: it is mapped
/// without a reservation.
template <typename T>
class LazyArray {
    static_assert(std::is_trivial_v<T>);

  public:
    /// `how` only tells the operating system what to expect.
    explicit LazyArray(std::size_t size, Touches how = Touches::kClustered)
        : data_(allocate(size), Free{size * sizeof(T)}), size_(size) {
        if (data_ == nullptr) {
            throw std::bad_alloc{};
        }
        if (how == Touches::kScattered) {
            advise_huge_pages(data_.get(), size * sizeof(T));
        }
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    /// All zero again; large parts of it give their memory back.
    void clear();
    [[nodiscard]] T& operator[](std::size_t i) { return data_.get()[i]; }
    [[nodiscard]] const T& operator[](std::size_t i) const { return data_.get()[i]; }

  private:
    static constexpr std::size_t kMapped = std::size_t{1} << 32; ///< bytes; from here on mmap

    static T* allocate(std::size_t size) {
        if (size * sizeof(T) < kMapped) {
            return static_cast<T*>(std::calloc(size == 0 ? 1 : size, sizeof(T)));
        }
        void* data = mmap(nullptr, size * sizeof(T), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        return data == MAP_FAILED ? nullptr : static_cast<T*>(data);
    }

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
        std::size_t bytes = 0;
        void operator()(T* data) const {
            if (bytes < kMapped) {
                std::free(data);
            } else {
                munmap(data, bytes);
            }
        }
    };
    std::unique_ptr<T, Free> data_;
    std::size_t size_;
};

template <typename T>
void LazyArray<T>::clear() {
    constexpr std::uintptr_t kPage = 4096;
    const auto begin = reinterpret_cast<std::uintptr_t>(data_.get());
    const std::uintptr_t end = begin + size_ * sizeof(T);
    const std::uintptr_t first = (begin + kPage - 1) / kPage * kPage;
    const std::uintptr_t last = end / kPage * kPage;
    if (first >= last ||
        madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED) != 0) {
        std::memset(data_.get(), 0, end - begin);
        return;
    }
    std::memset(data_.get(), 0, first - begin);
    std::memset(reinterpret_cast<void*>(last), 0, end - last);
}

} // namespace cavern
