// The queues of the FR-FCFS scheduler: transactions cut into segments, segments listed by bank.

#include <algorithm>

#include "timed/dram/fr_fcfs_commands.h"

namespace cavern {

bool FrFcfsScheduler::fits_window(std::uint64_t address) const {
    const std::uint64_t bank = ((address >> row_shift_) & bank_mask_) << lane_shift_;
    return window_ < timing_.queue_depth && banks_[bank].queued < bank_queue_depth_;
}

DramClock FrFcfsScheduler::push_alone(std::uint64_t address, std::uint64_t bytes, bool is_write,
                                      DramClock now) {
    if (window_ != 0 || refresh_due_ < now) {
        advance(now);
        if (window_ != 0) {
            return kNoClock;
        }
    }
    known_ = std::max(known_, now);
    const std::uint64_t line = address >> row_shift_;
    if ((address + bytes - 1) >> row_shift_ != line) {
        return kNoClock; // which row to open first takes the queue to see
    }
    if (lane_shift_ != 0) {
        return settle(Waiting{0, address, bytes, is_write}, now);
    }
    floor_ = std::max(floor_, now);
    const auto index = static_cast<std::uint32_t>(line & bank_mask_);
    std::uint64_t left = ((address + bytes - 1) >> burst_shift_) - (address >> burst_shift_) + 1;
    DramClock data_end = 0;
    while (left != 0) {
        const DramClock column_ok = open_row_alone(index, line >> bank_shift_);
        const DramClock at =
            std::max(std::max(floor_, column_ok), banks_[index].group->column_ok[is_write ? 1 : 0]);
        if (at >= refresh_due_) {
            refresh();
            continue;
        }
        // A refresh that falls due cuts the train; the rest follows it.
        std::uint64_t count = left;
        if (at + (left - 1) * spacing_ >= refresh_due_) {
            count = (refresh_due_ - 1 - at) / spacing_ + 1;
        }
        data_end = move_data(index, is_write, at, static_cast<std::uint32_t>(count), spacing_);
        left -= count;
    }
    ++(is_write ? statistics_.writes : statistics_.reads);
    statistics_.bytes += bytes;
    ++admitted_;
    return data_end;
}

/// The same where a row is spread over two banks: their commands compete, with nobody else's.
DramClock FrFcfsScheduler::settle(const Waiting& arrival, DramClock now) {
    floor_ = std::max(floor_, now);
    quiet_until_ = 0;
    admit(arrival);
    work(kNoClock);
    return done_.pop().end;
}

/// Makes `row` the open one, as early as the bank and the command bus allow but not past the next
/// refresh. Returns from when on it takes column commands, kNoClock if the refresh comes first.
DramClock FrFcfsScheduler::open_row_alone(std::uint32_t index, std::uint64_t row) {
    Bank& bank = banks_[index];
    if (bank.open && bank.row == row) {
        return bank.column_ok;
    }
    if (bank.open) {
        const DramClock precharge = row_command_slot(std::max(floor_, bank.precharge_ok));
        if (precharge >= refresh_due_) {
            return kNoClock;
        }
        report(SdramCommand::kPrecharge, precharge, index, bank.row, 1);
        close_row(bank, precharge);
    }
    const DramClock activate =
        row_command_slot(std::max(bank.activate_ok, earliest_activate(bank)));
    if (activate >= refresh_due_) {
        return kNoClock;
    }
    open_row(index, row, activate);
    return bank.column_ok;
}

void FrFcfsScheduler::admit(const Waiting& arrival) {
    std::uint32_t index = free_transaction_;
    if (index == kNone) {
        index = static_cast<std::uint32_t>(transactions_.size());
        transactions_.emplace_back();
    } else {
        free_transaction_ = transactions_[index].next_free;
    }
    const std::uint64_t last = arrival.address + arrival.bytes - 1;
    const std::uint64_t first_line = arrival.address >> row_shift_;
    const std::uint64_t last_line = last >> row_shift_;
    const std::uint64_t end = (last >> burst_shift_) + 1;
    transactions_[index] = Transaction{arrival.id, arrival.bytes, 0, kNone};
    std::uint64_t burst = arrival.address >> burst_shift_;
    for (std::uint64_t line = first_line; line <= last_line; ++line) {
        const std::uint64_t line_end = (line + 1) << (row_shift_ - burst_shift_);
        const std::uint64_t segment_end = std::min(line_end, end);
        const auto bank = static_cast<std::uint32_t>(line & bank_mask_);
        const Segment segment{line >> bank_shift_,
                              admitted_,
                              static_cast<std::uint32_t>(segment_end - burst),
                              index,
                              kNone,
                              kNone,
                              arrival.is_write};
        if (lane_shift_ == 0) {
            queue_segment(bank, segment);
        } else {
            queue_lanes(bank << lane_shift_, segment, burst);
        }
        burst = segment_end;
    }
    ++window_;
    ++admitted_;
}

/// Bursts from number `burst` on, by turns to banks `first` and its neighbour of another group.
void FrFcfsScheduler::queue_lanes(std::uint32_t first, Segment segment, std::uint64_t burst) {
    const std::uint32_t bursts = segment.bursts;
    const auto lane = static_cast<std::uint32_t>(burst & 1);
    segment.bursts = (bursts + 1) / 2;
    queue_segment(first + lane, segment);
    if (bursts > 1) {
        segment.bursts = bursts / 2;
        queue_segment(first + (lane ^ 1), segment);
    }
}

std::uint32_t FrFcfsScheduler::take_segment_slot() {
    const std::uint32_t slot = free_segment_;
    if (slot == kNone) {
        segments_.emplace_back();
        return static_cast<std::uint32_t>(segments_.size() - 1);
    }
    free_segment_ = segments_[slot].next;
    return slot;
}

void FrFcfsScheduler::queue_segment(std::uint32_t index, const Segment& segment) {
    const std::uint32_t slot = take_segment_slot();
    segments_[slot] = segment;
    ++transactions_[segment.transaction].segments;
    Bank& bank = banks_[index];
    ++bank.queued;
    const std::uint32_t previous = bank.tail;
    segments_[slot].previous = previous;
    bank.tail = slot;
    const bool becomes_hit = bank.open && bank.hit == kNone && bank.row == segment.row;
    if (becomes_hit) {
        set_hit(bank, slot);
        offer_train(index);
    }
    if (previous == kNone) {
        set_head(bank, slot);
        classify(index);
    } else {
        segments_[previous].next = slot;
        if (becomes_hit) {
            classify(index);
        }
    }
}

void FrFcfsScheduler::remove_hit(Bank& bank) {
    const std::uint32_t slot = bank.hit;
    Segment& segment = segments_[slot];
    const std::uint32_t next = segment.next;
    if (segment.previous == kNone) {
        set_head(bank, next);
    } else {
        segments_[segment.previous].next = next;
    }
    (next == kNone ? bank.tail : segments_[next].previous) = segment.previous;
    --bank.queued;
    std::uint32_t hit = next;
    while (hit != kNone && segments_[hit].row != bank.row) {
        hit = segments_[hit].next;
    }
    set_hit(bank, hit);
    segment.next = free_segment_;
    free_segment_ = slot;
}

void FrFcfsScheduler::finish_segment(const Segment& segment, DramClock data_end) {
    Transaction& transaction = transactions_[segment.transaction];
    if (--transaction.segments != 0) {
        return;
    }
    // Data transfers keep the order of the column commands, so the last segment issued ends last.
    done_.push(SdramCompletion{transaction.id, data_end});
    ++(segment.is_write ? statistics_.writes : statistics_.reads);
    statistics_.bytes += transaction.bytes;
    transaction.next_free = free_transaction_;
    free_transaction_ = segment.transaction;
    --window_;
}

} // namespace cavern
