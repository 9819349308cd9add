#pragma once

#include <cstdint>
#include <vector>

#include "core/base/check.h"

namespace cavern {

/// A submission queue: a ring in host memory (NVM Express Base Specification 1.4, 4.1). The host
/// writes at the tail and tells the controller by a doorbell; the controller fetches from the head
/// up to the tail it was told. One slot stays empty, so that full and empty differ.
class SubmissionQueue {
  public:
    /// Room for `commands` commands.
    explicit SubmissionQueue(std::uint32_t commands) : slots_(commands + 1) {}

    /// Host side.
    void push(std::uint32_t tag) {
        slots_[tail_] = tag;
        tail_ = after(tail_);
        CAVERN_CHECK(tail_ != head_, "no submission queue overflows");
    }
    [[nodiscard]] std::uint32_t tail() const { return tail_; }
    [[nodiscard]] bool rung() const { return rung_ == tail_; }
    void ring() { rung_ = tail_; }

    /// Controller side: a doorbell has come; what can be fetched; fetch.
    void told(std::uint32_t tail) { known_ = tail; }
    [[nodiscard]] std::uint32_t waiting() const {
        const auto size = static_cast<std::uint32_t>(slots_.size());
        return known_ >= head_ ? known_ - head_ : known_ + size - head_;
    }
    std::uint32_t pop() {
        CAVERN_CHECK(head_ != known_, "the controller fetches only what it was told of");
        const std::uint32_t tag = slots_[head_];
        head_ = after(head_);
        return tag;
    }
    [[nodiscard]] bool empty() const { return head_ == tail_; }

  private:
    [[nodiscard]] std::uint32_t after(std::uint32_t slot) const {
        return slot + 1 == slots_.size() ? 0 : slot + 1;
    }

    std::vector<std::uint32_t> slots_;
    std::uint32_t tail_ = 0;  ///< where the host writes next
    std::uint32_t rung_ = 0;  ///< tail of the latest doorbell on its way
    std::uint32_t known_ = 0; ///< tail the controller was told
    std::uint32_t head_ = 0;  ///< what the controller fetches next
};

/// A completion queue and its interrupt (4.1, 5.21.1.8). The controller posts entries; an interrupt
/// goes out when `threshold` entries await one, or `time` after the first of them. The host takes
/// all entries that are there. With the threshold 1 every entry has its interrupt.
class CompletionQueue {
  public:
    enum class Signal : std::uint8_t { kNothing, kInterrupt, kTimer };

    CompletionQueue(std::uint32_t commands, std::uint32_t threshold) : threshold_(threshold) {
        posted_.reserve(commands);
        taken_.reserve(commands);
    }

    /// An entry has reached host memory. kTimer: the aggregation time begins.
    Signal post(std::uint32_t tag) {
        CAVERN_CHECK(posted_.size() < posted_.capacity(), "no completion queue overflows");
        posted_.push_back(tag);
        if (++unsignalled_ >= threshold_) {
            signal();
            return Signal::kInterrupt;
        }
        return unsignalled_ == 1 ? Signal::kTimer : Signal::kNothing;
    }
    /// Number of the aggregation that runs: a timer names it, and is void when it has changed.
    [[nodiscard]] std::uint32_t aggregation() const { return aggregation_; }
    /// The time of that aggregation is over. Returns whether an interrupt goes out.
    [[nodiscard]] bool time_over(std::uint32_t aggregation) {
        if (aggregation != aggregation_ || unsignalled_ == 0) {
            return false;
        }
        signal();
        return true;
    }
    /// The host takes what is there; valid until it takes again.
    const std::vector<std::uint32_t>& take() {
        taken_.swap(posted_);
        posted_.clear();
        return taken_;
    }
    [[nodiscard]] bool empty() const { return posted_.empty(); }

  private:
    void signal() {
        unsignalled_ = 0;
        aggregation_ = (aggregation_ + 1) & 0xFFFF;
    }

    std::uint32_t threshold_;
    std::vector<std::uint32_t> posted_;
    std::vector<std::uint32_t> taken_;
    std::uint32_t unsignalled_ = 0;
    std::uint32_t aggregation_ = 0;
};

} // namespace cavern
