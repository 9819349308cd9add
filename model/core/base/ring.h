#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace cavern {

/// First-in first-out queue in one array, which doubles when full and never shrinks: no allocation
/// once the longest queue has been seen.
template <typename T>
class Ring {
  public:
    [[nodiscard]] std::size_t size() const { return count_; }
    [[nodiscard]] bool empty() const { return count_ == 0; }
    [[nodiscard]] const T& front() const { return slots_[head_]; }

    /// The element behind `place` others.
    [[nodiscard]] T& operator[](std::size_t place) {
        return slots_[(head_ + place) & (slots_.size() - 1)];
    }

    void push(const T& value) {
        if (count_ == slots_.size()) {
            grow();
        }
        slots_[(head_ + count_) & (slots_.size() - 1)] = value;
        ++count_;
    }

    T pop() {
        T value = slots_[head_];
        head_ = (head_ + 1) & (slots_.size() - 1);
        --count_;
        return value;
    }
    template <typename Archive>
    void serialize(Archive& archive) {
        archive(slots_, head_, count_);
    }

  private:
    void grow() {
        std::vector<T> larger(slots_.empty() ? 64 : slots_.size() * 2);
        for (std::size_t i = 0; i < count_; ++i) {
            larger[i] = slots_[(head_ + i) & (slots_.size() - 1)];
        }
        slots_ = std::move(larger);
        head_ = 0;
    }

    std::vector<T> slots_;
    std::size_t head_ = 0;
    std::size_t count_ = 0;
};

} // namespace cavern
