#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace cavern {

/// Fixed array of zero-initialised T whose untouched parts cost no memory: calloc of a large region
/// gives pages of zeros that the operating system backs on first write. Encode "nothing" as zero.
template <typename T>
class LazyArray {
    static_assert(std::is_trivial_v<T>);

  public:
    explicit LazyArray(std::size_t size)
        : data_(static_cast<T*>(std::calloc(size == 0 ? 1 : size, sizeof(T)))), size_(size) {
        if (data_ == nullptr) {
            throw std::bad_alloc{};
        }
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] T& operator[](std::size_t i) { return data_.get()[i]; }
    [[nodiscard]] const T& operator[](std::size_t i) const { return data_.get()[i]; }

  private:
    struct Free {
        void operator()(T* data) const { std::free(data); }
    };
    std::unique_ptr<T, Free> data_;
    std::size_t size_;
};

} // namespace cavern
