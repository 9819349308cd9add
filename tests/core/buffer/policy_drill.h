#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/buffer/eviction_policy.h"
#include "tests/core/buffer/naive_policy.h"

namespace cavern::testing {

struct DrillOptions {
    std::uint32_t capacity = 37;
    std::uint32_t pages_per_block = 4;
    int steps = 250'000;
    bool cache_reads = false; ///< pages read are inserted too
    bool pins = false;        ///< some units are pinned now and then
    std::uint32_t batch = 1;  ///< victims of a full buffer: 1 .. batch, as chance has it
    std::uint64_t seed = 1;
    std::function<void(Random&)> world; ///< changes what else the policy looks at; once a step
};

/// Drives a policy as a write buffer does, with random writes, reads, TRIMs, pins and evictions,
/// beside its naive twin.
class PolicyDrill {
  public:
    PolicyDrill(EvictionPolicyIf& policy, NaivePolicy& naive, DrillOptions options)
        : policy_(policy), naive_(naive), options_(std::move(options)), random_(options_.seed),
          lpn_of_(options_.capacity, kNoLpn), frame_of_(footprint(), kNoFrame) {
        for (std::uint32_t i = options_.capacity; i-- > 0;) {
            free_.push_back(FrameId{i});
        }
    }

    /// Where the two differ first; empty if nowhere. Once for each drill.
    std::string first_difference() {
        for (int step = 0; step < options_.steps && difference_.empty(); ++step) {
            if (options_.world) {
                options_.world(random_);
            }
            advance();
            if (!difference_.empty()) {
                return difference_ + " at step " + std::to_string(step);
            }
        }
        while (difference_.empty() && used() != 0) {
            evict(1);
        }
        return difference_;
    }

    /// Victims so far, and those of them that were taken though pinned.
    [[nodiscard]] int victims() const { return victims_; }
    [[nodiscard]] int pinned_victims() const { return pinned_victims_; }

  private:
    [[nodiscard]] std::uint64_t footprint() const { return options_.capacity * 3ull; }
    [[nodiscard]] std::size_t used() const { return options_.capacity - free_.size(); }
    [[nodiscard]] std::uint64_t unit_of(std::uint64_t lpn) const {
        return policy_.evicts_blocks() ? lpn / options_.pages_per_block : lpn;
    }

    void advance() {
        const std::uint64_t what = random_.below(1000);
        if (what < 120 && options_.pins) {
            change_pins(what < 70);
        } else if (what < 150) {
            trim(random_.below(footprint()));
        } else if (what < 170) {
            evict(1 + static_cast<std::uint32_t>(random_.below(options_.batch)));
        } else {
            // A run of ascending pages now and then; a third of the pages gets half of the
            // accesses.
            if (random_.below(3) != 0) {
                lpn_ = random_.below(random_.below(2) != 0 ? footprint() / 3 : footprint());
            } else {
                lpn_ = (lpn_ + 1) % footprint();
            }
            access(lpn_, random_.below(10) < (options_.cache_reads ? 5 : 8));
        }
    }

    void access(std::uint64_t lpn, bool write) {
        const Access kind = write ? Access::kWrite : Access::kRead;
        if (frame_of_[lpn] != kNoFrame) {
            policy_.on_hit(frame_of_[lpn], Lpn{lpn}, kind);
            naive_.hit(lpn, write);
            return;
        }
        if (!write && !options_.cache_reads) {
            return;
        }
        policy_.on_miss(Lpn{lpn});
        naive_.miss(lpn);
        if (free_.empty()) {
            evict(1 + static_cast<std::uint32_t>(random_.below(options_.batch)));
            if (!difference_.empty()) {
                return;
            }
        }
        const FrameId frame = free_.back();
        free_.pop_back();
        lpn_of_[raw(frame)] = Lpn{lpn};
        frame_of_[lpn] = frame;
        policy_.on_insert(frame, Lpn{lpn}, kind);
        naive_.insert(lpn, write);
    }

    void trim(std::uint64_t lpn) {
        if (frame_of_[lpn] != kNoFrame) {
            policy_.remove(frame_of_[lpn], Lpn{lpn});
            naive_.remove(lpn);
            release(lpn);
        }
    }

    void change_pins(bool more) {
        if (more && pinned_.size() < options_.capacity) {
            const std::uint64_t lpn = random_.below(footprint());
            if (frame_of_[lpn] != kNoFrame) {
                pins_.pin(unit_of(lpn));
                pinned_.push_back(unit_of(lpn));
            }
        } else if (!more && !pinned_.empty()) {
            const auto at = static_cast<std::ptrdiff_t>(random_.below(pinned_.size()));
            pins_.unpin(pinned_[static_cast<std::size_t>(at)]);
            pinned_.erase(pinned_.begin() + at);
        }
    }

