#include "timed/channel/flash_scheduler.h"

#include <algorithm>

#include "core/base/check.h"
#include "timed/tlm/time.h"

namespace cavern {

FlashScheduler::FlashScheduler(const Geometry& geometry, Discipline discipline, bool multi_plane,
                               FlashClientIf& client, EventQueue& events)
    : geometry_(geometry),
      by_pages_per_die_(static_cast<std::uint32_t>(geometry.pages() / geometry.dies())),
      discipline_(discipline),
      max_group_(multi_plane ? std::min(geometry.planes_per_die, kMaxPlanes) : 1), client_(client),
      events_(events), dies_(geometry.dies()), pending_programs_(256),
      reads_in_block_(geometry.blocks(), 0) {
    for (DieState& die : dies_) {
        die.running.reserve(kMaxPlanes);
    }
}

void FlashScheduler::report_to(DieLoad* load, DieLoad::Clock clock) {
    load_ = load;
    if (load != nullptr) {
        load->follow(clock);
    }
}

void FlashScheduler::connect(ChannelId channel, FlashChannelIf& interface) {
    for (std::uint32_t slot = 0; slot < geometry_.dies_per_channel(); ++slot) {
        DieState& die = dies_[raw(geometry_.die_at(channel, slot))];
        die.channel = &interface;
        die.slot = slot;
    }
}

std::uint32_t FlashScheduler::allocate(const FlashOp& flash) {
    if (free_ops_ == kNil) {
        free_ops_ = static_cast<std::uint32_t>(ops_.size());
        ops_.emplace_back();
    }
    const std::uint32_t index = free_ops_;
    free_ops_ = ops_[index].next;
    ops_[index] = Op{};
    ops_[index].flash = flash;
    ops_[index].die = DieId{by_pages_per_die_.divide(raw(flash.page))};
    ops_[index].sequence = sequence_++;
    ++submitted_;
    if (load_ != nullptr) {
        load_->submitted(ops_[index].die, flash.origin == Origin::kHost);
    }
    return index;
}

void FlashScheduler::release(std::uint32_t index) {
    ops_[index].next = free_ops_;
    free_ops_ = index;
}

void FlashScheduler::append(Queue& queue, std::uint32_t index) {
    ops_[index].next = kNil;
    if (queue.head == kNil) {
        queue.head = index;
    } else {
        ops_[queue.tail].next = index;
    }
    queue.tail = index;
}

std::uint32_t FlashScheduler::pop(Queue& queue) {
    const std::uint32_t index = queue.head;
    queue.head = ops_[index].next;
    return index;
}

void FlashScheduler::depend(std::uint32_t index, std::uint32_t on) {
    // All are known before the first can complete, so their number is the next free link.
    const std::uint32_t place = ops_[index].waits_for++;
    CAVERN_CHECK(place < kMaxAwaited, "an operation waits for more others than there are links");
    ops_[index].next_dependent[place] = ops_[on].first_dependent;
    ops_[on].first_dependent = index * kMaxAwaited + place;
}

OpHandle FlashScheduler::submit(const FlashOpList& ops,
                                const std::vector<std::uint32_t>& contexts) {
    batch_.clear();
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const std::uint32_t index = allocate(ops[i]);
        batch_.push_back(index);
        ops_[index].context = i < contexts.size() ? contexts[i] : 0;
        if (ops[i].after != FlashOp::kNone) {
            const std::uint32_t on = batch_[static_cast<std::size_t>(ops[i].after)];
            depend(index, on);
            if (ops[i].copies) {
                CAVERN_CHECK(!ops_[on].feeds_copy, "a page read for a copy is programmed once");
                ops_[on].feeds_copy = true;
                ops_[index].source = raw(geometry_.block_of(ops_[on].flash.page));
            }
        }
    }
    // Dies are looked at after the whole list is queued, so that neighbouring planes can group. A
    // callback may submit again, so the list is not walked while operations start.
    for (const std::uint32_t index : batch_) {
        enqueue(index);
    }
    const OpHandle last = batch_.empty() ? kNoOp : OpHandle{batch_.back()};
    const std::size_t size = batch_.size();
    for (std::size_t i = 0; i < size; ++i) {
        try_start(ops_[batch_[i]].die);
    }
    return last;
}

