// Refresh of the FR-FCFS scheduler, and how long rows are open.

#include <algorithm>

#include "timed/dram/fr_fcfs_commands.h"

namespace cavern {

void FrFcfsScheduler::refresh() {
    Rank& rank = ranks_[refresh_rank_];
    const std::uint32_t first = refresh_rank_ * timing_.banks;
    const std::uint32_t end = first + timing_.banks;
    DramClock at = std::max(floor_, refresh_due_);
    const DramClock faw = timing_.t_faw; // of the newest activate, if there was one
    const DramClock activated = std::max(rank.four_activates[(rank.oldest + 3) % 4], faw) - faw;
    if (rank.open_banks != 0) {
        at = std::max(at, std::max(rank.precharge_ok, activated + timing_.t_ras));
        report(SdramCommand::kPrechargeAll, at, first, 0, 1);
        rank.open_banks = 0;
        count_open(rank, at);
        at += timing_.rp_ab();
    }
    at = std::max(at, std::max(rank.activate_ok, activated + timing_.t_rc));
    report(SdramCommand::kRefresh, at, first, 0, 1);
    rank.activate_ok = at + timing_.t_rfc;
    for (std::uint32_t index = first; index < end; ++index) {
        Bank& bank = banks_[index];
        bank.hit = kNone;
        bank.opened = Opened::kUsed;
        bank.open = false;
        bank.conflict = false;
        bank.hit_is_write = false;
        bank.activate_ok = at + timing_.t_rfc;
    }
    if (window_ != 0) {
        for (std::uint32_t index = first; index < end; ++index) {
            classify(index);
        }
    }
    floor_ = at + 1;
    train_stale_ = true;
    advance_refresh();
}

void FrFcfsScheduler::advance_refresh() {
    if (++refresh_rank_ < timing_.ranks) {
        refresh_due_ += refresh_step_;
        return;
    }
    refresh_rank_ = 0;
    refresh_due_ += timing_.t_refi - std::uint64_t{timing_.ranks - 1} * refresh_step_;
}

void FrFcfsScheduler::refresh_idle(DramClock now) {
    if (timing_.ranks != 1) {
        refresh_idle_ranks(now);
        return;
    }
    refresh();
    if (refresh_due_ >= now) {
        return;
    }
    if (observer_ != nullptr) {
        while (refresh_due_ < now) {
            refresh();
        }
        return;
    }
    // Nothing is open or running any more, and all banks are alike: of the refreshes due only the
    // last leaves a trace, and that only in when a bank may be activated.
    refresh_due_ += t_refi_.divide(now - 1 - refresh_due_) * timing_.t_refi;
    const DramClock at = std::max(banks_[0].activate_ok, std::max(floor_, refresh_due_));
    for (std::uint32_t index = 0; index < timing_.banks; ++index) {
        banks_[index].activate_ok = at + timing_.t_rfc;
    }
    ranks_[0].activate_ok = at + timing_.t_rfc;
    floor_ = at + 1;
    refresh_due_ += timing_.t_refi;
}

/// After a round of refreshes all rows are closed; of the rounds that follow the last matters.
void FrFcfsScheduler::refresh_idle_ranks(DramClock now) {
    for (std::uint32_t i = 0; i < timing_.ranks && refresh_due_ < now; ++i) {
        refresh();
    }
    const DramClock round = timing_.t_refi;
    if (observer_ == nullptr && now > refresh_due_ + 3 * round) {
        refresh_due_ += (t_refi_.divide(now - refresh_due_) - 2) * round;
    }
    while (refresh_due_ < now) {
        refresh();
    }
}

std::uint64_t FrFcfsScheduler::refreshes(DramClock now) const {
    std::uint64_t count = t_refi_.divide(now);
    for (std::uint32_t rank = 1; rank < timing_.ranks; ++rank) {
        const DramClock late = std::uint64_t{rank} * refresh_step_;
        count += now < late ? 0 : t_refi_.divide(now - late);
    }
    return count;
}

void FrFcfsScheduler::reset_statistics(DramClock now) {
    statistics_ = {};
    for (const OpenTime& time : closed_ahead_) {
        statistics_.open_clocks += time.behind(now);
    }
    for (Rank& rank : ranks_) {
        rank.open_since = std::max(rank.open_since, now);
    }
}

std::uint64_t FrFcfsScheduler::open_clocks(DramClock now) const {
    std::uint64_t clocks = statistics_.open_clocks;
    for (const OpenTime& time : closed_ahead_) {
        clocks -= time.behind(now);
    }
    for (std::uint32_t index = 0; index < timing_.ranks; ++index) {
        const Rank& rank = ranks_[index];
        // The refresh that closes what is open now may not have been worked out.
        DramClock due = refresh_due_;
        if (index > refresh_rank_) {
            due += std::uint64_t{index - refresh_rank_} * refresh_step_;
        } else if (index < refresh_rank_) {
            due += timing_.t_refi - std::uint64_t{refresh_rank_ - index} * refresh_step_;
        }
        const DramClock end = std::min(now, std::max(due, floor_));
        if (rank.open_banks != 0 && end > rank.open_since) {
            clocks += end - rank.open_since;
        }
    }
    return clocks;
}

} // namespace cavern
