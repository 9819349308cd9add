// Reads and programs that go on behind what a die does, by way of its cache register.

#include <algorithm>
#include <utility>

#include "timed/channel/flash_scheduler.h"
#include "timed/channel/flash_scheduler_groups.h"
#include "timed/tlm/time.h"

namespace cavern {

bool FlashScheduler::next_read(DieId id) {
    DieState& die = dies_[raw(id)];
    die.reads_since = sequence_;
    return choose_next_read(die);
}

bool FlashScheduler::cached_read_out(DieId id) {
    go_on_behind(id);
    return choose_next_read(dies_[raw(id)]);
}

void FlashScheduler::cache_free(DieId id) {
    dies_[raw(id)].cache_free = true;
    try_start(id);
}

void FlashScheduler::program_finished(DieId id) {
    go_on_behind(id);
    if (suspend_.any()) {
        look_while_busy(id); // for reads that could not suspend the program before
    }
}

/// What runs is complete, and the die is busy with what was behind it.
void FlashScheduler::go_on_behind(DieId id) {
    DieState& die = dies_[raw(id)];
    if (load_ != nullptr) {
        load_->ended(id);
    }
    complete_running(die, die.channel->next_command(die.slot));
    die.running.swap(die.behind);
    if (load_ != nullptr) {
        const auto hosts =
            std::count_if(die.running.begin(), die.running.end(), [this](std::uint32_t index) {
                return ops_[index].flash.origin == Origin::kHost;
            });
        load_->started(id, static_cast<std::uint32_t>(hosts),
                       is_collection(ops_[die.running.front()].flash.origin));
    }
}

bool FlashScheduler::of_blocks(const std::vector<std::uint32_t>& ops, std::uint32_t index) const {
    const BlockId block = geometry_.block_of(ops_[index].flash.page);
    return std::any_of(ops.begin(), ops.end(), [&](std::uint32_t op) {
        return geometry_.block_of(ops_[op].flash.page) == block;
    });
}

/// Whether another program may follow by way of the cache register: 15h then ends the command.
bool FlashScheduler::another_follows(const DieState& die,
                                     const std::vector<std::uint32_t>& ops) const {
    const std::uint32_t next = next_write(die).index;
    return next != kNil && ops_[next].flash.kind == FlashOpKind::kProgram && of_blocks(ops, next);
}

/// The operation could go on behind what runs, with those that start with it; but not if one of
/// these is of another block: they would have to start by themselves then.
template <typename Fits>
bool FlashScheduler::may_go_on(DieState& die, const Queue& queue, std::uint32_t first, Fits fits) {
    bool together = true;
    if (max_group(ops_[first].flash.kind) > 1) {
        look_for_partners(queue, first, [&](std::uint32_t index, std::uint32_t) {
            together = together && (!fits(index) || of_blocks(die.running, index));
            return fits(index);
        });
    }
    return together;
}

template <typename Fits>
void FlashScheduler::take_behind(DieState& die, Queue& queue, const Place& first, Fits fits) {
    const auto take = [&](std::uint32_t index, std::uint32_t before) {
        remove(queue, index, before);
        for (std::uint32_t unit = index; unit != kNil; unit = ops_[unit].next_unit) {
            die.behind.push_back(unit);
        }
    };
    take(first.index, first.before);
    if (max_group(ops_[first.index].flash.kind) > 1) {
        look_for_partners(queue, first.index, [&](std::uint32_t index, std::uint32_t before) {
            // Reads that have joined what runs let others come into view.
            if (!fits(index) || !of_blocks(die.running, index)) {
                return false;
            }
            take(index, before);
            return true;
        });
    }
    start<true>(die);
}

/// A read of another part of a page that is about to be moved out. What other planes still hold is
/// left to a command of its own.
bool FlashScheduler::goes_out_now(const DieState& die, std::uint32_t index) const {
    const std::uint64_t page = nand_page(ops_[index].flash.page);
    return column_change_ &&
           std::any_of(die.running.begin(), die.running.end(), [&](std::uint32_t running) {
               return nand_page(ops_[running].flash.page) == page;
           });
}

/// Of the first reads of the queue, the next one of the blocks that are being read.
FlashScheduler::Place FlashScheduler::find_next_read(const DieState& die,
                                                     const Queue& reads) const {
    bool passes = false;
    Place place{reads.head, kNil};
    for (std::uint32_t i = 0; i < kSchedulerWindow && place.index != kNil; ++i) {
        const Op& op = ops_[place.index];
        if (!goes_out_now(die, place.index)) {
            const bool may_pass =
                discipline_ == Discipline::kReadFirst && op.sequence < die.reads_since;
            if ((!passes || may_pass) && of_blocks(die.running, place.index)) {
                return place;
            }
            passes = true;
        }
        place = {op.next, place.index};
    }
    return {};
}

/// Reads of other units of the pages that are about to be moved out come with them. Returns what
/// is before `next` then.
std::uint32_t FlashScheduler::join_reads(DieState& die, Queue& reads, std::uint32_t next) {
    NandExtension& command = die.channel->command(die.slot);
    std::uint32_t hosts = 0;
    std::uint32_t before_next = kNil;
    Place place{reads.head, kNil};
    for (std::uint32_t i = 0; i < kSchedulerWindow && place.index != kNil; ++i) {
        const Op& op = ops_[place.index];
        const Place following{op.next, place.index};
        if (place.index == next) {
            before_next = place.before;
        }
        if (!goes_out_now(die, place.index) || command.count == NandExtension::kMost) {
            place = following;
            continue;
        }
        remove(reads, place.index, place.before);
        die.running.push_back(place.index);
        command.pages[command.count] = op.flash.page;
        command.lpns[command.count] = op.flash.lpn;
        command.versions[command.count] = op.flash.version;
        command.requests[command.count] = op.request;
        command.origins[command.count] = op.flash.origin;
        command.data_bytes[command.count] = op.bytes != 0 ? op.bytes : geometry_.page_bytes;
        ++command.count;
        hosts += op.flash.origin == Origin::kHost ? 1 : 0;
        place.index = following.index;
    }
    if (load_ != nullptr && hosts != 0) {
        const Op& first = ops_[die.running.front()];
        load_->ended(first.die);
        load_->started(first.die, hosts, is_collection(first.flash.origin));
    }
    return before_next;
}

/// The die could start something else, but for what runs: reads of its blocks go on if a read would
/// start.
bool FlashScheduler::choose_next_read(DieState& die) {
    if (!die.suspended.empty()) {
        return false; // it has the other command of the die
    }
    const Place write = fetch_ahead(die);
    if (write.index != kNil) {
        await_data(write.index);
    }
    Queue& reads = die.host_reads.head != kNil ? die.host_reads : die.reads;
    if (reads.head == kNil || (write.index != kNil && write_is_ready(ops_[write.index]) &&
                               !reads_go_first(die, reads, write))) {
        return false;
    }
    const auto any = [&](std::uint32_t index) { return !goes_out_now(die, index); };
    Place next = find_next_read(die, reads);
    if (next.index == kNil || !may_go_on(die, reads, next.index, any)) {
        return false;
    }
    if (column_change_) {
        next.before = join_reads(die, reads, next.index);
    }
    take_behind(die, reads, next, any);
    return true;
}

/// The data of a program may come in while the array programs.
void FlashScheduler::consider_next_program(DieState& die) {
    const Place next = next_write(die);
    if (next.index == kNil || ops_[next.index].flash.kind != FlashOpKind::kProgram ||
        !of_blocks(die.running, next.index)) {
        return;
    }
    await_data(next.index);
    if (!write_is_ready(ops_[next.index])) {
        return;
    }
    const Queue& reads = die.host_reads.head != kNil ? die.host_reads : die.reads;
    if (reads.head != kNil && reads_go_first(die, reads, next)) {
        return;
    }
    die.cache_free = false; // from now on: data that turns out to be there joins this operation
    const auto ready = [this](std::uint32_t index) {
        await_data(index);
        return write_is_ready(ops_[index]);
    };
    if (may_go_on(die, die.writes, next.index, ready)) {
        die.write_since = kNever;
        take_behind(die, die.writes, next, ready);
    }
}

} // namespace cavern