void FlashScheduler::submit_read(Ppn page, Lpn lpn, std::uint32_t context, OpHandle after) {
    FlashOp flash;
    flash.kind = FlashOpKind::kRead;
    flash.page = page;
    flash.lpn = lpn;
    const std::uint32_t index = allocate(flash);
    ops_[index].context = context;
    ops_[index].host_read = true;
    if (after != kNoOp) {
        depend(index, raw(after));
    }
    enqueue(index);
    try_start(ops_[index].die);
}

void FlashScheduler::enqueue(std::uint32_t index) {
    Op& op = ops_[index];
    DieState& die = dies_[raw(op.die)];
    switch (op.flash.kind) {
    case FlashOpKind::kRead: {
        const std::uint32_t writer = pending_programs_.find(raw(op.flash.page));
        if (writer != FlatMap::kNone) {
            depend(index, writer);
            break;
        }
        hold_block(op);
        if (op.waits_for == 0) {
            append(die.reads, index);
        }
        break;
    }
    case FlashOpKind::kProgram:
        pending_programs_.set(raw(op.flash.page), index);
        append(die.writes, index);
        break;
    case FlashOpKind::kErase:
        append(die.writes, index);
        break;
    }
}

/// Erases of the block wait from now on. Not called while a read waits for the program of its page:
/// once an erase is first in line, such a program can only be one behind it, and the two would wait
/// for each other.
void FlashScheduler::hold_block(Op& op) {
    op.holds_block = true;
    ++reads_in_block_[raw(geometry_.block_of(op.flash.page))];
}

FlashScheduler::Pending FlashScheduler::pending_program(Ppn page) const {
    const std::uint32_t index = pending_programs_.find(raw(page));
    if (index == FlatMap::kNone) {
        return {};
    }
    const Op& op = ops_[index];
    return {true, op.flash.origin == Origin::kHost, op.context};
}

void FlashScheduler::fetch_ahead(DieState& die) {
    std::uint32_t index = die.writes.head;
    for (std::uint32_t i = 0; i < max_group_ && index != kNil; ++i) {
        const std::uint32_t next = ops_[index].next;
        Op& op = ops_[index];
        if (op.flash.kind != FlashOpKind::kProgram) {
            return;
        }
        if (op.data == DataState::kNotAsked && op.waits_for == 0) {
            if (!op.flash.copies && op.flash.origin != Origin::kHost) {
                op.data = DataState::kReady; // the controller makes it: zeros, or its own tables
                index = next;
                continue;
            }
            op.data = DataState::kAsked;
            const TimePs at =
                client_.fetch_program_data(OpHandle{index}, op.context, op.flash.copies);
            if (at != kNever) {
                op.data = DataState::kComing;
                op.data_at = at;
            }
        }
        index = next;
    }
}

