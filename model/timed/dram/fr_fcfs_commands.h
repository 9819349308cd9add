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
    bank.group->activate_ok = at + rrd_l_;
    if (!one_group_) {
        hold_back_activates(bank, at);
    }
    Rank& rank = *bank.rank;
    rank.four_activates[rank.oldest] = at + timing_.t_faw;
    rank.oldest = (rank.oldest + 1) % 4;
    if (rank.open_banks++ == 0) {
        rank.open_since = at;
    }
    ++statistics_.activates;
}

inline void FrFcfsScheduler::close_row(Bank& bank, DramClock at) {
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
    statistics_.open_clocks += std::max(closed, rank.open_since) - rank.open_since;
}

/// The column commands of a train, from clock `at` on; returns the end of its data.
inline DramClock FrFcfsScheduler::move_data(std::uint32_t index, bool is_write, DramClock at,
                                            std::uint32_t count, std::uint32_t step) {
    Bank& bank = banks_[index];
    const DramClock last = at + std::uint64_t{count - 1} * step;
    if (observer_ != nullptr) {
        report_train(index, is_write, at, count, step);
    }
    floor_ = at + 1;
    train_first_ = at;
    train_last_ = last;
    train_step_ = step;
    train_stale_ = true;
    DramClock data_end = last + timing_.burst_clocks();
    DramClock* const ok = bank.group->column_ok;
    if (is_write) {
        data_end += timing_.cwl;
        ok[0] = last + write_to_read_l_;
        ok[1] = last + spacing_;
        bank.precharge_ok = std::max(bank.precharge_ok, last + timing_.write_to_precharge());
        statistics_.write_bursts += count;
    } else {
        data_end += timing_.cl;
        ok[0] = last + spacing_;
        ok[1] = last + timing_.read_to_write();
        bank.precharge_ok = std::max(bank.precharge_ok, last + timing_.t_rtp);
        statistics_.read_bursts += count;
    }
    bank.rank->precharge_ok = std::max(bank.rank->precharge_ok, bank.precharge_ok);
    if (!one_group_) {
        hold_back_columns(bank, is_write, last);
    }
    statistics_.busy_clocks += std::uint64_t{count} * timing_.burst_clocks();
    statistics_.row_hits += count - (bank.opened == Opened::kUsed ? 0 : 1);
    statistics_.row_misses += bank.opened == Opened::kAfterClosed ? 1 : 0;
    statistics_.row_conflicts += bank.opened == Opened::kAfterConflict ? 1 : 0;
    bank.opened = Opened::kUsed;
    return data_end;
}

} // namespace cavern
