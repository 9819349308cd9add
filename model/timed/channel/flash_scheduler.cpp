#include "timed/channel/flash_scheduler.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "timed/channel/ecc.h"
#include "timed/tlm/time.h"

namespace cavern {

namespace {

std::uint32_t group_size(const Geometry& geometry, bool multi_plane) {
    return multi_plane ? std::min(geometry.planes_per_die, kMaxPlanes) : 1;
}

} // namespace

FlashScheduler::FlashScheduler(const Geometry& geometry, const Params& params,
                               FlashClientIf& client, EventQueue& events)
    : geometry_(geometry),
      by_pages_per_die_(static_cast<std::uint32_t>(geometry.pages() / geometry.dies())),
      discipline_(params.discipline), max_group_(group_size(geometry, params.multi_plane)),
      max_read_group_(group_size(geometry, params.multi_plane_read)),
      max_erase_group_(group_size(geometry, params.multi_plane_erase)),
      units_per_page_(geometry.units_per_page), most_together_(geometry.units_per_program()),
      column_change_(params.column_change), suspend_(params.suspend),
      write_limit_(params.write_limit), cache_(params.cache), copy_backs_(params.copy_backs),
      copies_in_die_(copy_backs_ != 0 ? geometry.pages() : 0),
      looks_while_busy_(suspend_.any() || cache_.programs), client_(client), events_(events),
      dies_(geometry.dies()), pending_programs_(256), holds_(geometry.blocks(), 0) {
    CAVERN_CHECK(params.copy_pages >= most_together_,
                 "the copies that are programmed as one have a page of the SDRAM each");
    CAVERN_CHECK(most_together_ <= kMaxUnits,
                 "a NAND page, or word line, has no more mapping units than fit");
    for (std::uint32_t die = 0; die < geometry.dies(); ++die) {
        copy_pages_.emplace_back(die * params.copy_pages, params.copy_pages);
    }
    for (DieState& die : dies_) {
        const std::size_t most =
            std::max({max_group_ * most_together_, max_read_group_, max_erase_group_});
        die.running.reserve(cache_.reads ? NandExtension::kMost : most);
        die.suspended.reserve(most);
        die.behind.reserve(cache_.reads ? NandExtension::kMost : most); // the two change places
        die.page_registers.assign(geometry.planes_per_die, kNoPage);
    }
}

void FlashScheduler::report_to(DieLoad* load, DieLoad::Clock clock) {
    load_ = load;
    if (load != nullptr) {
        load->follow(clock);
    }
}

void FlashScheduler::reset_statistics() {
    for (DieState& die : dies_) {
        die.since = now_ps();
        die.occupied = 0;
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
    ops_[index].request = *deciding_;
    ++submitted_;
    if (data_ != nullptr) {
        data_->begin(index);
    }
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

void FlashScheduler::remove(Queue& queue, std::uint32_t index, std::uint32_t before) {
    const std::uint32_t next = ops_[index].next;
    (before == kNil ? queue.head : ops_[before].next) = next;
    if (queue.tail == index) {
        queue.tail = before;
    }
}

std::uint32_t FlashScheduler::pop(Queue& queue) {
    const std::uint32_t index = queue.head;
    queue.head = ops_[index].next;
    return index;
}

void FlashScheduler::depend(std::uint32_t index, std::uint32_t on) {
    Op& op = ops_[index];
    CAVERN_CHECK(!op.waits, "an operation waits for one other at a time");
    op.waits = true;
    op.next_dependent = ops_[on].first_dependent;
    ops_[on].first_dependent = index;
}

OpHandle FlashScheduler::submit(const FlashOpList& ops, const std::vector<std::uint32_t>& contexts,
                                bool look_up, std::uint32_t awaited_by) {
    batch_.clear();
    bool copies = false;
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const std::uint32_t index = allocate(ops[i]);
        batch_.push_back(index);
        ops_[index].context = i < contexts.size() ? contexts[i] : 0;
        ops_[index].awaited_by = awaited_by;
        if (ops[i].after != FlashOp::kNone) {
            const std::uint32_t on = batch_[static_cast<std::size_t>(ops[i].after)];
            depend(index, on);
            if (ops[i].copies || ops[i].merges) {
                CAVERN_CHECK(ops_[on].feeds == kNil,
                             "a page read for a program is programmed once");
                ops_[on].feeds = index;
                if (ops[i].merges) {
                    const SectorSpan wanted = ops_[on].flash.wanted();
                    ops_[on].from = wanted.begin();
                    ops_[on].bytes = wanted.bytes(geometry_.page_bytes);
                }
                if (ops[i].copies) {
                    ops_[on].awaits_page = true;
                    ops_[index].source = on;
                    copies = true;
                }
                CAVERN_CHECK(ops[i].merges || ops[i].supersedes == ops_[on].flash.page,
                             "a copy replaces the page that was read for it");
            }
        }
    }
    for (auto i = look_up ? static_cast<std::int32_t>(ops.size()) - 1 : FlashOp::kNone;
         i != FlashOp::kNone; i = ops[static_cast<std::size_t>(i)].after) {
        ops_[batch_[static_cast<std::size_t>(i)]].urgent = true;
    }
    // Dies are looked at after the whole list is queued, so that neighbouring planes can group. A
    // callback may submit again, so the list is not walked while operations start.
    for (const std::uint32_t index : batch_) {
        enqueue(index);
    }
    if (copies) {
        ask_for_copy_pages();
    }
    const OpHandle last = batch_.empty() ? kNoOp : OpHandle{batch_.back()};
    const std::size_t size = batch_.size();
    for (std::size_t i = 0; i < size; ++i) {
        try_start(ops_[batch_[i]].die);
    }
    return last;
}

void FlashScheduler::submit_read(Ppn page, Lpn lpn, std::uint32_t context, OpHandle after,
                                 PageVersion version, std::uint32_t bytes, std::uint32_t from) {
    FlashOp flash;
    flash.kind = FlashOpKind::kRead;
    flash.page = page;
    flash.lpn = lpn;
    flash.version = version;
    const std::uint32_t index = allocate(flash);
    ops_[index].context = context;
    ops_[index].bytes = bytes;
    ops_[index].from = from;
    ops_[index].host_read = true;
    ops_[index].urgent = true;
    if (after != kNoOp) {
        depend(index, raw(after));
    }
    enqueue(index);
    if (gathering_ != 0) {
        gathered_.push_back(ops_[index].die);
    } else {
        try_start(ops_[index].die);
    }
}

void FlashScheduler::start_gathered() {
    if (--gathering_ != 0) {
        return;
    }
    for (const DieId die : std::exchange(gathered_, {})) {
        try_start(die);
    }
}

void FlashScheduler::enqueue(std::uint32_t index) {
    Op& op = ops_[index];
    DieState& die = dies_[raw(op.die)];
    switch (op.flash.kind) {
    case FlashOpKind::kRead:
        hold(op, op.flash.page, writer_of(op.flash.page));
        // Else it is routed when that is done: its page may be in flash by then.
        if (!op.waits && !op.awaits_page) {
            route(index);
        }
        break;
    case FlashOpKind::kProgram:
        if (op.flash.supersedes != kNoPpn) {
            hold(op, op.flash.supersedes, writer_of(op.flash.supersedes));
        }
        pending_programs_.set(raw(op.flash.page), index);
        if (op.flash.records) {
            add_record(index);
        }
        if (copy_backs_ != 0) {
            decide_where_copied(index);
        }
        if (most_together_ == 1 || !joins_program(index)) {
            append(die.writes, index);
        }
        break;
    case FlashOpKind::kErase:
        append(die.writes, index);
        break;
    }
}

// ---- pages in use -------------------------------------------------------------------------------

/// The program of the page that was submitted last, if it is queued or running.
FlashScheduler::Writer FlashScheduler::writer_of(Ppn page) const {
    const std::uint32_t index = pending_programs_.find(raw(page));
    return index == FlatMap::kNone ? Writer{} : Writer{index, ops_[index].sequence};
}

/// As long as `page` is a copy that is not programmed, its data are where that comes from, which
/// the copy holds. Returns the program that the data still wait for, if any.
FlashScheduler::Writer FlashScheduler::trace_back(Ppn& page, Writer writer) const {
    while (is_pending(writer)) {
        const Op& copy = ops_[writer.index];
        if (!copy.flash.copies || copy.flash.rewrites) {
            return writer;
        }
        page = copy.flash.supersedes;
        writer = copy.held_writer;
    }
    return {};
}

/// The page is not erased until `op` lets it go. Where its program is still pending, the block is
/// held from that on: an erase that waits before then is the one that makes room for the program.
void FlashScheduler::hold(Op& op, Ppn page, Writer writer) {
    op.held = page;
    op.held_writer = writer;
    ++(is_pending(writer) ? ops_[writer.index].holders : holds_[raw(geometry_.block_of(page))]);
}

void FlashScheduler::let_go(Ppn page, Writer writer) {
    const BlockId block = geometry_.block_of(page);
    if (is_pending(writer)) {
        --ops_[writer.index].holders;
    } else if (--holds_[raw(block)] == 0) {
        try_start(geometry_.die_of(block));
    }
}

/// A read that waits for nothing else goes to where its data are, or waits for them.
void FlashScheduler::route(std::uint32_t index) {
    Op& op = ops_[index];
    const Ppn decided = op.flash.page;
    const Writer decided_writer = op.held_writer;
    Ppn page = decided;
    const Writer writer = trace_back(page, decided_writer);
    // Not by the page: what was moved there and back may lie where it goes, from before the erase.
    if (is_pending(decided_writer) && writer.index != decided_writer.index) {
        hold(op, page, writer);
        let_go(decided, decided_writer);
        go_to(op, page);
    }
    op.routed = true;
    if (is_pending(writer)) {
        depend(index, writer.index);
    } else {
        append(reads_for(op), index);
    }
}

void FlashScheduler::go_to(Op& op, Ppn page) {
    const DieId die = geometry_.die_of(page);
    if (die != op.die && load_ != nullptr) {
        load_->moved(op.die, die, op.flash.origin == Origin::kHost);
    }
    op.die = die;
    op.flash.page = page;
}

FlashScheduler::Pending FlashScheduler::pending_program(Ppn page) const {
    const Writer writer = trace_back(page, writer_of(page));
    if (!is_pending(writer)) {
        return {};
    }
    const Op& op = ops_[writer.index];
    return {true, op.flash.origin == Origin::kHost && !op.flash.merges, op.context};
}

// ---- completion ---------------------------------------------------------------------------------

void FlashScheduler::operation_finished(DieId id) {
    DieState& die = dies_[raw(id)];
    if (load_ != nullptr) {
        load_->ended(id);
    }
    die.cache_free = false;
    // The die stays busy meanwhile: what becomes ready by one completion must not start, and so be
    // among the running, before the others are complete.
    complete_running(die, die.channel->command(die.slot));
    end_operation(id);
}

void FlashScheduler::page_out(DieId id, std::uint32_t which) {
    // The others are still to come out, so the die stays busy.
    DieState& die = dies_[raw(id)];
    const std::uint32_t index = std::exchange(die.running[which], kNil);
    if (data_ != nullptr) {
        data_->out_of_die(index, die.channel->command(die.slot).contents[which]);
    }
    complete(index);
}

/// The die can take a command.
void FlashScheduler::end_operation(DieId id) {
    DieState& die = dies_[raw(id)];
    die.busy = false;
    die.suspending = false;
    die.occupied += now_ps() - die.since;
    try_start(id);
}

void FlashScheduler::complete(std::uint32_t index) {
    const FlashOp flash = ops_[index].flash;
    switch (flash.kind) {
    case FlashOpKind::kRead:
        ecc_ == nullptr ? hand_over(index) : decode(index);
        return;
    case FlashOpKind::kProgram:
        // After an erase that is queued as well, the same page may be pending a second time.
        if (pending_programs_.find(raw(flash.page)) == index) {
            pending_programs_.erase(raw(flash.page));
        }
        if (!records_.empty()) {
            programmed_beside_records(index);
        }
        ops_[index].sequence = kProgrammed;
        holds_[raw(geometry_.block_of(flash.page))] += ops_[index].holders;
        if (ecc_ != nullptr) {
            programmed(ops_[index]);
        }
        if (flash.origin == Origin::kHost) {
            client_.host_page_programmed(ops_[index].context);
        }
        if (ops_[index].held != kNoPpn) {
            let_go(ops_[index].held, ops_[index].held_writer);
        }
        if (ops_[index].in_die) {
            const std::uint32_t read = ops_[index].source;
            let_go(ops_[read].held, ops_[read].held_writer);
            done(read);
        }
        break;
    case FlashOpKind::kErase:
        if (ecc_ != nullptr) {
            ecc_->erased(geometry_.block_of(flash.page));
        }
        break;
    }
    done(index);
}

void FlashScheduler::done(std::uint32_t index) {
    satisfy_dependents(index);
    ++completed_;
    const DieId die = ops_[index].die;
    const std::uint32_t awaited_by = ops_[index].awaited_by;
    release(index);
    if (load_ != nullptr) {
        load_->completed(die);
        if (load_->idle_dies() != 0) {
            client_.die_idle();
        }
    }
    if (awaited_by != kNobody) {
        client_.operation_done(awaited_by);
    }
}

void FlashScheduler::satisfy_dependents(std::uint32_t index) {
    for (std::uint32_t each = ops_[index].first_dependent; each != kNil;) {
        const std::uint32_t dependent = each;
        each = ops_[dependent].next_dependent;
        ops_[dependent].waits = false;
        if (ops_[dependent].flash.kind == FlashOpKind::kRead && !ops_[dependent].awaits_page) {
            if (ops_[dependent].routed) {
                append(reads_for(ops_[dependent]), dependent);
            } else {
                route(dependent);
            }
        }
        try_start(ops_[dependent].die);
    }
}

std::uint64_t FlashScheduler::check_idle() const {
    CAVERN_CHECK(outstanding() == 0, "every flash operation submitted has completed");
    CAVERN_CHECK(pending_programs_.size() == 0, "no program is pending at the end");
    for (const CopyPages& pages : copy_pages_) {
        CAVERN_CHECK(pages.idle(), "every page for copies is free at the end");
    }
    CAVERN_CHECK(open_pages_.empty(), "no NAND page or word line lacks a unit at the end");
    for (const DieState& die : dies_) {
        CAVERN_CHECK(!die.busy && die.host_reads.head == kNil && die.reads.head == kNil &&
                         die.writes.head == kNil && die.suspended.empty() && die.behind.empty(),
                     "die queues are empty at the end");
    }
    for (const std::uint32_t held : holds_) {
        CAVERN_CHECK(held == 0, "no page is held at the end");
    }
    return 3 + 2 * dies_.size() + holds_.size();
}

} // namespace cavern
