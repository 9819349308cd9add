#include "timed/host/rate_periods.h"

#include <functional>

namespace cavern {

namespace {

/// So many classes reach to that of this latency.
std::size_t classes_to(std::uint64_t latency_ns) {
    return Histogram::bucket_of(latency_ns) / RatePeriods::kBuckets + 1;
}

} // namespace

void RatePeriods::Kind::add(std::uint64_t more, std::uint64_t more_bytes,
                            std::uint64_t more_latency, std::uint64_t their_longest,
                            const std::uint32_t* their_classes) {
    count += more;
    bytes += more_bytes;
    latency += more_latency;
    longest = std::max(longest, their_longest);
    const std::size_t used = classes_to(their_longest);
    classes.resize(std::max(classes.size(), used));
    std::transform(their_classes, their_classes + used, classes.begin(), classes.begin(),
                   std::plus<>());
}

std::uint64_t RatePeriods::Kind::quantile(double q) const {
    const std::uint64_t rank = rank_of(q, count);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < classes.size(); ++i) {
        seen += classes[i];
        if (seen >= rank) {
            return std::min(Histogram::upper_bound_of(i * kBuckets + kBuckets - 1), longest);
        }
    }
    return longest;
}

void RatePeriods::Period::append(const Period& next) {
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
        const Kind& other = next.kinds[kind];
        if (other.count != 0) {
            kinds[kind].add(other.count, other.bytes, other.latency, other.longest,
                            other.classes.data());
        }
    }
    programs += next.programs;
}

void RatePeriods::begin(TimePs at) {
    *this = {};
    begins_ = ends_ = at;
    edge_ = at + length_;
}

/// What has happened since the totals were read last is of the period at hand.
void RatePeriods::collect(const Period& totals) {
    now_.programs += totals.programs - totals_.programs;
    for (std::size_t i = 0; i < kKinds; ++i) {
        const Kind& before = totals_.kinds[i];
        const Kind& after = totals.kinds[i];
        Recent& recent = recent_[i];
        if (after.count != before.count) {
            now_.kinds[i].add(after.count - before.count, after.bytes - before.bytes,
                              after.latency - before.latency, recent.longest,
                              recent.classes.data());
            std::fill_n(recent.classes.begin(), classes_to(recent.longest), 0);
            recent.longest = 0;
        }
    }
    totals_ = totals;
}

void RatePeriods::close(TimePs now, const Period& totals) {
    collect(totals);
    while (is_over(now)) {
        if (!periods_.take(now_)) {
            length_ *= 2;
        }
        edge_ = begins_ + (periods_.all().size() + 1) * length_;
    }
}

RatePeriods RatePeriods::ended(TimePs end, const Period& totals) const {
    RatePeriods all = *this;
    if (edge_ != kNever) {
        all.collect(totals);
        all.ends_ = std::max(end, begins_ + all.all().size() * all.length_);
        if (!all.periods_.take(all.now_)) {
            all.length_ *= 2;
            static_cast<void>(all.periods_.take(all.now_));
        }
    }
    return all;
}

} // namespace cavern
