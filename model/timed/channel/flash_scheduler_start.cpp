// Which operation a die starts next, and the data of programs.

#include "timed/channel/flash_scheduler.h"

#include "timed/channel/flash_scheduler_groups.h"
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
        look_for_partners(die.writes, first, [this](std::uint32_t partner, std::uint32_t) {
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
        if (ecc_ != nullptr) {
            encode(index, now_ps());
        }
        return;
    }
    op.data = DataState::kAsked;
    const TimePs at = op.flash.copies ? client_.fetch_copied_page(OpHandle{index}, op.copy_page)
                                      : client_.fetch_program_data(OpHandle{index}, op.context);
    if (at != kNever) {
        data_comes(index, at);
    }
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
    switch (static_cast<Event>(what >> 32)) {
    case Event::kDataReady:
        ops_[index].data = DataState::kReady;
        try_start(ops_[index].die);
        break;
    case Event::kDataStored:
        done(index);
        break;
    case Event::kMaySuspend:
        dies_[index].alarmed = false;
        try_start(DieId{index});
        break;
    case Event::kEncode:
        encode(index, now_ps());
        try_start(ops_[index].die);
        break;
    case Event::kDecoded:
        decoded(index);
        break;
    }
}

void FlashScheduler::try_start(DieId id) {
    DieState& die = dies_[raw(id)];
    const Place next = fetch_ahead(die);
    if (die.busy) {
        if (looks_while_busy_) {
            look_while_busy(id);
        }
        return;
    }
    if (!die.suspended.empty()) {
        if (die.host_reads.head != kNil && !reads_have_had_their_time(die)) {
            start_read(die, die.host_reads);
        } else {
            resume(id);
        }
        return;
    }
    if (next.index != kNil) {
        await_data(next.index);
    }
    Queue& reads = die.host_reads.head != kNil ? die.host_reads : die.reads;
    const bool read = reads.head != kNil;
    const bool write = next.index != kNil && write_is_ready(ops_[next.index]) &&
                       (max_group_ == 1 || !awaits_partners(die, next.index));
    if (read && (!write || reads_go_first(die, reads, next))) {
        start_read(die, reads);
    } else if (write) {
        die.write_since = kNever;
        start_write(die, next);
    }
}

/// The data of the whole page are there, or on their way.
bool FlashScheduler::is_coming(const Op& first) const {
    if (first.flash.kind != FlashOpKind::kProgram || is_held(first) ||
        (most_together_ != 1 && first.units != geometry_.units_per_program(first.flash.page))) {
        return false;
    }
    for (const Op* unit = &first;; unit = &ops_[unit->next_unit]) {
        const bool asked = unit->data == DataState::kAsked && !unit->flash.copies &&
                           client_.data_is_coming(unit->context);
        if (unit->waits || unit->data == DataState::kNotAsked ||
            (unit->data == DataState::kAsked && !asked)) {
            return false;
        }
        if (unit->next_unit == kNil) {
            return true;
        }
    }
}

/// Other planes get pages of the same command, whose data come soon: one tPROG for all of them is
/// worth the wait.
bool FlashScheduler::awaits_partners(const DieState& die, std::uint32_t first) {
    const std::uint64_t request = ops_[first].request;
    if (request == kNoRequest || ops_[first].flash.kind != FlashOpKind::kProgram) {
        return false;
    }
    bool awaits = false;
    look_for_partners(die.writes, first, [&](std::uint32_t index, std::uint32_t) {
        if (ops_[index].request != request) {
            return false;
        }
        await_data(index);
        const bool ready = write_is_ready(ops_[index]);
        const bool comes = !ready && is_coming(ops_[index]);
        awaits = awaits || comes;
        return ready || comes;
    });
    return awaits;
}

FlashScheduler::Queue& FlashScheduler::reads_for(const Op& op) {
    DieState& die = dies_[raw(op.die)];
    return op.urgent && discipline_ == Discipline::kReadFirst ? die.host_reads : die.reads;
}

/// Called when something could be written. A die that is not busy has just been asked, so no event
/// is needed for the end of the limit: what reads keep waiting is looked at after each of them.
bool FlashScheduler::reads_have_had_their_time(DieState& die) const {
    if (write_limit_ == 0) {
        return false;
    }
    if (die.write_since == kNever) {
        die.write_since = now_ps();
    }
    return now_ps() - die.write_since >= write_limit_;
}

/// All units of the NAND page, or word line, start.
void FlashScheduler::take_page(DieState& die, std::uint32_t first) {
    for (std::uint32_t unit = first; unit != kNil; unit = ops_[unit].next_unit) {
        die.running.push_back(unit);
    }
}

