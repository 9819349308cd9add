#include "timed/dram/fr_fcfs_commands.h"

#include <algorithm>

#include "core/base/check.h"

namespace cavern {

namespace {

/// A transaction is overtaken by at most this many windows of younger ones; then it goes first, so
/// that a stream of row hits or of the other direction cannot starve it.
constexpr std::uint64_t kOvertakeWindows = 4;

std::uint32_t lowest_bit(std::uint32_t mask) {
    return static_cast<std::uint32_t>(__builtin_ctz(mask));
}

} // namespace

FrFcfsScheduler::FrFcfsScheduler(const SdramTiming& timing, std::uint32_t bank_queue_depth)
    : timing_(timing), bank_queue_depth_(bank_queue_depth == 0 ? kNone : bank_queue_depth),
      t_refi_(timing.t_refi), refresh_due_(timing.t_refi) {
    if (const auto problem = find_problem(timing)) {
        CAVERN_CHECK(false, "SDRAM " + problem->keys.front() + ": " + problem->what);
    }
    gap_.column = timing_.group_spacing();
    gap_.lane = timing_.burst_spacing();
    gap_.write_to_read = timing_.write_to_read_l();
    gap_.activate = timing_.rrd_l();
    lane_shift_ = timing_.lanes() - 1;
    burst_shift_ = log2_of(timing_.burst_bytes());
    row_shift_ = log2_of(timing_.row_bytes) + lane_shift_;
    bank_shift_ = log2_of(timing_.banks * timing_.ranks) - lane_shift_;
    bank_mask_ = (std::uint32_t{1} << bank_shift_) - 1;
    overtake_limit_ = kOvertakeWindows * timing_.queue_depth;
    refresh_step_ = timing_.t_refi / timing_.ranks;
    groups_.resize(std::size_t{timing_.bank_groups} * timing_.ranks);
    one_group_ = groups_.size() == 1;
    for (const bool is_write : {false, true}) {
        const std::uint32_t from = is_write ? timing_.cwl : timing_.cl;
        gap_.others[is_write ? 1 : 0] = {
            {is_write ? timing_.write_to_read() : timing_.burst_spacing(),
             is_write ? timing_.burst_spacing() : timing_.read_to_write()},
            {timing_.rank_to_rank(from, timing_.cl), timing_.rank_to_rank(from, timing_.cwl)}};
    }
    ranks_.resize(timing_.ranks);
    for (std::uint32_t index = 0; index < timing_.banks * timing_.ranks; ++index) {
        const std::uint32_t rank = index / timing_.banks;
        const std::uint32_t group = index & (timing_.bank_groups - 1);
        banks_[index].rank = &ranks_[rank];
        banks_[index].group = &groups_[rank * timing_.bank_groups + group];
    }
}

__attribute__((flatten)) void FrFcfsScheduler::push(std::uint64_t id, std::uint64_t address,
                                                    std::uint64_t bytes, bool is_write,
                                                    DramClock now) {
    CAVERN_CHECK(bytes > 0, "an SDRAM transaction moves no bytes");
    advance(now);
    floor_ = std::max(floor_, now);
    const Waiting arrival{id, address, bytes, is_write};
    if (waiting_.empty() && fits_window(address)) {
        admit(arrival);
    } else {
        waiting_.push(arrival);
    }
    quiet_until_ = 0;
}

__attribute__((flatten)) void FrFcfsScheduler::advance(DramClock now) {
    known_ = std::max(known_, now);
    if (now <= quiet_until_) {
        return;
    }
    work(now);
    if (refresh_due_ < now) {
        refresh_idle(now);
    }
}

/// Every command before clock `now` of what is queued.
void FrFcfsScheduler::work(DramClock now) {
    while (window_ != 0) {
        if (train_stale_) {
            train_ = choose_train();
            train_stale_ = false;
        }
        // 1. Row commands, in the shadow of the train before. At the same clock a train goes first:
        // a row command loses one clock, a column command would leave a hole on the data bus.
        const DramClock end = std::min(now, refresh_due_);
        while (row_quiet_until_ < std::min(end, train_.at)) {
            issue_row_command(std::min(end, train_.at));
        }
        // 2. The next train, or the refresh.
        if (train_.at >= now && refresh_due_ >= now) {
            quiet_until_ = std::min(std::min(row_quiet_until_, train_.at), refresh_due_);
            return;
        }
        if (train_.at < refresh_due_) {
            issue_train(train_.bank, train_.at);
        } else {
            refresh();
        }
    }
}

void FrFcfsScheduler::classify(std::uint32_t index) {
    const Bank& bank = banks_[index];
    const std::uint32_t bit = std::uint32_t{1} << index;
    train_banks_ &= ~bit;
    activate_banks_ &= ~bit;
    precharge_banks_ &= ~bit;
    if (bank.head == kNone) {
        return;
    }
    const bool starving = bank.hit != bank.head && is_starving(bank.head_age);
    if (!bank.open) {
        activate_banks_ |= bit;
        row_quiet_until_ = std::min(row_quiet_until_, bank.activate_ok);
    } else if (bank.hit == kNone || starving) {
        precharge_banks_ |= bit;
        row_quiet_until_ = std::min(row_quiet_until_, bank.precharge_ok);
        train_stale_ = train_stale_ || starving;
    } else {
        train_banks_ |= bit;
    }
}

DramClock FrFcfsScheduler::earliest_activate(const Bank& bank) const {
    const Rank& rank = *bank.rank;
    return std::max(std::max(floor_, bank.group->activate_ok),
                    std::max(rank.next_activate_ok, rank.four_activates[rank.oldest]));
}

/// One number to choose the smallest of, without a branch a bank: the clock (relative, 32 bits),
/// then the age (27 bits), then the bank (5 bits).
std::uint64_t FrFcfsScheduler::rank(DramClock at, std::uint64_t age, std::uint32_t bank) const {
    constexpr std::uint64_t kAges = std::uint64_t{1} << 26; // far more than can overtake
    return (at - floor_) << 32 | (kAges + age - admitted_) << 5 | bank;
}

/// The clocks of the running train's column commands are taken.
DramClock FrFcfsScheduler::row_command_slot(DramClock at) const {
    const bool within = at > train_first_ && at <= train_last_;
    return within && static_cast<std::uint32_t>(at - train_first_) % train_step_ == 0 ? at + 1 : at;
}

/// The earliest row command, if it comes before clock `end`.
void FrFcfsScheduler::issue_row_command(DramClock end) {
    std::uint64_t best = ~std::uint64_t{0};
    std::uint64_t second = best;
    const auto offer = [&](std::uint64_t rank) {
        second = std::min(second, std::max(best, rank));
        best = std::min(best, rank);
    };
    DramClock activate_ok = one_group_ ? earliest_activate(banks_[0]) : 0;
    for (std::uint32_t mask = activate_banks_; mask != 0; mask &= mask - 1) {
        const std::uint32_t index = lowest_bit(mask);
        const Bank& bank = banks_[index];
        if (!one_group_) {
            activate_ok = earliest_activate(bank);
        }
        offer(rank(std::max(activate_ok, bank.activate_ok), bank.head_age, index));
    }
    for (std::uint32_t mask = precharge_banks_; mask != 0; mask &= mask - 1) {
        const std::uint32_t index = lowest_bit(mask);
        const Bank& bank = banks_[index];
        offer(rank(std::max(floor_, bank.precharge_ok), bank.head_age, index));
    }
    if (best == ~std::uint64_t{0}) {
        row_quiet_until_ = kNoClock;
        return;
    }
    const std::uint32_t index = static_cast<std::uint32_t>(best) & (kMaxBanks - 1);
    const DramClock at = row_command_slot(floor_ + (best >> 32));
    if (at >= end) {
        row_quiet_until_ = at;
        return;
    }
    const DramClock others = second == ~std::uint64_t{0} ? kNoClock : floor_ + (second >> 32);
    row_quiet_until_ = others;
    if ((activate_banks_ >> index & 1) != 0) {
        issue_activate(index, at);
        return;
    }
    issue_precharge(index, at);
    // Most often nothing comes between a precharge and the activate that it makes way for.
    const Bank& bank = banks_[index];
    const DramClock activate =
        row_command_slot(std::max(bank.activate_ok, earliest_activate(bank)));
    if (activate < std::min(end, others)) {
        row_quiet_until_ = others;
        issue_activate(index, activate);
    }
}

FrFcfsScheduler::Choice FrFcfsScheduler::choose_train() const {
    Choice choice;
    if (train_banks_ == 0) {
        return choice;
    }
    std::uint64_t best = ~std::uint64_t{0};
    std::uint64_t oldest = ~std::uint64_t{0};
    for (std::uint32_t mask = train_banks_; mask != 0; mask &= mask - 1) {
        const std::uint32_t index = lowest_bit(mask);
        const Bank& bank = banks_[index];
        best = std::min(best, rank(earliest_column(bank, bank.hit_is_write), bank.hit_age, index));
        oldest = std::min(oldest, rank(floor_, bank.hit_age, index));
    }
    choice.bank = static_cast<std::uint32_t>(best) & (kMaxBanks - 1);
    const std::uint32_t oldest_bank = static_cast<std::uint32_t>(oldest) & (kMaxBanks - 1);
    if (is_starving(banks_[oldest_bank].hit_age)) {
        choice.bank = oldest_bank;
    }
    choice.at = earliest_column(banks_[choice.bank], banks_[choice.bank].hit_is_write);
    choice.age = banks_[choice.bank].hit_age;
    return choice;
}

/// A bank joins those that wait to move data.
void FrFcfsScheduler::offer_train(std::uint32_t index) {
    const Bank& bank = banks_[index];
    const DramClock at = earliest_column(bank, bank.hit_is_write);
    if (is_starving(bank.hit_age)) {
        train_stale_ = true;
    } else if (at < train_.at || (at == train_.at && bank.hit_age < train_.age)) {
        train_ = Choice{at, bank.hit_age, index};
    }
}

void FrFcfsScheduler::issue_activate(std::uint32_t index, DramClock at) {
    Bank& bank = banks_[index];
    open_row(index, segments_[bank.head].row, at);
    set_hit(bank, bank.head);
    activate_banks_ &= ~(std::uint32_t{1} << index);
    train_banks_ |= std::uint32_t{1} << index;
    offer_train(index);
}

void FrFcfsScheduler::issue_precharge(std::uint32_t index, DramClock at) {
    Bank& bank = banks_[index];
    close_row(index, at);
    bank.hit = kNone;
    precharge_banks_ &= ~(std::uint32_t{1} << index);
    activate_banks_ |= std::uint32_t{1} << index;
    row_quiet_until_ = std::min(row_quiet_until_, bank.activate_ok);
}

DramClock FrFcfsScheduler::next_wake() const {
    if (!done_.empty()) {
        return done_.front().end;
    }
    if (window_ == 0) {
        return kNoClock;
    }
    DramClock earliest = kNoClock;
    DramClock activate_ok = earliest_activate(banks_[0]);
    for (std::uint32_t mask = train_banks_ | activate_banks_ | precharge_banks_; mask != 0;
         mask &= mask - 1) {
        const std::uint32_t index = lowest_bit(mask);
        const Bank& bank = banks_[index];
        const bool waits_for_train = (train_banks_ >> index & 1) != 0;
        DramClock column = bank.column_ok;
        if (!waits_for_train) {
            DramClock activate = bank.activate_ok;
            if ((precharge_banks_ >> index & 1) != 0) {
                activate = std::max(activate, std::max(floor_, bank.precharge_ok) + timing_.t_rp);
            }
            if (!one_group_) {
                activate_ok = earliest_activate(bank);
            }
            column = std::max(activate, activate_ok) + timing_.t_rcd;
        }
        const Segment& segment = segments_[waits_for_train ? bank.hit : bank.head];
        column = std::max(column, earliest_column(bank, segment.is_write));
        earliest = std::min(earliest, column + std::uint64_t{segment.bursts - 1} * gap_.column +
                                          (segment.is_write ? timing_.cwl : timing_.cl) +
                                          timing_.burst_clocks());
    }
    // The bound ignores that a starving transaction makes others wait.
    return std::max(earliest, known_ + 1);
}

} // namespace cavern
