#include "timed/dram/sdram_channels.h"

#include <algorithm>

#include "core/base/check.h"

namespace cavern {

SdramChannels::SdramChannels(const SdramTiming& timing, SdramInterleave interleave)
    : stripe_(interleave.stripe), stripe_shift_(log2_of(interleave.stripe)),
      channel_shift_(log2_of(interleave.channels)) {
    CAVERN_CHECK(stripe_ == std::uint64_t{1} << stripe_shift_ &&
                     interleave.channels == std::uint32_t{1} << channel_shift_,
                 "channels and stripes of the SDRAM are powers of two");
    for (std::uint32_t i = 0; i < interleave.channels; ++i) {
        channels_.push_back(std::make_unique<FrFcfsScheduler>(timing));
    }
    only_ = interleave.channels == 1 ? channels_[0].get() : nullptr;
}

void SdramChannels::push(std::uint64_t id, std::uint64_t address, std::uint64_t bytes,
                         bool is_write, DramClock now) {
    if (only_ != nullptr) {
        only_->push(id, address, bytes, is_write, now);
    } else {
        push_parts(id, address, bytes, is_write, now);
    }
}

DramClock SdramChannels::push_alone(std::uint64_t address, std::uint64_t bytes, bool is_write,
                                    DramClock now) {
    if (only_ != nullptr) {
        return only_->push_alone(address, bytes, is_write, now);
    }
    return push_parts_alone(address, bytes, is_write, now);
}

DramClock SdramChannels::next_wake() const {
    if (only_ != nullptr) {
        return only_->next_wake();
    }
    DramClock earliest = done_.empty() ? kNoClock : done_.front().end;
    for (const auto& channel : channels_) {
        earliest = std::min(earliest, channel->next_wake());
    }
    return earliest;
}

void SdramChannels::advance(DramClock now) {
    for (const auto& channel : channels_) {
        channel->advance(now);
    }
}

bool SdramChannels::has_completion(DramClock now) {
    if (only_ != nullptr) {
        return only_->has_completion(now);
    }
    join(now);
    return !done_.empty();
}

SdramCompletion SdramChannels::pop_completion() {
    return only_ != nullptr ? only_->pop_completion() : done_.pop();
}

/// The part of an access in each channel: from its first stripe there to its last.
void SdramChannels::cut(std::uint64_t address, std::uint64_t bytes) {
    CAVERN_CHECK(bytes > 0, "an SDRAM transaction moves no bytes");
    const std::uint64_t count = channels_.size();
    const std::uint64_t last_byte = address + bytes - 1;
    const std::uint64_t first = address >> stripe_shift_;
    const std::uint64_t last = last_byte >> stripe_shift_;
    const auto begin_of = [this](std::uint64_t stripe) {
        return stripe >> channel_shift_ << stripe_shift_;
    };
    parts_.clear();
    for (std::uint64_t stripe = first; stripe <= last && stripe < first + count; ++stripe) {
        const std::uint64_t final_one = last - ((last - stripe) & (count - 1));
        const std::uint64_t begin =
            begin_of(stripe) + (stripe == first ? address & (stripe_ - 1) : 0);
        const std::uint64_t end =
            begin_of(final_one) + (final_one == last ? (last_byte & (stripe_ - 1)) + 1 : stripe_);
        parts_.push_back({static_cast<std::uint32_t>(stripe & (count - 1)), begin, end - begin});
    }
}

void SdramChannels::push_parts(std::uint64_t id, std::uint64_t address, std::uint64_t bytes,
                               bool is_write, DramClock now) {
    cut(address, bytes);
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(accesses_.size()));
        accesses_.emplace_back();
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    accesses_[slot] = Access{id, static_cast<std::uint32_t>(parts_.size()), is_write};
    ++under_way_;
    for (const Part& part : parts_) {
        channels_[part.channel]->push(slot, part.address, part.bytes, is_write, now);
    }
}

DramClock SdramChannels::push_parts_alone(std::uint64_t address, std::uint64_t bytes, bool is_write,
                                          DramClock now) {
    if (under_way_ != 0) {
        return kNoClock;
    }
    cut(address, bytes);
    for (const Part& part : parts_) {
        if (!channels_[part.channel]->is_one_row(part.address, part.bytes)) {
            return kNoClock;
        }
    }
    DramClock end = 0;
    for (const Part& part : parts_) {
        const DramClock part_end =
            channels_[part.channel]->push_alone(part.address, part.bytes, is_write, now);
        CAVERN_CHECK(part_end != kNoClock, "a part of an access alone is alone in its channel");
        end = std::max(end, part_end);
    }
    ++(is_write ? joined_.writes : joined_.reads);
    return end;
}

/// Accesses whose last part has ended by clock `now`, in order of that end.
void SdramChannels::join(DramClock now) {
    while (true) {
        FrFcfsScheduler* earliest = nullptr;
        for (const auto& channel : channels_) {
            if (channel->has_completion(now) &&
                (earliest == nullptr || channel->completion_due() < earliest->completion_due())) {
                earliest = channel.get();
            }
        }
        if (earliest == nullptr) {
            return;
        }
        const SdramCompletion part = earliest->pop_completion();
        Access& access = accesses_[part.id];
        if (--access.parts != 0) {
            continue;
        }
        done_.push(SdramCompletion{access.id, part.end});
        ++(access.is_write ? joined_.writes : joined_.reads);
        free_.push_back(static_cast<std::uint32_t>(part.id));
        --under_way_;
    }
}

SdramStatistics SdramChannels::statistics() const {
    if (only_ != nullptr) {
        return only_->statistics();
    }
    SdramStatistics all = joined_;
    for (const auto& channel : channels_) {
        const SdramStatistics& one = channel->statistics();
        all.read_bursts += one.read_bursts;
        all.write_bursts += one.write_bursts;
        all.bytes += one.bytes;
        all.row_hits += one.row_hits;
        all.row_misses += one.row_misses;
        all.row_conflicts += one.row_conflicts;
        all.activates += one.activates;
        all.busy_clocks += one.busy_clocks;
        all.open_clocks += one.open_clocks;
    }
    return all;
}

void SdramChannels::reset_statistics(DramClock now) {
    joined_ = {};
    for (const auto& channel : channels_) {
        channel->reset_statistics(now);
    }
}

std::uint64_t SdramChannels::open_clocks(DramClock now) const {
    std::uint64_t clocks = 0;
    for (const auto& channel : channels_) {
        clocks += channel->open_clocks(now);
    }
    return clocks;
}

std::uint64_t SdramChannels::refreshes(DramClock now) const {
    return channels_.size() * channels_[0]->refreshes(now);
}

} // namespace cavern
