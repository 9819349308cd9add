#pragma once

// What a command of the FR-FCFS scheduler changes, for the sources of the scheduler alone.

#include <algorithm>

#include "timed/dram/fr_fcfs_scheduler.h"

namespace cavern {

inline void FrFcfsScheduler::open_row(std::uint32_t index, std::uint64_t row, DramClock at) {
    Bank& bank = banks_[index];
    bank.row = row;
    report(SdramCommand::kActivate, at, index, row, 1);
    floor_ = at + 1;
    bank.open = true;
    bank.opened = bank.conflict ? Opened::kAfterConflict : Opened::kAfterClosed;
    bank.conflict = false;
    bank.column_ok = at + timing_.t_rcd;
    bank.precharge_ok = at + timing_.t_ras;
    bank.activate_ok = at + timing_.t_rc;
    bank.group->activate_ok = at + gap_.activate;
    Rank& rank = *bank.rank;
    rank.next_activate_ok = at + timing_.t_rrd;
    rank.four_activates[rank.oldest] = at + timing_.t_faw;
    rank.oldest = (rank.oldest + 1) % 4;
    if (rank.open_banks++ == 0) {
        rank.open_since = at;
    }
    ++statistics_.activates;
}

inline void FrFcfsScheduler::close_row(std::uint32_t index, DramClock at) {
    Bank& bank = banks_[index];
    report(SdramCommand::kPrecharge, at, index, bank.row, 1);
    floor_ = at + 1;
    bank.open = false;
    bank.conflict = true;
    bank.activate_ok = std::max(bank.activate_ok, at + timing_.t_rp);
    Rank& rank = *bank.rank;
    rank.activate_ok = at + timing_.t_rp;
    if (--rank.open_banks == 0) {
        count_open(rank, at);
    }
}

inline void FrFcfsScheduler::count_open(const Rank& rank, DramClock closed) {
    const DramClock end = std::max(closed, rank.open_since);
    statistics_.open_clocks += end - rank.open_since;
    while (!closed_ahead_.empty() && closed_ahead_.front().closed <= known_) {
        closed_ahead_.pop_front();
    }
    if (end > known_) {
        closed_ahead_.push_back({rank.open_since, end});
    }
}

/// What column commands of a bank, the last of them at clock `last`, change in it and its group.
inline void FrFcfsScheduler::note_columns(Bank& bank, bool is_write, DramClock last,
                                          std::uint32_t count) {
    DramClock* const ok = bank.group->column_ok;
    if (is_write) {
        ok[0] = last + gap_.write_to_read;
        ok[1] = last + gap_.column;
        bank.precharge_ok = std::max(bank.precharge_ok, last + timing_.write_to_precharge());
    } else {
        ok[0] = last + gap_.column;
        ok[1] = last + timing_.read_to_write();
        bank.precharge_ok = std::max(bank.precharge_ok, last + timing_.t_rtp);
    }
    bank.rank->precharge_ok = std::max(bank.rank->precharge_ok, bank.precharge_ok);
    statistics_.row_hits += count - (bank.opened == Opened::kUsed ? 0 : 1);
    statistics_.row_misses += bank.opened == Opened::kAfterClosed ? 1 : 0;
    statistics_.row_conflicts += bank.opened == Opened::kAfterConflict ? 1 : 0;
    bank.opened = Opened::kUsed;
}

/// What they change for others. Returns the end of their data.
inline DramClock FrFcfsScheduler::note_train(const Bank& bank, bool is_write, DramClock first,
                                             DramClock last, std::uint32_t step,
                                             std::uint32_t count) {
    floor_ = first + 1;
    train_first_ = first;
    train_last_ = last;
    train_step_ = step;
    train_stale_ = true;
    if (!one_group_) {
        const Gap& gap = gap_.others[is_write ? 1 : 0];
        for (Rank& rank : ranks_) {
            const std::uint32_t* const to = &rank == bank.rank ? gap.to_group : gap.to_rank;
            rank.column_ok[0] = std::max(rank.column_ok[0], last + to[0]);
            rank.column_ok[1] = std::max(rank.column_ok[1], last + to[1]);
        }
    }
    (is_write ? statistics_.write_bursts : statistics_.read_bursts) += count;
    statistics_.busy_clocks += std::uint64_t{count} * timing_.burst_clocks();
    return last + timing_.burst_clocks() + (is_write ? timing_.cwl : timing_.cl);
}

/// The column commands of a train, from clock `at` on; returns the end of its data.
inline DramClock FrFcfsScheduler::move_data(std::uint32_t index, bool is_write, DramClock at,
                                            std::uint32_t count) {
    Bank& bank = banks_[index];
    if (observer_ != nullptr) {
        report_train(index, is_write, at, count, gap_.column);
    }
    const DramClock last = at + std::uint64_t{count - 1} * gap_.column;
    note_columns(bank, is_write, last, count);
    return note_train(bank, is_write, at, last, gap_.column, count);
}

/// Two trains of two groups, burst by burst in turn; returns the end of the data of the second.
inline DramClock FrFcfsScheduler::move_lanes(std::uint32_t index, std::uint32_t other,
                                             bool is_write, DramClock at, std::uint32_t count) {
    const std::uint32_t step = 2 * gap_.lane;
    if (observer_ != nullptr) {
        report_train(index, is_write, at, count, step);
        report_train(other, is_write, at + gap_.lane, count, step);
    }
    const DramClock last = at + std::uint64_t{count - 1} * step;
    note_columns(banks_[index], is_write, last, count);
    note_columns(banks_[other], is_write, last + gap_.lane, count);
    return note_train(banks_[other], is_write, at, last + gap_.lane, gap_.lane, 2 * count);
}

inline std::uint32_t FrFcfsScheduler::before_refresh(DramClock at, std::uint32_t left) const {
    if (at + std::uint64_t{left} * 2 * gap_.lane < refresh_due_) {
        return left;
    }
    const std::uint64_t before = ((refresh_due_ - 1 - at) / gap_.lane + 1) / 2;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(left, before));
}

} // namespace cavern
