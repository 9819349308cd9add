#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace cavern {

class StateArchive;

/// Hash map from a 64-bit key to a 32-bit value for the request path: open addressing with linear
/// probing and backward-shift deletion, no allocation after construction while the number of
/// entries stays at or below the capacity given. Grows (allocates) beyond it. Iteration is not
/// offered: its order would depend on the hash.
class FlatMap {
  public:
    static constexpr std::uint32_t kNone = 0xFFFF'FFFFu;

    explicit FlatMap(std::size_t capacity) { rebuild(slots_for(capacity)); }

    [[nodiscard]] std::size_t size() const { return size_; }

    /// Value of `key`, or kNone.
    [[nodiscard]] std::uint32_t find(std::uint64_t key) const {
        for (std::size_t i = home(key);; i = (i + 1) & mask_) {
            const Slot& slot = slots_[i];
            if (slot.value == kNone) {
                return kNone;
            }
            if (slot.key == key) {
                return slot.value;
            }
        }
    }

    /// Inserts or replaces. `value` must not be kNone.
    void set(std::uint64_t key, std::uint32_t value) {
        if ((size_ + 1) * 4 > slots_.size() * 3) {
            grow();
        }
        for (std::size_t i = home(key);; i = (i + 1) & mask_) {
            Slot& slot = slots_[i];
            if (slot.value == kNone) {
                slot = {key, value};
                ++size_;
                return;
            }
            if (slot.key == key) {
                slot.value = value;
                return;
            }
        }
    }

    /// Removes `key`; returns whether it was there.
    bool erase(std::uint64_t key) {
        std::size_t i = home(key);
        while (slots_[i].value != kNone && slots_[i].key != key) {
            i = (i + 1) & mask_;
        }
        if (slots_[i].value == kNone) {
            return false;
        }
        std::size_t hole = i;
        for (std::size_t j = (i + 1) & mask_; slots_[j].value != kNone; j = (j + 1) & mask_) {
            // An entry may fill the hole unless its home lies cyclically in (hole, j].
            const std::size_t h = home(slots_[j].key);
            if (((j - h) & mask_) >= ((j - hole) & mask_)) {
                slots_[hole] = slots_[j];
                hole = j;
            }
        }
        slots_[hole].value = kNone;
        --size_;
        return true;
    }
    void serialize(StateArchive& archive);

  private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t value = kNone;
    };

    static std::size_t slots_for(std::size_t capacity) {
        std::size_t slots = 16;
        while (slots * 2 < capacity * 3 + 3) {
            slots *= 2;
        }
        return slots;
    }

    void rebuild(std::size_t slots) {
        slots_.assign(slots, Slot{});
        mask_ = slots - 1;
        shift_ = 64;
        for (; slots > 1; slots /= 2) {
            --shift_;
        }
        size_ = 0;
    }

    void grow() {
        std::vector<Slot> old = std::move(slots_);
        rebuild(old.size() * 2);
        for (const Slot& slot : old) {
            if (slot.value != kNone) {
                set(slot.key, slot.value);
            }
        }
    }

    // Fibonacci hashing: the top bits spread neighbouring keys evenly, whatever the number of
    // slots.
    [[nodiscard]] std::size_t home(std::uint64_t key) const {
        return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> shift_);
    }

    std::vector<Slot> slots_;
    std::size_t mask_ = 0;
    unsigned shift_ = 0; ///< 64 - log2 of the slots
    std::size_t size_ = 0;
};

} // namespace cavern
