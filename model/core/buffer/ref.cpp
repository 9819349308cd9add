#include "core/buffer/ref.h"

#include <algorithm>
#include <array>

namespace cavern {

Ref::Ref(std::uint32_t capacity, std::uint32_t pages_per_block, std::uint32_t window,
         std::uint32_t victims, bool refill_lru)
    : order_(capacity, window), lpns_(capacity, kNoLpn), placed_at_(capacity, 0),
      refill_lru_(refill_lru), inside_(capacity, pages_per_block), recent_(victims),
      recent_by_age_(capacity), by_pages_(refill_lru ? 0 : capacity) {}

void Ref::on_insert(FrameId frame, Lpn lpn, Access) {
    lpns_[raw(frame)] = lpn;
    put_in(raw(frame));
}

void Ref::on_hit(FrameId frame, Lpn, Access) {
    take_out(raw(frame));
    put_in(raw(frame));
}

void Ref::remove(FrameId frame, Lpn) {
    take_out(raw(frame));
}

void Ref::drain_order(std::vector<FrameId>& frames) const {
    const auto old_size = static_cast<std::ptrdiff_t>(frames.size());
    order_.list().append_to(frames);
    // Recently evicted blocks of the window go first, then the fullest.
    const auto rank = [this](FrameId frame) {
        const std::uint32_t index = raw(frame);
        if (!order_.in_window(index)) {
            return std::array<std::uint64_t, 4>{2, 0, 0, placed_at_[index]};
        }
        const std::uint32_t cluster = inside_.cluster_of(frame);
        if (recent_by_age_.contains(cluster)) {
            return std::array<std::uint64_t, 4>{0, 0, 0, placed_at_[index]};
        }
        if (refill_lru_) {
            return std::array<std::uint64_t, 4>{1, 0, 0, placed_at_[index]};
        }
        const RankHeap::Rank& of_block = by_pages_.rank(cluster);
        return std::array<std::uint64_t, 4>{1, of_block.major, of_block.minor, placed_at_[index]};
    };
    std::sort(frames.begin() + old_size, frames.end(),
              [&rank](FrameId a, FrameId b) { return rank(a) < rank(b); });
}

bool Ref::pop_victim(std::vector<FrameId>& frames, const Pins& pins) {
    std::uint32_t victim = page_of_recent_block(pins);
    if (victim == kNone && !refill_lru_) {
        victim = page_of_fullest_block(pins);
    }
    if (victim == kNone) {
        victim = order_.list().lru_that(
            [&](std::uint32_t frame) { return !pins.holds(raw(lpns_[frame])); });
    }
    if (victim == kNone) {
        return false;
    }
    take_out(victim);
    remember(inside_.lbn_of(lpns_[victim]));
    frames.push_back(FrameId{victim});
    return true;
}

void Ref::take_out(std::uint32_t frame) {
    if (order_.in_window(frame)) {
        const std::uint32_t cluster = inside_.remove(FrameId{frame});
        if (inside_.size(cluster) == 0) {
            recent_by_age_.remove(cluster);
            if (!refill_lru_) {
                by_pages_.remove(cluster);
            }
        } else {
            rerank(cluster);
        }
    }
    enter_window(order_.remove(frame));
}

void Ref::put_in(std::uint32_t frame) {
    placed_at_[frame] = ++accesses_;
    enter_window(order_.push_mru(frame));
}

void Ref::enter_window(std::uint32_t frame) {
    if (frame != kNone) {
        rerank(inside_.add(FrameId{frame}, lpns_[frame]));
    }
}

void Ref::rerank(std::uint32_t cluster) {
    const std::uint64_t age = placed_at_[inside_.first(cluster)];
    if (!refill_lru_) {
        by_pages_.set(cluster, {inside_.pages_per_block() - inside_.size(cluster), age});
    }
    if (recent_by_age_.contains(cluster) || recent_.contains(inside_.lbn(cluster))) {
        recent_by_age_.set(cluster, {0, age});
    }
}

void Ref::remember(std::uint64_t lbn) {
    const auto dropped = recent_.name(lbn);
    if (dropped) {
        const std::uint32_t cluster = inside_.find(*dropped);
        if (cluster != kNone) {
            recent_by_age_.remove(cluster);
        }
    }
    const std::uint32_t cluster = inside_.find(lbn);
    if (cluster != kNone) {
        rerank(cluster);
    }
}

std::uint32_t Ref::page_of_recent_block(const Pins& pins) {
    std::uint32_t best = kNone;
    recent_by_age_.visit_in_order([&](std::uint32_t cluster) {
        const std::uint32_t oldest = inside_.first(cluster);
        if (best != kNone && placed_at_[oldest] > placed_at_[best]) {
            return true;
        }
        const std::uint32_t frame = first_free(cluster, pins);
        if (frame != kNone && (best == kNone || placed_at_[frame] < placed_at_[best])) {
            best = frame;
        }
        return best == oldest; // nothing older in the clusters not yet seen
    });
    return best;
}

std::uint32_t Ref::page_of_fullest_block(const Pins& pins) {
    std::uint32_t victim = kNone;
    by_pages_.visit_in_order([&](std::uint32_t cluster) {
        victim = first_free(cluster, pins);
        return victim != kNone;
    });
    return victim;
}

std::uint32_t Ref::first_free(std::uint32_t cluster, const Pins& pins) const {
    std::uint32_t frame = inside_.first(cluster);
    while (frame != kNone && pins.holds(raw(lpns_[frame]))) {
        frame = inside_.next(frame);
    }
    return frame;
}

} // namespace cavern
