#pragma once

#include <cstdint>
#include <vector>

namespace cavern {

/// Pool of T addressed by a 32-bit index; a freed index is reused first. T has a member `next`,
/// which the pool uses while an item is free and its owner may use otherwise. Allocates only when
/// the peak number of items grows; references are valid until the next allocate().
template <typename T>
class Slab {
  public:
    static constexpr std::uint32_t kNil = 0xFFFF'FFFFu;

    /// A default-initialised item.
    std::uint32_t allocate() {
        if (free_ == kNil) {
            items_.emplace_back();
            ++used_;
            return static_cast<std::uint32_t>(items_.size() - 1);
        }
        const std::uint32_t index = free_;
        free_ = items_[index].next;
        items_[index] = T{};
        ++used_;
        return index;
    }
    void release(std::uint32_t index) {
        items_[index].next = free_;
        free_ = index;
        --used_;
    }
    [[nodiscard]] T& operator[](std::uint32_t index) { return items_[index]; }
    [[nodiscard]] const T& operator[](std::uint32_t index) const { return items_[index]; }
    [[nodiscard]] std::uint32_t used() const { return used_; }

  private:
    std::vector<T> items_;
    std::uint32_t free_ = kNil;
    std::uint32_t used_ = 0;
};

/// First-in first-out list of slab items linked through `next`.
template <typename T>
class SlabQueue {
  public:
    static constexpr std::uint32_t kNil = Slab<T>::kNil;

    [[nodiscard]] bool empty() const { return head_ == kNil; }
    [[nodiscard]] std::uint32_t front() const { return head_; }
    void push(Slab<T>& slab, std::uint32_t index) {
        slab[index].next = kNil;
        if (head_ == kNil) {
            head_ = index;
        } else {
            slab[tail_].next = index;
        }
        tail_ = index;
    }
    std::uint32_t pop(Slab<T>& slab) {
        const std::uint32_t index = head_;
        head_ = slab[index].next;
        return index;
    }

  private:
    std::uint32_t head_ = kNil;
    std::uint32_t tail_ = kNil;
};

} // namespace cavern
