// The column commands of the FR-FCFS scheduler, and whom they hold back.

#include <algorithm>

#include "timed/dram/fr_fcfs_commands.h"

namespace cavern {

void FrFcfsScheduler::report_train(std::uint32_t index, bool is_write, DramClock at,
                                   std::uint32_t count, std::uint32_t step) const {
    const SdramCommand command = is_write ? SdramCommand::kWrite : SdramCommand::kRead;
    if (step == gap_.column) {
        report(command, at, index, banks_[index].row, count);
        return;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        report(command, at + std::uint64_t{i} * step, index, banks_[index].row, 1);
    }
}

void FrFcfsScheduler::issue_train(std::uint32_t index, DramClock at) {
    if (lane_shift_ != 0) {
        issue_lanes(index, at);
    } else {
        const Segment& segment = segments_[banks_[index].hit];
        // No column command at or after the clock at which the refresh is due.
        std::uint32_t count = segment.bursts;
        if (at + std::uint64_t{count - 1} * gap_.column >= refresh_due_) {
            count = static_cast<std::uint32_t>((refresh_due_ - 1 - at) / gap_.column + 1);
        }
        take_bursts(index, count, move_data(index, segment.is_write, at, count));
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
    std::uint32_t count = 0;
    if (other != kNone) {
        count = before_refresh(at, std::min(segment.bursts, segments_[banks_[other].hit].bursts));
    }
    if (count == 0) {
        take_bursts(index, 1, move_data(index, is_write, at, 1));
        return;
    }
    const DramClock other_end = move_lanes(index, other, is_write, at, count);
    take_bursts(index, count, other_end - gap_.lane);
    take_bursts(other, count, other_end);
}

/// The oldest train of another group of the rank that can follow `index` one burst later.
std::uint32_t FrFcfsScheduler::partner_of(std::uint32_t index, DramClock at) const {
    const Bank& bank = banks_[index];
    const DramClock from = at + gap_.lane;
    std::uint32_t partner = kNone;
    for (std::uint32_t mask = train_banks_; mask != 0; mask &= mask - 1) {
        const auto other_index = static_cast<std::uint32_t>(__builtin_ctz(mask));
        const Bank& other = banks_[other_index];
        if (other.rank == bank.rank && other.group != bank.group &&
            other.hit_is_write == bank.hit_is_write &&
            earliest_column(other, other.hit_is_write) <= from &&
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
