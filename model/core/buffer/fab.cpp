#include "core/buffer/fab.h"

#include <algorithm>

namespace cavern {

Fab::Fab(std::uint32_t capacity, std::uint32_t pages_per_block)
    : clusters_(capacity, pages_per_block), touched_(capacity, pages_per_block), trimmed_(capacity),
      touched_at_(capacity, 0) {}

void Fab::on_insert(FrameId frame, Lpn lpn, Access) {
    touch(clusters_.add(frame, lpn));
}

void Fab::on_hit(FrameId frame, Lpn, Access) {
    touch(clusters_.cluster_of(frame));
}

void Fab::remove(FrameId frame, Lpn) {
    const std::uint32_t cluster = clusters_.remove(frame);
    unlist(cluster);
    const std::uint32_t size = clusters_.size(cluster);
    if (size != 0) {
        trimmed_.set(cluster, {clusters_.pages_per_block() - size, touched_at_[cluster]});
    }
}

void Fab::drain_order(std::vector<FrameId>& frames) const {
    const auto old_size = static_cast<std::ptrdiff_t>(frames.size());
    for (std::uint32_t frame = 0; frame < touched_at_.size(); ++frame) {
        if (clusters_.cluster_of(FrameId{frame}) != kNone) {
            frames.push_back(FrameId{frame});
        }
    }
    std::sort(frames.begin() + old_size, frames.end(), [this](FrameId a, FrameId b) {
        const std::uint32_t of_a = clusters_.cluster_of(a);
        const std::uint32_t of_b = clusters_.cluster_of(b);
        if (of_a == of_b) {
            return clusters_.lpn(raw(a)) < clusters_.lpn(raw(b));
        }
        return clusters_.size(of_a) != clusters_.size(of_b)
                   ? clusters_.size(of_a) > clusters_.size(of_b)
                   : touched_at_[of_a] < touched_at_[of_b];
    });
}

bool Fab::pop_victim(std::vector<FrameId>& frames, const Pins& pins) {
    const auto is_free = [&](std::uint32_t cluster) { return !pins.holds(clusters_.lbn(cluster)); };
    std::uint32_t victim = touched_.largest_that(is_free);
    trimmed_.visit_in_order([&](std::uint32_t cluster) {
        if (!is_free(cluster)) {
            return false;
        }
        const std::uint32_t size = clusters_.size(cluster);
        if (victim == kNone || size > clusters_.size(victim) ||
            (size == clusters_.size(victim) && touched_at_[cluster] < touched_at_[victim])) {
            victim = cluster;
        }
        return true;
    });
    if (victim == kNone) {
        return false;
    }
    unlist(victim);
    clusters_.take(victim, frames);
    return true;
}

void Fab::touch(std::uint32_t cluster) {
    unlist(cluster);
    touched_.push_newest(cluster, clusters_.size(cluster));
    touched_at_[cluster] = ++touches_;
}

void Fab::unlist(std::uint32_t cluster) {
    if (touched_.contains(cluster)) {
        touched_.remove(cluster);
    } else {
        trimmed_.remove(cluster);
    }
}

} // namespace cavern
