#include "core/buffer/clc.h"

#include <algorithm>

namespace cavern {

Clc::Clc(std::uint32_t capacity, std::uint32_t pages_per_block, double alpha)
    : clusters_(capacity, pages_per_block), recent_(capacity), cold_(capacity, pages_per_block),
      alpha_(alpha) {}

void Clc::on_insert(FrameId frame, Lpn lpn, Access) {
    touch(clusters_.add(frame, lpn));
}

void Clc::on_hit(FrameId frame, Lpn, Access) {
    touch(clusters_.cluster_of(frame));
}

void Clc::remove(FrameId frame, Lpn) {
    const std::uint32_t cluster = clusters_.remove(frame);
    const std::uint32_t size = clusters_.size(cluster);
    if (size == 0) {
        unlist(cluster);
    } else if (cold_.contains(cluster)) {
        cold_.remove(cluster);
        cold_.push_newest(cluster, size);
    }
}

void Clc::drain_order(std::vector<FrameId>& frames) const {
    const auto pass_over = [&](std::uint32_t cluster) {
        clusters_.append_to(cluster, frames);
        return false;
    };
    static_cast<void>(cold_.largest_that(pass_over));
    static_cast<void>(recent_.lru_that(pass_over));
}

bool Clc::pop_victim(std::vector<FrameId>& frames, const Pins& pins) {
    const auto is_free = [&](std::uint32_t cluster) { return !pins.holds(clusters_.lbn(cluster)); };
    std::uint32_t victim = cold_.largest_that(is_free);
    if (victim == kNone) {
        victim = recent_.lru_that(is_free);
    }
    if (victim == kNone) {
        return false;
    }
    unlist(victim);
    clusters_.take(victim, frames);
    return true;
}

void Clc::touch(std::uint32_t cluster) {
    unlist(cluster);
    recent_.push_mru(cluster);
    const auto limit =
        std::max(1u, static_cast<std::uint32_t>(alpha_ * (recent_.size() + cold_.count())));
    while (recent_.size() > limit) {
        const std::uint32_t oldest = recent_.lru();
        recent_.remove(oldest);
        cold_.push_newest(oldest, clusters_.size(oldest));
    }
}

void Clc::unlist(std::uint32_t cluster) {
    if (cold_.contains(cluster)) {
        cold_.remove(cluster);
    } else if (recent_.contains(cluster)) {
        recent_.remove(cluster);
    }
}

} // namespace cavern
