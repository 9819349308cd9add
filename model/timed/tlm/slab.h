#pragma once

#include <cstdint>
#include <vector>

#include "core/base/strong_id.h"

namespace cavern {

/// The index of no item. Ids are enumerations of 32 bits.
template <typename Id>
inline constexpr Id kNil{0xFFFF'FFFFu};

/// Pool of T addressed by Id, an index of 32 bits; a freed index is reused first. T has a member
/// `next` of type Id, which the pool uses while an item is free and its owner may use otherwise.
/// Allocates only when the peak number of items grows; references are valid until the next
/// allocate().
template <typename T, typename Id>
class Slab {
  public:
    /// A default-initialised item.
    Id allocate() {
        if (free_ == kNil<Id>) {
            items_.emplace_back();
            ++used_;
            return static_cast<Id>(items_.size() - 1);
        }
        const Id index = free_;
        free_ = items_[raw(index)].next;
        items_[raw(index)] = T{};
        ++used_;
        return index;
    }
    void release(Id index) {
        items_[raw(index)].next = free_;
        free_ = index;
        --used_;
    }
    [[nodiscard]] T& operator[](Id index) { return items_[raw(index)]; }
    [[nodiscard]] const T& operator[](Id index) const { return items_[raw(index)]; }
    [[nodiscard]] std::uint32_t used() const { return used_; }

  private:
    std::vector<T> items_;
    Id free_ = kNil<Id>;
    std::uint32_t used_ = 0;
};

/// First-in first-out list of slab items linked through `next`.
template <typename T, typename Id>
class SlabQueue {
  public:
    [[nodiscard]] bool empty() const { return head_ == kNil<Id>; }
    [[nodiscard]] Id front() const { return head_; }
    void push(Slab<T, Id>& slab, Id index) {
        slab[index].next = kNil<Id>;
        if (empty()) {
            head_ = index;
        } else {
            slab[tail_].next = index;
        }
        tail_ = index;
    }
    /// Ahead of the first item that `comes_after`, or last.
    template <typename ComesAfter>
    void insert(Slab<T, Id>& slab, Id index, ComesAfter comes_after) {
        Id before = kNil<Id>;
        Id at = head_;
        while (at != kNil<Id> && !comes_after(slab[at])) {
            before = at;
            at = slab[at].next;
        }
        if (at == kNil<Id>) {
            push(slab, index);
            return;
        }
        slab[index].next = at;
        (before == kNil<Id> ? head_ : slab[before].next) = index;
    }
    Id pop(Slab<T, Id>& slab) {
        const Id index = head_;
        head_ = slab[index].next;
        return index;
    }

  private:
    Id head_ = kNil<Id>;
    Id tail_ = kNil<Id>;
};

} // namespace cavern
