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
    floor_ = std::max(floor_, now);
    const auto bank = static_cast<std::uint32_t>(line & bank_mask_);
    const std::uint64_t row = line >> bank_shift_;
    const std::uint64_t burst = address >> burst_shift_;
    const std::uint64_t bursts = ((address + bytes - 1) >> burst_shift_) - burst + 1;
    const DramClock end = lane_shift_ == 0
                              ? settle(bank, row, bursts, is_write)
                              : settle_lanes(bank << 1, row, burst & 1, bursts, is_write);
    ++(is_write ? statistics_.writes : statistics_.reads);
    statistics_.bytes += bytes;
    ++admitted_;
    return end;
}

/// All commands of one train, with nobody else's between. Returns the end of its data.
DramClock FrFcfsScheduler::settle(std::uint32_t index, std::uint64_t row, std::uint64_t left,
                                  bool is_write) {
    const Bank& bank = banks_[index];
    DramClock data_end = 0;
    while (left != 0) {
        if (bank.open && bank.row != row) {
            const DramClock at = row_command_slot(std::max(floor_, bank.precharge_ok));
            if (at >= refresh_due_) {
                refresh();
                continue;
            }
            close_row(index, at);
        }
        if (!bank.open) {
            const DramClock at =
                row_command_slot(std::max(bank.activate_ok, earliest_activate(bank)));
            if (at >= refresh_due_) {
                refresh();
                continue;
            }
            open_row(index, row, at);
        }
        const DramClock at = earliest_column(bank, is_write);
        if (at >= refresh_due_) {
            refresh();
            continue;
        }
        // A refresh that falls due cuts the train; the rest follows it.
        std::uint64_t count = left;
        if (at + (left - 1) * gap_.column >= refresh_due_) {
            count = (refresh_due_ - 1 - at) / gap_.column + 1;
        }
        data_end = move_data(index, is_write, at, static_cast<std::uint32_t>(count));
        left -= count;
    }
    return data_end;
}

/// The same of the trains of banks `first` and its neighbour, of which each takes every other
/// burst, number `lane` the first: their commands compete as those of work() do.
DramClock FrFcfsScheduler::settle_lanes(std::uint32_t first, std::uint64_t row, std::uint64_t lane,
                                        std::uint64_t bursts, bool is_write) {
    std::uint32_t left[2];
    left[lane] = static_cast<std::uint32_t>((bursts + 1) / 2);
    left[lane ^ 1] = static_cast<std::uint32_t>(bursts / 2);
    DramClock end = 0;
    std::uint32_t opened = 1; // of two that could be next, what was opened first goes first
    while ((left[0] | left[1]) != 0) {
        DramClock column[2] = {kNoClock, kNoClock};
        DramClock row_command = kNoClock;
        std::uint32_t row_bank = 0;
        for (std::uint32_t i = 0; i < 2; ++i) {
            const Bank& bank = banks_[first + i];
            if (left[i] == 0) {
                continue;
            }
            if (bank.open && bank.row == row) {
                column[i] = earliest_column(bank, is_write);
                continue;
            }
            const DramClock at = bank.open ? std::max(floor_, bank.precharge_ok)
                                           : std::max(earliest_activate(bank), bank.activate_ok);
            if (at < row_command) {
                row_command = at;
                row_bank = first + i;
            }
        }
        const std::uint32_t lead = column[1] < column[0] + (opened ^ 1) ? 1 : 0;
        const DramClock at = column[lead];
        if (row_command != kNoClock) {
            const DramClock slot = row_command_slot(row_command);
            if (slot < std::min(at, refresh_due_)) {
                if (banks_[row_bank].open) {
                    close_row(row_bank, slot);
                } else {
                    open_row(row_bank, row, slot);
                    opened = row_bank - first;
                }
                continue;
            }
        }
        opened = 1;
        if (at >= refresh_due_) {
            refresh();
            continue;
        }
        const std::uint32_t other = lead ^ 1;
        std::uint32_t count = 0;
        if (column[other] <= at + gap_.lane) {
            count = before_refresh(at, std::min(left[0], left[1]));
        }
        if (count == 0) {
            end = move_data(first + lead, is_write, at, 1);
            --left[lead];
        } else {
            end = move_lanes(first + lead, first + other, is_write, at, count);
            left[0] -= count;
            left[1] -= count;
        }
    }
    return end;
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