    void evict(std::uint32_t units) {
        const bool any = used() != 0;
        policy_.on_batch(units);
        naive_.batch(units);
        std::uint32_t left = 0;
        while (left < units && evict_one()) {
            ++left;
        }
        if (any && left == 0 && difference_.empty()) {
            difference_ = "nothing leaves a buffer that holds pages";
        }
    }

    /// False when there is none, or a difference.
    bool evict_one() {
        static const Pins kNothingPinned;
        popped_.clear();
        const IsPinned pinned = [this](std::uint64_t unit) {
            return std::find(pinned_.begin(), pinned_.end(), unit) != pinned_.end();
        };
        bool found = policy_.pop_victim(popped_, pins_);
        Pages expected = naive_.victim(pinned);
        if (!found && expected.empty() && !pinned_.empty()) {
            found = policy_.pop_victim(popped_, kNothingPinned);
            expected = naive_.victim([](std::uint64_t) { return false; });
            pinned_victims_ += found ? 1 : 0;
        }
        Pages pages;
        for (const FrameId frame : popped_) {
            if (lpn_of_[raw(frame)] == kNoLpn) {
                difference_ = "the victim was not resident";
                return false;
            }
            pages.push_back(raw(lpn_of_[raw(frame)]));
        }
        if (pages != expected || found == expected.empty()) {
            difference_ = "pages " + text(pages) + " leave, not " + text(expected);
            return false;
        }
        if (!found) {
            return false;
        }
        ++victims_;
        const std::uint64_t unit = unit_of(pages.front());
        pins_.drop(unit);
        pinned_.erase(std::remove(pinned_.begin(), pinned_.end(), unit), pinned_.end());
        for (const std::uint64_t lpn : pages) {
            release(lpn);
        }
        return true;
    }

    void release(std::uint64_t lpn) {
        free_.push_back(frame_of_[lpn]);
        lpn_of_[raw(frame_of_[lpn])] = kNoLpn;
        frame_of_[lpn] = kNoFrame;
    }

    static std::string text(const Pages& pages) {
        std::string all = "[";
        for (const std::uint64_t lpn : pages) {
            all += " " + std::to_string(lpn);
        }
        return all + " ]";
    }

    EvictionPolicyIf& policy_;
    NaivePolicy& naive_;
    DrillOptions options_;
    Random random_;
    std::uint64_t lpn_ = 0;
    std::vector<Lpn> lpn_of_;       ///< per frame
    std::vector<FrameId> frame_of_; ///< per page
    std::vector<FrameId> free_;
    Pins pins_;
    std::vector<std::uint64_t> pinned_; ///< a unit as often as it is pinned
    std::vector<FrameId> popped_;
    std::string difference_;
    int victims_ = 0;
    int pinned_victims_ = 0;
};

/// The drills that make up a million steps of a policy: a buffer of one page, of few, of more, with
/// batches, with pins, with large blocks. `make` and `make_naive` take the options.
template <typename Make, typename MakeNaive>
std::string first_difference_in_a_million_steps(bool cache_reads, Make make, MakeNaive make_naive) {
    std::vector<DrillOptions> drills(6);
    drills[0].capacity = 1;
    drills[0].steps = 50'000;
    drills[1].capacity = 5;
    drills[1].pins = true;
    drills[2].capacity = 37;
    drills[3].capacity = 60;
    drills[3].batch = 5;
    drills[4].capacity = 40;
    drills[4].batch = 3;
    drills[4].pins = true;
    drills[4].pages_per_block = 8;
    drills[5].capacity = 300;
    drills[5].steps = 50'000;
    drills[5].pages_per_block = 150;
    std::uint64_t seed = 1;
    for (DrillOptions& options : drills) {
        options.cache_reads = cache_reads;
        options.seed = seed++;
        auto policy = make(options);
        auto naive = make_naive(options);
        PolicyDrill drill(*policy, *naive, options);
        const std::string difference = drill.first_difference();
        if (!difference.empty()) {
            return "drill " + std::to_string(options.seed) + ": " + difference;
        }
        if (drill.victims() < options.steps / 100) {
            return "drill " + std::to_string(options.seed) + " evicts too little to show anything";
        }
        if (options.capacity == 5 && drill.pinned_victims() == 0) {
            return "drill " + std::to_string(options.seed) + " never finds every unit pinned";
        }
    }
    return {};
}

} // namespace cavern::testing
