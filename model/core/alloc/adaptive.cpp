#include "core/alloc/adaptive.h"

#include <algorithm>
#include <string>

#include "core/base/check.h"

namespace cavern {

std::uint32_t next_stripe_width(std::uint32_t width, std::uint32_t channels, double stall,
                                double collect, double hysteresis) {
    if (stall > (1.0 + hysteresis) * collect && width < channels) {
        return std::min(2 * width, channels);
    }
    if (collect > (1.0 + hysteresis) * stall) {
        std::uint32_t narrower = 1;
        while (2 * narrower < width) {
            narrower *= 2;
        }
        return narrower;
    }
    return width;
}

Adaptive::Adaptive(const Geometry& geometry, const Params& params, DieLoad* load,
                   const SpaceIf& space, DecisionLogIf* log)
    : geometry_(geometry), params_(params), load_(load), log_(log), turn_(geometry, space),
      stripes_(geometry.blocks()) {
    CAVERN_CHECK(geometry.dies() <= 0x10000u, "a die number has 16 bits here");
    if (load != nullptr) {
        load->measure();
    }
}

void Adaptive::place(const Lpn* pages, std::size_t count, PlaneId* planes) {
    regulate();
    for (std::size_t i = 0; i < count; ++i) {
        const Lbn lbn = geometry_.lbn_of(pages[i]);
        CAVERN_CHECK(raw(lbn) < stripes_.size(),
                     "logical block " + std::to_string(raw(lbn)) + " is beyond the drive");
        Stripe& stripe = stripes_[raw(lbn)];
        if (stripe.width == 0) {
            stripe.home = static_cast<std::uint16_t>(next_home_);
            next_home_ = next_home_ + 1 == geometry_.dies() ? 0 : next_home_ + 1;
            if (log_ != nullptr) {
                log_->allocate(lbn, DieId{stripe.home}, std::nullopt);
            }
        }
        stripe.width = static_cast<std::uint16_t>(width_);
        planes[i] = plane_near(die_of(stripe, pages[i]), pages[i]);
    }
}

std::optional<std::uint32_t> Adaptive::width_of(Lbn lbn) const {
    const std::uint32_t width = stripes_[raw(lbn)].width;
    return width == 0 ? std::nullopt : std::optional<std::uint32_t>(width);
}

void Adaptive::regulate() {
    if (load_ == nullptr) {
        return;
    }
    const StripeCosts& now = load_->costs();
    const std::uint64_t pages = now.host_pages - epoch_began_.host_pages;
    if (pages < params_.epoch) {
        return;
    }
    const auto mean = [pages](TimePs sum) {
        return static_cast<double>(sum) / static_cast<double>(pages);
    };
    width_ = next_stripe_width(width_, geometry_.channels, mean(now.stalled - epoch_began_.stalled),
                               mean(now.collecting - epoch_began_.collecting), params_.hysteresis);
    epoch_began_ = now;
}

DieId Adaptive::die_of(const Stripe& stripe, Lpn lpn) const {
    const auto offset = static_cast<std::uint32_t>(raw(lpn) % geometry_.pages_per_block);
    const DieId home{stripe.home};
    const std::uint32_t channel =
        (raw(geometry_.channel_of(home)) + offset % stripe.width) % geometry_.channels;
    return geometry_.die_at(ChannelId{channel}, geometry_.slot_of(home));
}

PlaneId Adaptive::plane_near(DieId die, Lpn lpn) {
    for (std::uint32_t tried = 0; tried < geometry_.dies(); ++tried) {
        if (const std::optional<PlaneId> plane = turn_.next(die, lpn)) {
            turn_.taken(die, *plane);
            return *plane;
        }
        die = DieId{raw(die) + 1 == geometry_.dies() ? 0 : raw(die) + 1};
    }
    turn_.refuse();
}

} // namespace cavern
