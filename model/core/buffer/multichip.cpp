#include "core/buffer/multichip.h"

namespace cavern {

Multichip::Multichip(std::uint32_t capacity, std::uint32_t window, std::uint32_t dies,
                     const DieLoad* load, const DestinationIf* destination)
    : order_(capacity, window), lpns_(capacity, kNoLpn), placed_at_(capacity, 0), load_(load),
      destination_(destination), dies_(dies), by_die_(capacity, dies + 1), taken_in_(dies, 0) {}

void Multichip::on_batch(std::uint32_t units) {
    in_batch_ = units > 1;
    batch_begun_ = false;
    if (in_batch_) {
        ++batch_;
        const std::uint32_t newest = order_.newest_inside();
        batch_newest_ = newest == kNone ? 0 : placed_at_[newest];
    }
}

void Multichip::on_insert(FrameId frame, Lpn lpn, Access) {
    lpns_[raw(frame)] = lpn;
    put_in(raw(frame));
}

void Multichip::on_hit(FrameId frame, Lpn, Access) {
    take_out(raw(frame));
    put_in(raw(frame));
}

void Multichip::remove(FrameId frame, Lpn) {
    take_out(raw(frame));
}

void Multichip::drain_order(std::vector<FrameId>& frames) const {
    order_.list().append_to(frames);
}

bool Multichip::pop_victim(std::vector<FrameId>& frames, const Pins& pins) {
    std::uint32_t victim = idle_die_page(pins);
    const bool of_idle_die = victim != kNone;
    if (victim == kNone && !batch_begun_) {
        victim = order_.list().lru_that(
            [&](std::uint32_t frame) { return !pins.holds(raw(lpns_[frame])); });
    }
    if (victim == kNone) {
        if (batch_begun_) {
            batch_newest_ = 0; // the batch is over, also for what is pinned
        }
        return false;
    }
    ++(of_idle_die ? counters_.idle_die_victims : counters_.lru_victims);
    if (in_batch_) {
        batch_begun_ = true;
        const std::uint32_t die = by_die_.list_of(victim);
        if (die < dies_) {
            taken_in_[die] = batch_;
        }
    }
    take_out(victim);
    frames.push_back(FrameId{victim});
    return true;
}

void Multichip::take_out(std::uint32_t frame) {
    if (order_.in_window(frame)) {
        by_die_.remove(frame);
    }
    enter_window(order_.remove(frame));
}

void Multichip::put_in(std::uint32_t frame) {
    placed_at_[frame] = ++accesses_;
    enter_window(order_.push_mru(frame));
}

void Multichip::enter_window(std::uint32_t frame) {
    if (frame == kNone) {
        return;
    }
    const auto die =
        destination_ != nullptr ? destination_->destination(lpns_[frame]) : std::optional<DieId>{};
    by_die_.push_newest(die ? raw(*die) : dies_, frame);
}

std::uint32_t Multichip::idle_die_page(const Pins& pins) const {
    std::uint32_t best = kNone;
    for (std::uint32_t list = 0; list <= dies_; ++list) {
        if (!is_free(list)) {
            continue;
        }
        const std::uint32_t frame =
            by_die_.oldest_that(list, [&](std::uint32_t f) { return !pins.holds(raw(lpns_[f])); });
        if (frame != kNone && !(in_batch_ && placed_at_[frame] > batch_newest_) &&
            (best == kNone || placed_at_[frame] < placed_at_[best])) {
            best = frame;
        }
    }
    return best;
}

bool Multichip::is_free(std::uint32_t list) const {
    return list == dies_ || ((load_ == nullptr || load_->is_idle(DieId{list})) &&
                             !(in_batch_ && taken_in_[list] == batch_));
}

} // namespace cavern