template <bool kBehind>
void FlashScheduler::start(DieState& die) {
    if (!kBehind) {
        die.busy = true;
        die.since = now_ps();
    }
    const std::vector<std::uint32_t>& ops = kBehind ? die.behind : die.running;
    NandExtension& command =
        kBehind ? die.channel->next_command(die.slot) : die.channel->command(die.slot);
    const Op& first = ops_[ops.front()];
    command.kind = first.flash.kind;
    command.origin = first.flash.origin;
    command.count = static_cast<std::uint32_t>(ops.size());
    command.nand_pages = command.count;
    command.from_register = false;
    if (command.kind == FlashOpKind::kRead) {
        for (std::uint32_t i = 0; i < command.count; ++i) {
            command.data_bytes[i] = geometry_.page_bytes;
            command.origins[i] = ops_[ops[i]].flash.origin;
        }
    } else {
        die.suspensions = 0;
    }
    if (units_per_page_ != 1 && command.kind == FlashOpKind::kProgram) {
        command.nand_pages /= units_per_page_;
    }
    if (column_change_) {
        change_column(die, ops, command);
    }
    if (copy_backs_ != 0) {
        command.source = first.in_die ? ops_[first.source].flash.page : kNoPpn;
    }
    if (cache_.programs) {
        command.cached = command.kind == FlashOpKind::kProgram && another_follows(die, ops);
    }
    std::uint32_t hosts = 0;
    for (std::uint32_t i = 0; i < command.count; ++i) {
        hosts += ops_[ops[i]].flash.origin == Origin::kHost ? 1 : 0;
        command.pages[i] = ops_[ops[i]].flash.page;
        command.lpns[i] = ops_[ops[i]].flash.lpn;
        command.versions[i] = ops_[ops[i]].flash.version;
        command.requests[i] = ops_[ops[i]].request;
    }
    for (std::uint32_t i = 0; data_ != nullptr && i < command.count; ++i) {
        command.contents[i] = data_->of(ops[i]);
    }
    if (kBehind) {
        if (command.kind == FlashOpKind::kProgram) {
            die.channel->start_next(die.slot);
        }
    } else {
        if (load_ != nullptr) {
            load_->started(first.die, hosts, is_collection(first.flash.origin));
        }
        die.channel->start(die.slot);
    }
    // The queue has a new head whose data can be fetched while this operation runs.
    fetch_ahead(die);
    if (command.kind == FlashOpKind::kProgram && have_copy_pages(ops)) {
        give_back_copy_pages(ops, copy_pages_[raw(first.die)]);
    }
}

template void FlashScheduler::start<true>(DieState& die);

void FlashScheduler::start_read(DieState& die, Queue& reads) {
    const std::uint32_t first = pop(reads);
    die.running.push_back(first);
    if (max_read_group_ > 1 && !holds_page(die, first)) {
        look_for_partners(reads, first, [&](std::uint32_t index, std::uint32_t before) {
            if (holds_page(die, index)) {
                return false;
            }
            remove(reads, index, before);
            die.running.push_back(index);
            return true;
        });
    }
    start<false>(die);
}

bool FlashScheduler::holds_page(const DieState& die, std::uint32_t index) const {
    const Ppn page = ops_[index].flash.page;
    return column_change_ && ops_[index].attempt == 0 &&
           die.page_registers[plane_of(page)] == nand_page(page);
}

std::uint32_t FlashScheduler::plane_of(Ppn page) const {
    return geometry_.plane_in_die(geometry_.plane_of(geometry_.block_of(page)));
}

void FlashScheduler::start_write(DieState& die, const Place& next) {
    die.busy = true; // from now on: data that turns out to be there joins this operation
    const std::uint32_t first = next.index;
    remove(die.writes, first, next.before);
    take_page(die, first);
    if (max_group(ops_[first].flash.kind) > 1) {
        look_for_partners(die.writes, first, [&](std::uint32_t index, std::uint32_t before) {
            await_data(index);
            if (!write_is_ready(ops_[index])) {
                return false;
            }
            remove(die.writes, index, before);
            take_page(die, index);
            return true;
        });
    }
    start<false>(die);
}

/// Reads take what they want of their pages, which the page register may have. Only multi-plane
/// reads leave the registers of several planes in use.
void FlashScheduler::change_column(DieState& die, const std::vector<std::uint32_t>& ops,
                                   NandExtension& command) const {
    const bool read = command.kind == FlashOpKind::kRead;
    command.from_register = read && holds_page(die, ops.front());
    if (!read || max_read_group_ == 1) {
        std::fill(die.page_registers.begin(), die.page_registers.end(), kNoPage);
    }
    for (std::uint32_t i = 0; read && i < command.count; ++i) {
        const Op& op = ops_[ops[i]];
        command.data_bytes[i] = op.bytes != 0 ? op.bytes : geometry_.page_bytes;
        // At other read voltages it holds other data.
        die.page_registers[plane_of(op.flash.page)] =
            op.attempt == 0 ? nand_page(op.flash.page) : kNoPage;
    }
}

} // namespace cavern
