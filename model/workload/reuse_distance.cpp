#include "workload/reuse_distance.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace cavern {
namespace {

constexpr std::size_t kFirstPositions = std::size_t{1} << 16;

} // namespace

ReuseDistance::ReuseDistance(std::size_t limit)
    : limit_(limit), last_(kFirstPositions / 4), page_at_(kFirstPositions), live_(kFirstPositions),
      tree_(kFirstPositions + 1) {
    CAVERN_CHECK(limit > 0, "at least one page is followed");
}

std::uint64_t ReuseDistance::hash(std::uint64_t page) {
    std::uint64_t z = page + 0x9E3779B97F4A7C15u; // splitmix64's output function
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

double ReuseDistance::sample_rate() const {
    return std::ldexp(static_cast<double>(threshold_) + 1.0, -64);
}

void ReuseDistance::add(std::size_t position, std::uint32_t change) {
    for (std::size_t i = position + 1; i < tree_.size(); i += i & (~i + 1)) {
        tree_[i] += change;
    }
}

std::uint64_t ReuseDistance::live_up_to(std::size_t position) const {
    std::uint64_t sum = 0;
    for (std::size_t i = position + 1; i > 0; i &= i - 1) {
        sum += tree_[i];
    }
    return sum;
}

void ReuseDistance::record(std::uint64_t distance) {
    const double scaled = static_cast<double>(distance) / sample_rate();
    std::size_t digits = 0;
    for (double power = 1; scaled >= power && digits + 1 < warm_by_log_.size(); power *= 2) {
        ++digits;
    }
    warm_by_log_[digits] += 1 / sample_rate();
    warm_ += 1 / sample_rate();
}

void ReuseDistance::append(std::uint64_t page) {
    page_at_[next_] = page;
    live_[next_] = true;
    last_.set(page, static_cast<std::uint32_t>(next_));
    add(next_, 1);
    ++next_;
}

void ReuseDistance::access(std::uint64_t page) {
    ++seen_;
    if (hash(page) > threshold_) {
        return;
    }
    if (next_ == page_at_.size()) {
        compact();
    }
    const std::uint32_t before = last_.find(page);
    if (before == FlatMap::kNone) {
        cold_ += 1 / sample_rate();
        append(page);
        if (last_.size() > limit_) {
            thin_out();
        }
        return;
    }
    record(last_.size() - live_up_to(before));
    live_[before] = false;
    add(before, ~std::uint32_t{0}); // -1
    append(page);
}

/// Gives the live positions new numbers from 0, in their order, and room for as many again.
void ReuseDistance::compact() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < next_; ++i) {
        if (live_[i]) {
            page_at_[kept] = page_at_[i];
            last_.set(page_at_[kept], static_cast<std::uint32_t>(kept));
            ++kept;
        }
    }
    const std::size_t positions = std::max(kFirstPositions, 4 * kept);
    page_at_.resize(positions);
    live_.assign(positions, false);
    std::fill_n(live_.begin(), kept, true);
    tree_.assign(positions + 1, 0);
    for (std::size_t i = 1; i <= positions; ++i) {
        tree_[i] += i <= kept ? 1u : 0u;
        const std::size_t above = i + (i & (~i + 1));
        if (above <= positions) {
            tree_[above] += tree_[i];
        }
    }
    next_ = kept;
}

void ReuseDistance::thin_out() {
    threshold_ /= 2;
    for (std::size_t i = 0; i < next_; ++i) {
        if (live_[i] && hash(page_at_[i]) > threshold_) {
            live_[i] = false;
            static_cast<void>(last_.erase(page_at_[i]));
        }
    }
    compact();
}

double ReuseDistance::hit_ratio(unsigned k) const {
    if (accesses() == 0) {
        return 0;
    }
    double hits = sample_rate() < 1 ? accesses() - cold_ - warm_ : 0;
    for (unsigned digits = 0; digits <= k && digits < warm_by_log_.size(); ++digits) {
        hits += warm_by_log_[digits];
    }
    return std::clamp(hits / accesses(), 0.0, 1.0);
}

} // namespace cavern
