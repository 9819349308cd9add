// Which operation a die starts next, and the data of programs.

#include "timed/channel/flash_scheduler.h"

#include <algorithm>
#include <array>

#include "timed/tlm/time.h"

namespace cavern {

void FlashScheduler::fetch_ahead(DieState& die) {
    const auto is_program = [this](std::uint32_t index) {
        return index != kNil && ops_[index].flash.kind == FlashOpKind::kProgram;
    };
    const std::uint32_t first = die.writes.head;
    std::uint32_t index = first;
    for (std::uint32_t i = 0; i < max_group_ && is_program(index); ++i) {
        const std::uint32_t next = ops_[index].next;
        fetch(index);
        index = next;
    }
    if (max_group_ > 1 && index != kNil && is_program(first)) {
        look_for_partners(first, ops_[first].next, [this](std::uint32_t partner, std::uint32_t) {
            fetch(partner);
            return true;
        });
    }
}

/// Asks for the data of a program, if that has not been done and nothing else comes first.
void FlashScheduler::fetch(std::uint32_t index) {
    Op& op = ops_[index];
    if (op.data != DataState::kNotAsked || op.waits) {
        return;
    }
    if (!op.flash.copies && op.flash.origin != Origin::kHost) {
        op.data = DataState::kReady; // the controller makes it: zeros, or its own tables
        return;
    }
    op.data = DataState::kAsked;
    const TimePs at = client_.fetch_program_data(OpHandle{index}, op.context, op.flash.copies);
    if (at != kNever) {
        ops_[index].data = DataState::kComing;
        ops_[index].data_at = at;
    }
}

/// Programs of the queue from `index` on that can run with `first`: of one page index, each in
/// another plane. What they pass must not be of their block, where order matters: pages are
/// programmed in order, and behind the erase. `take` is given a program and the one before it in
/// the queue, and returns whether it is one of the group.
template <typename Take>
void FlashScheduler::look_for_partners(std::uint32_t first, std::uint32_t index, Take take) {
    const std::uint32_t page = geometry_.page_in_block(ops_[first].flash.page);
    const auto plane_bit = [this](BlockId block) {
        return 1u << geometry_.plane_in_die(geometry_.plane_of(block));
    };
    std::uint32_t planes = plane_bit(geometry_.block_of(ops_[first].flash.page));
    std::uint32_t members = 1;
    std::array<BlockId, kWindow> passed;
    std::uint32_t passes = 0;
    std::uint32_t before = kNil;
    while (index != kNil && members < max_group_ && passes < kWindow) {
        const std::uint32_t next = ops_[index].next;
        const FlashOp& flash = ops_[index].flash;
        const BlockId block = geometry_.block_of(flash.page);
        const bool fits =
            flash.kind == FlashOpKind::kProgram && geometry_.page_in_block(flash.page) == page &&
            (planes & plane_bit(block)) == 0 &&
            std::find(passed.begin(), passed.begin() + passes, block) == passed.begin() + passes;
        if (fits && take(index, before)) {
            planes |= plane_bit(block);
            ++members;
        } else {
            passed[passes++] = block;
            before = index;
        }
        index = next;
    }
}

bool FlashScheduler::write_is_ready(const Op& op) const {
    if (op.waits) {
        return false;
    }
    if (op.flash.kind == FlashOpKind::kErase) {
        return holds_[raw(geometry_.block_of(op.flash.page))] == 0;
    }
    return op.data == DataState::kReady;
}

/// The program could start but for its data, if that is still coming.
void FlashScheduler::await_data(std::uint32_t index) {
    Op& op = ops_[index];
    if (op.data != DataState::kComing) {
        return;
    }
    if (op.data_at <= now_ps()) {
        op.data = DataState::kReady;
    } else {
        op.data = DataState::kAwaited;
        schedule(op.data_at, Event::kDataReady, index);
    }
}

void FlashScheduler::schedule(TimePs at, Event event, std::uint32_t index) {
    events_.schedule(at, *this, std::uint64_t{static_cast<std::uint32_t>(event)} << 32 | index);
}

void FlashScheduler::on_event(std::uint64_t what) {
    const auto index = static_cast<std::uint32_t>(what);
    if (static_cast<Event>(what >> 32) == Event::kDataStored) {
        done(index);
        return;
    }
    ops_[index].data = DataState::kReady;
    try_start(ops_[index].die);
}

void FlashScheduler::try_start(DieId id) {
    DieState& die = dies_[raw(id)];
    fetch_ahead(die);
    if (die.busy) {
        return;
    }
    if (die.writes.head != kNil) {
        await_data(die.writes.head);
    }
    Queue& reads = die.host_reads.head != kNil ? die.host_reads : die.reads;
    const bool read = reads.head != kNil;
    const bool write = die.writes.head != kNil && write_is_ready(ops_[die.writes.head]);
    const bool read_older =
        read && write && ops_[reads.head].sequence < ops_[die.writes.head].sequence;
    if (read && (!write || discipline_ == Discipline::kReadFirst || read_older)) {
        start_read(die, reads);
    } else if (write) {
        start_write(die);
    }
}

FlashScheduler::Queue& FlashScheduler::reads_for(const Op& op) {
    DieState& die = dies_[raw(op.die)];
    return op.urgent && discipline_ == Discipline::kReadFirst ? die.host_reads : die.reads;
}

void FlashScheduler::start_read(DieState& die, Queue& reads) {
    die.running.push_back(pop(reads));
    start(die);
}

void FlashScheduler::start_write(DieState& die) {
    die.busy = true; // from now on: data that turns out to be there joins this operation
    const std::uint32_t first = pop(die.writes);
    die.running.push_back(first);
    if (max_group_ > 1 && ops_[first].flash.kind == FlashOpKind::kProgram) {
        look_for_partners(first, die.writes.head, [&](std::uint32_t index, std::uint32_t before) {
            await_data(index);
            if (!write_is_ready(ops_[index])) {
                return false;
            }
            remove(die.writes, index, before);
            die.running.push_back(index);
            return true;
        });
    }
    start(die);
}

void FlashScheduler::start(DieState& die) {
    die.busy = true;
    NandExtension& command = die.channel->command(die.slot);
    const Op& first = ops_[die.running.front()];
    command.kind = first.flash.kind;
    command.origin = first.flash.origin;
    command.count = static_cast<std::uint32_t>(die.running.size());
    std::uint32_t hosts = 0;
    for (std::uint32_t i = 0; i < command.count; ++i) {
        hosts += ops_[die.running[i]].flash.origin == Origin::kHost ? 1 : 0;
        command.pages[i] = ops_[die.running[i]].flash.page;
        command.lpns[i] = ops_[die.running[i]].flash.lpn;
        command.versions[i] = ops_[die.running[i]].flash.version;
    }
    if (load_ != nullptr) {
        load_->started(first.die, hosts, is_collection(first.flash.origin));
    }
    die.channel->start(die.slot);
    // The queue has a new head whose data can be fetched while this operation runs.
    fetch_ahead(die);
}

void FlashScheduler::data_ready(OpHandle op, TimePs at) {
    ops_[raw(op)].data = DataState::kComing;
    ops_[raw(op)].data_at = at;
    try_start(ops_[raw(op)].die);
}

} // namespace cavern
