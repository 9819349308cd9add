// Which operation a die starts next, and the data of programs.

#include "timed/channel/flash_scheduler.h"

#include "timed/tlm/time.h"

namespace cavern {

/// What starts next of the programs and erases of a die, once it is ready: the first of the queue,
/// or, while that is an erase that waits for operations of other dies, the next that is not of a
/// block it would pass.
FlashScheduler::Place FlashScheduler::next_write(const DieState& die) const {
    Place place{die.writes.head, kNil};
    if (place.index == kNil || !is_held(ops_[place.index])) {
        return place;
    }
    PassedBlocks passed;
    while (place.index != kNil && !passed.full()) {
        const Op& op = ops_[place.index];
        const BlockId block = geometry_.block_of(op.flash.page);
        if (!is_held(op) && !passed.has(block)) {
            return place;
        }
        passed.add(block);
        place = {op.next, place.index};
    }
    return {};
}

/// The same where planes work together, or an erase is next.
FlashScheduler::Place FlashScheduler::fetch_group_ahead(DieState& die) {
    const auto is_program = [this](std::uint32_t index) {
        return index != kNil && ops_[index].flash.kind == FlashOpKind::kProgram;
    };
    const Place place = next_write(die);
    const std::uint32_t first = place.index;
    std::uint32_t index = first;
    for (std::uint32_t i = 0; i < max_group_ && is_program(index); ++i) {
        const std::uint32_t next = ops_[index].next;
        fetch(index);
        index = next;
    }
    if (max_group_ > 1 && index != kNil && is_program(first)) {
        look_for_partners(die, first, [this](std::uint32_t partner, std::uint32_t) {
            fetch(partner);
            return true;
        });
    }
    return place;
}

/// Asks for the data of a program, if that has not been done and nothing else comes first.
void FlashScheduler::fetch_unit(std::uint32_t index) {
    Op& op = ops_[index];
    if (!op.flash.copies && op.flash.origin != Origin::kHost) {
        op.data = DataState::kReady; // the controller makes it: zeros, or its own tables
        return;
    }
    op.data = DataState::kAsked;
    const TimePs at = op.flash.copies ? client_.fetch_copied_page(OpHandle{index}, op.copy_page)
                                      : client_.fetch_program_data(OpHandle{index}, op.context);
    if (at != kNever) {
        ops_[index].data = DataState::kComing;
        ops_[index].data_at = at;
    }
}

/// Programs of the queue that can run with `first`: of one page index, each in another plane. What
/// they pass must not be of their block, where order matters: pages are programmed in order, and
/// behind the erase. `take` is given a program and the one before it in the queue, and returns
/// whether it is one of the group.
template <typename Take>
void FlashScheduler::look_for_partners(DieState& die, std::uint32_t first, Take take) {
    const std::uint32_t page = geometry_.page_in_block(ops_[first].flash.page);
    const auto plane_bit = [this](BlockId block) {
        return 1u << geometry_.plane_in_die(geometry_.plane_of(block));
    };
    std::uint32_t planes = plane_bit(geometry_.block_of(ops_[first].flash.page));
    std::uint32_t members = 1;
    PassedBlocks passed;
    std::uint32_t before = kNil;
    for (std::uint32_t index = die.writes.head;
         index != kNil && members < max_group_ && !passed.full();) {
        const std::uint32_t next = ops_[index].next;
        const FlashOp& flash = ops_[index].flash;
        const BlockId block = geometry_.block_of(flash.page);
        const bool fits = flash.kind == FlashOpKind::kProgram &&
                          geometry_.page_in_block(flash.page) == page &&
                          (planes & plane_bit(block)) == 0 && !passed.has(block);
        if (fits && take(index, before)) {
            planes |= plane_bit(block);
            ++members;
        } else {
            if (index != first) {
                passed.add(block);
            }
            before = index;
        }
        index = next;
    }
}

bool FlashScheduler::page_is_ready(const Op& first) const {
    if (first.units != units_per_page_) {
        return false;
    }
    for (std::uint32_t unit = first.next_unit; unit != kNil; unit = ops_[unit].next_unit) {
        if (ops_[unit].waits || ops_[unit].data != DataState::kReady) {
            return false;
        }
    }
    return true;
}

/// The program could start but for its data, which is still coming.
void FlashScheduler::await_unit(std::uint32_t index) {
    Op& op = ops_[index];
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
    const Place next = fetch_ahead(die);
    if (die.busy) {
        return;
    }
    if (next.index != kNil) {
        await_data(next.index);
    }
    Queue& reads = die.host_reads.head != kNil ? die.host_reads : die.reads;
    const bool read = reads.head != kNil;
    const bool write = next.index != kNil && write_is_ready(ops_[next.index]);
    const bool read_older = read && write && ops_[reads.head].sequence < ops_[next.index].sequence;
    if (read && (!write || discipline_ == Discipline::kReadFirst || read_older)) {
        start_read(die, reads);
    } else if (write) {
        start_write(die, next);
    }
}

FlashScheduler::Queue& FlashScheduler::reads_for(const Op& op) {
    DieState& die = dies_[raw(op.die)];
    return op.urgent && discipline_ == Discipline::kReadFirst ? die.host_reads : die.reads;
}

/// All units of the NAND page, if it has several, start.
void FlashScheduler::take_page(DieState& die, std::uint32_t first) {
    for (std::uint32_t unit = first; unit != kNil; unit = ops_[unit].next_unit) {
        die.running.push_back(unit);
    }
}

void FlashScheduler::start_read(DieState& die, Queue& reads) {
    die.running.push_back(pop(reads));
    start(die);
}

void FlashScheduler::start_write(DieState& die, const Place& next) {
    die.busy = true; // from now on: data that turns out to be there joins this operation
    const std::uint32_t first = next.index;
    remove(die.writes, first, next.before);
    take_page(die, first);
    if (max_group_ > 1 && ops_[first].flash.kind == FlashOpKind::kProgram) {
        look_for_partners(die, first, [&](std::uint32_t index, std::uint32_t before) {
            await_data(index);
            if (!write_is_ready(ops_[index])) {
                return false;
            }
            remove(die.writes, index, before);
            take_page(die, index);
            return true;
        });
    }
    start(die);
}

/// A read takes what it wants of its page, which the page register may have.
void FlashScheduler::change_column(DieState& die, const Op& op, NandExtension& command) const {
    const bool read = command.kind == FlashOpKind::kRead;
    const std::uint64_t page = read ? nand_page(op.flash.page) : kNoPage;
    command.from_register = read && page == die.page_register;
    command.data_bytes = op.bytes != 0 ? op.bytes : geometry_.page_bytes;
    die.page_register = page;
}

void FlashScheduler::start(DieState& die) {
    die.busy = true;
    die.since = now_ps();
    NandExtension& command = die.channel->command(die.slot);
    const Op& first = ops_[die.running.front()];
    command.kind = first.flash.kind;
    command.origin = first.flash.origin;
    command.count = static_cast<std::uint32_t>(die.running.size());
    command.nand_pages = command.count;
    command.data_bytes = geometry_.page_bytes;
    command.from_register = false;
    if (units_per_page_ != 1 && command.kind == FlashOpKind::kProgram) {
        command.nand_pages /= units_per_page_;
    }
    if (column_change_) {
        change_column(die, first, command);
    }
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
    if (command.kind == FlashOpKind::kProgram) {
        give_back_copy_pages(die, copy_pages_[raw(first.die)]);
    }
}

void FlashScheduler::data_ready(OpHandle op, TimePs at) {
    ops_[raw(op)].data = DataState::kComing;
    ops_[raw(op)].data_at = at;
    try_start(ops_[raw(op)].die);
}

} // namespace cavern
