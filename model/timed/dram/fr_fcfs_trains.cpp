// The column commands of the FR-FCFS scheduler, and whom they hold back.

#include <algorithm>

#include "timed/dram/fr_fcfs_commands.h"

namespace cavern {

DramClock FrFcfsScheduler::move_lane(std::uint32_t index, bool is_write, DramClock at,
                                     std::uint32_t count, std::uint32_t step) {
    return move_data(index, is_write, at, count, step);
}

void FrFcfsScheduler::report_train(std::uint32_t index, bool is_write, DramClock at,
                                   std::uint32_t count, std::uint32_t step) const {
    const SdramCommand command = is_write ? SdramCommand::kWrite : SdramCommand::kRead;
    if (step == spacing_) {
        report(command, at, index, banks_[index].row, count);
        return;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        report(command, at + std::uint64_t{i} * step, index, banks_[index].row, 1);
    }
}

/// Column commands of other groups and ranks, behind one at clock `last`.
void FrFcfsScheduler::hold_back_columns(const Bank& by, bool is_write, DramClock last) {
    const std::uint32_t from = is_write ? timing_.cwl : timing_.cl;
    const std::uint32_t to_other[2] = {timing_.rank_to_rank(from, timing_.cl),
                                       timing_.rank_to_rank(from, timing_.cwl)};
    const std::uint32_t to_same[2] = {is_write ? timing_.write_to_read() : timing_.burst_spacing(),
                                      is_write ? timing_.burst_spacing() : timing_.read_to_write()};
    const Group* const first = first_group_of(by);
    for (Group& group : groups_) {
        if (&group == by.group) {
            continue;
        }
        const bool same = &group >= first && &group < first + timing_.bank_groups;
        const std::uint32_t* const distance = same ? to_same : to_other;
        group.column_ok[0] = std::max(group.column_ok[0], last + distance[0]);
        group.column_ok[1] = std::max(group.column_ok[1], last + distance[1]);
    }
}

void FrFcfsScheduler::hold_back_activates(const Bank& by, DramClock at) {
    Group* const first = first_group_of(by);
    for (Group* group = first; group != first + timing_.bank_groups; ++group) {
        group->activate_ok = std::max(group->activate_ok, at + timing_.t_rrd);
    }
}

/// Of its rank.
FrFcfsScheduler::Group* FrFcfsScheduler::first_group_of(const Bank& bank) {
    return &groups_[static_cast<std::size_t>(bank.rank - ranks_.data()) * timing_.bank_groups];
}

void FrFcfsScheduler::issue_train(std::uint32_t index, DramClock at) {
    if (lane_shift_ != 0) {
        issue_lanes(index, at);
    } else {
        const Segment& segment = segments_[banks_[index].hit];
        // No column command at or after the clock at which the refresh is due.
        std::uint32_t count = segment.bursts;
        if (at + std::uint64_t{count - 1} * spacing_ >= refresh_due_) {
            count = static_cast<std::uint32_t>((refresh_due_ - 1 - at) / spacing_ + 1);
        }
        take_bursts(index, count, move_data(index, segment.is_write, at, count, spacing_));
    }
    while (!waiting_.empty() && fits_window(waiting_.front().address)) {
        admit(waiting_.pop());
    }
}

/// A train together with one of another group, burst by burst in turn; without one, a single burst.
void FrFcfsScheduler::issue_lanes(std::uint32_t index, DramClock at) {
    const Segment& segment = segments_[banks_[index].hit];
    const bool is_write = segment.is_write;
    const std::uint32_t other = partner_of(index, at);
    const std::uint32_t step = timing_.burst_spacing();
    std::uint32_t count = 0;
    if (other != kNone) {
        const std::uint64_t before_refresh = ((refresh_due_ - 1 - at) / step + 1) / 2;
        count = std::min(segment.bursts, segments_[banks_[other].hit].bursts);
        count = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, before_refresh));
    }
    if (count == 0) {
        take_bursts(index, 1, move_lane(index, is_write, at, 1, spacing_));
        return;
    }
    const DramClock end = move_lane(index, is_write, at, count, 2 * step);
    const DramClock other_end = move_lane(other, is_write, at + step, count, 2 * step);
    floor_ = at + 1;
    train_first_ = at;
    train_step_ = step;
    take_bursts(index, count, end);
    take_bursts(other, count, other_end);
}

/// The oldest train of another group of the rank that can follow `index` one burst later.
std::uint32_t FrFcfsScheduler::partner_of(std::uint32_t index, DramClock at) const {
    const Bank& bank = banks_[index];
    const DramClock from = at + timing_.burst_spacing();
    std::uint32_t partner = kNone;
    for (std::uint32_t mask = train_banks_; mask != 0; mask &= mask - 1) {
        const auto other_index = static_cast<std::uint32_t>(__builtin_ctz(mask));
        const Bank& other = banks_[other_index];
        if (other.rank == bank.rank && other.group != bank.group &&
            other.hit_is_write == bank.hit_is_write && earliest_train(other) <= from &&
            (partner == kNone || other.hit_age < banks_[partner].hit_age)) {
            partner = other_index;
        }
    }
    return partner;
}

void FrFcfsScheduler::take_bursts(std::uint32_t index, std::uint32_t count, DramClock data_end) {
    Bank& bank = banks_[index];
    Segment& segment = segments_[bank.hit];
    segment.bursts -= count;
    if (segment.bursts == 0) {
        finish_segment(segment, data_end);
        remove_hit(bank);
        classify(index);
    }
}

} // namespace cavern