bool FlashScheduler::write_is_ready(const Op& op) const {
    if (op.waits_for != 0) {
        return false;
    }
    if (op.flash.kind == FlashOpKind::kErase) {
        return reads_in_block_[raw(geometry_.block_of(op.flash.page))] == 0;
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
    const bool read = die.reads.head != kNil;
    const bool write = die.writes.head != kNil && write_is_ready(ops_[die.writes.head]);
    const bool read_older =
        read && write && ops_[die.reads.head].sequence < ops_[die.writes.head].sequence;
    if (read && (!write || discipline_ == Discipline::kReadFirst || read_older)) {
        start_read(die);
    } else if (write) {
        start_write(die);
    }
}

void FlashScheduler::start_read(DieState& die) {
    die.running.push_back(pop(die.reads));
    start(die);
}

void FlashScheduler::start_write(DieState& die) {
    die.busy = true; // from now on: data that turns out to be there joins this operation
    const std::uint32_t first = pop(die.writes);
    die.running.push_back(first);
    if (max_group_ > 1 && ops_[first].flash.kind == FlashOpKind::kProgram) {
        const std::uint32_t page = geometry_.page_in_block(ops_[first].flash.page);
        std::uint32_t planes = 1u << geometry_.plane_in_die(
                                   geometry_.plane_of(geometry_.block_of(ops_[first].flash.page)));
        while (die.running.size() < max_group_ && die.writes.head != kNil) {
            await_data(die.writes.head);
            const Op& next = ops_[die.writes.head];
            const std::uint32_t plane = 1u << geometry_.plane_in_die(geometry_.plane_of(
                                            geometry_.block_of(next.flash.page)));
            if (next.flash.kind != FlashOpKind::kProgram || !write_is_ready(next) ||
                geometry_.page_in_block(next.flash.page) != page || (planes & plane) != 0) {
                break;
            }
            planes |= plane;
            die.running.push_back(pop(die.writes));
        }
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
    }
    if (load_ != nullptr) {
        load_->started(first.die, hosts, is_collection(first.flash.origin));
    }
    die.channel->start(die.slot);
    // The queue has a new head whose data can be fetched while this operation runs.
    fetch_ahead(die);
}

void FlashScheduler::operation_finished(DieId id) {
    DieState& die = dies_[raw(id)];
    if (load_ != nullptr) {
        load_->ended(id);
    }
    // The die stays busy meanwhile: what becomes ready by one completion must not start, and so be
    // among the running, before the others are complete.
    while (!die.running.empty()) {
        const std::uint32_t index = die.running.back();
        die.running.pop_back();
        complete(index);
    }
    die.busy = false;
    try_start(id);
}

void FlashScheduler::complete(std::uint32_t index) {
    const FlashOp flash = ops_[index].flash;
    const std::uint32_t source = ops_[index].source;
    switch (flash.kind) {
    case FlashOpKind::kRead:
        if (ops_[index].feeds_copy) {
            const TimePs at = client_.store_copied_page(OpHandle{index});
            if (at != kNever) {
                data_stored(OpHandle{index}, at);
            }
            return; // completes when the page is stored; its block is held until it is programmed
        }
        --reads_in_block_[raw(geometry_.block_of(flash.page))];
        if (ops_[index].host_read) {
            client_.host_page_read(ops_[index].context);
        }
        break;
    case FlashOpKind::kProgram:
        // After an erase that is queued as well, the same page may be pending a second time.
        if (pending_programs_.find(raw(flash.page)) == index) {
            pending_programs_.erase(raw(flash.page));
        }
        if (flash.origin == Origin::kHost) {
            client_.host_page_programmed(ops_[index].context);
        }
        break;
    case FlashOpKind::kErase:
        break;
    }
    done(index);
    if (source != kNil) {
        --reads_in_block_[source];
        try_start(geometry_.die_of(BlockId{source}));
    }
}

void FlashScheduler::done(std::uint32_t index) {
    satisfy_dependents(index);
    ++completed_;
    const DieId die = ops_[index].die;
    release(index);
    if (load_ != nullptr) {
        load_->completed(die);
        if (load_->idle_dies() != 0) {
            client_.die_idle();
        }
    }
}

void FlashScheduler::data_stored(OpHandle op, TimePs at) {
    if (at <= now_ps()) {
        done(raw(op));
    } else {
        schedule(at, Event::kDataStored, raw(op));
    }
}

void FlashScheduler::satisfy_dependents(std::uint32_t index) {
    std::uint32_t link = ops_[index].first_dependent;
    while (link != kNil) {
        const std::uint32_t dependent = link / kMaxAwaited;
        Op& op = ops_[dependent];
        link = op.next_dependent[link % kMaxAwaited];
        --op.waits_for;
        const DieId id = op.die;
        if (op.flash.kind == FlashOpKind::kRead) {
            // The page is programmed from now on, whatever else the read waits for.
            if (!op.holds_block && ops_[index].flash.page == op.flash.page &&
                ops_[index].flash.kind == FlashOpKind::kProgram) {
                hold_block(op);
            }
            if (op.waits_for == 0) {
                append(dies_[raw(id)].reads, dependent);
            }
        }
        try_start(id);
    }
}

void FlashScheduler::data_ready(OpHandle op, TimePs at) {
    ops_[raw(op)].data = DataState::kComing;
    ops_[raw(op)].data_at = at;
    try_start(ops_[raw(op)].die);
}

std::uint64_t FlashScheduler::check_idle() const {
    CAVERN_CHECK(outstanding() == 0, "every flash operation submitted has completed");
    CAVERN_CHECK(pending_programs_.size() == 0, "no program is pending at the end");
    for (const DieState& die : dies_) {
        CAVERN_CHECK(!die.busy && die.reads.head == kNil && die.writes.head == kNil,
                     "die queues are empty at the end");
    }
    return 2 + dies_.size();
}

} // namespace cavern
