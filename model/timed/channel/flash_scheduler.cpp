#include "timed/channel/flash_scheduler.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "timed/channel/cache_lane.h"
#include "timed/tlm/time.h"

namespace cavern {

namespace {

DieRules rules_of(const Geometry& geometry, const FlashScheduler::Params& params) {
    const auto planes = [&geometry](bool together) {
        return together ? std::min(geometry.planes_per_die, kMaxPlanes) : 1;
    };
    return {geometry,
            params.discipline,
            {planes(params.multi_plane_read), planes(params.multi_plane),
             planes(params.multi_plane_erase)},
            params.column_change,
            params.copy_backs != 0,
            params.suspend,
            params.cache,
            params.write_limit};
}

} // namespace

FlashScheduler::FlashScheduler(const Geometry& geometry, const Params& params,
                               FlashClientIf& client, EventQueue& events)
    : client_(client), rules_(rules_of(geometry, params)), plain_(rules_.plain()), graph_(geometry),
      transfers_(graph_, geometry, params.copy_pages, params.copy_backs, client, events, *this) {
    for (std::uint32_t die = 0; die < geometry.dies(); ++die) {
        dies_.push_back(std::make_unique<DieQueue>(rules_, DieId{die}, graph_, transfers_));
    }
}

void FlashScheduler::report_to(DieLoad* load, DieLoad::Clock clock) {
    rules_.load = load;
    if (load != nullptr) {
        load->follow(clock);
        plain_ = false;
    }
}

void FlashScheduler::use(Ecc& ecc) {
    transfers_.use(ecc);
    plain_ = false;
}

void FlashScheduler::use(DataPath& data) {
    rules_.data = &data;
    transfers_.use(data);
    plain_ = false;
}

void FlashScheduler::reset_statistics() {
    for (const auto& die : dies_) {
        die->reset_statistics();
    }
}

void FlashScheduler::connect(ChannelId channel, FlashChannelIf& interface) {
    for (std::uint32_t slot = 0; slot < rules_.geometry.dies_per_channel(); ++slot) {
        dies_[raw(rules_.geometry.die_at(channel, slot))]->connect(interface, slot);
    }
}

std::uint64_t FlashScheduler::check_idle() const {
    CAVERN_CHECK(outstanding() == 0, "every flash operation submitted has completed");
    transfers_.check_idle();
    for (const auto& die : dies_) {
        die->check_idle();
    }
    return graph_.check_idle() + 1 + 2 * dies_.size();
}

// ---- submission ---------------------------------------------------------------------------------

OpId FlashScheduler::add(const FlashOp& flash) {
    const OpId id = graph_.add(flash, *deciding_);
    ++submitted_;
    if (rules_.data != nullptr) {
        rules_.data->begin(raw(id));
    }
    if (rules_.load != nullptr) {
        rules_.load->submitted(graph_[id].die, flash.origin == Origin::kHost);
    }
    return id;
}

OpId FlashScheduler::submit(const FlashOpList& ops, const std::vector<std::uint32_t>& contexts,
                            bool look_up, std::uint32_t awaited_by) {
    batch_.clear();
    graph_.begin_list();
    bool copies = false;
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const OpId id = add(ops[i]);
        batch_.push_back(id);
        graph_[id].context = i < contexts.size() ? contexts[i] : 0;
        graph_[id].awaited_by = awaited_by;
        if (ops[i].after != FlashOp::kNone) {
            const OpId on = batch_[static_cast<std::size_t>(ops[i].after)];
            graph_.depend(id, on);
            if (ops[i].copies || ops[i].merges) {
                transfers_.feed(id, on, rules_.column_change);
                copies = copies || ops[i].copies;
            }
        }
    }
    for (auto i = look_up ? static_cast<std::int32_t>(ops.size()) - 1 : FlashOp::kNone;
         i != FlashOp::kNone; i = ops[static_cast<std::size_t>(i)].after) {
        graph_[batch_[static_cast<std::size_t>(i)]].urgent = true;
    }
    // Dies are looked at after the whole list is queued, so that neighbouring planes can group. A
    // callback may submit again, so the list is not walked while operations start.
    for (const OpId id : batch_) {
        enqueue(id);
    }
    if (copies) {
        graph_.check_copies_are_whole();
    }
    // Pages of the SDRAM are asked for in the order of the programs.
    for (std::size_t i = 0; copies && i < batch_.size(); ++i) {
        const Op& op = graph_[batch_[i]];
        if (op.flash.kind == FlashOpKind::kProgram && !op.joined) {
            transfers_.want_copy_pages(batch_[i]);
            while (grant_copy_page(op.die) != kNoOp) {
            }
        }
    }
    const OpId last = batch_.empty() ? kNoOp : batch_.back();
    const std::size_t size = batch_.size();
    for (std::size_t i = 0; i < size; ++i) {
        look_at(graph_[batch_[i]].die);
    }
    return last;
}

void FlashScheduler::submit_read(Ppn page, Lpn lpn, std::uint32_t context, OpId after,
                                 PageVersion version, std::uint32_t bytes, std::uint32_t from) {
    FlashOp flash(FlashOpKind::kRead, Origin::kHost, page, lpn);
    flash.version = version;
    const OpId id = add(flash);
    Op& op = graph_[id];
    op.context = context;
    op.host_read = true;
    op.urgent = true;
    if (rules_.column_change) {
        op.bytes = bytes;
        op.from = from;
    }
    if (after != kNoOp) {
        graph_.depend(id, after);
    }
    enqueue(id);
    const DieId die = graph_[id].die;
    gathering_ != 0 ? gathered_.push_back(die) : look_at(die);
}

void FlashScheduler::start_gathered() {
    if (--gathering_ != 0) {
        return;
    }
    for (const DieId die : std::exchange(gathered_, {})) {
        look_at(die);
    }
}

void FlashScheduler::enqueue(OpId id) {
    const Op& op = graph_[id];
    switch (op.flash.kind) {
    case FlashOpKind::kRead:
        graph_.hold_page_of(id);
        // Else it is routed when that is done: its page may be in flash by then.
        if (!op.waits && !op.awaits_page) {
            queue_read(id);
        }
        return;
    case FlashOpKind::kProgram:
        graph_.add_program(id);
        if (rules_.copies_in_die) {
            transfers_.decide_where_copied(id);
        }
        if (!plain_ && rules_.geometry.units_per_program() != 1 && graph_.joins_program(id)) {
            return;
        }
        break;
    case FlashOpKind::kErase:
        break;
    }
    dies_[raw(op.die)]->add_write(id);
}

/// A read that waits for nothing else goes to the die where its data are, or waits for them.
void FlashScheduler::queue_read(OpId id) {
    const Op& op = graph_[id];
    const DieId decided = op.die;
    if (op.routed || graph_.route(id)) {
        dies_[raw(op.die)]->add_read(id);
    }
    if (op.die != decided && rules_.load != nullptr) {
        rules_.load->moved(decided, op.die, op.flash.origin == Origin::kHost);
    }
}

/// Of those for the programs of a die. Returns the read that has it; kNoOp: there is none.
OpId FlashScheduler::grant_copy_page(DieId die) {
    const OpId read = transfers_.grant_copy_page(die);
    if (read != kNoOp && !graph_[read].waits) {
        queue_read(read);
    }
    return read;
}

// ---- dies ---------------------------------------------------------------------------------------

void FlashScheduler::look_at(DieId die) {
    if (die != kNoDie && look(die)) {
        grant_copy_pages(die);
    }
}

/// The die has given back pages of the SDRAM. Other reads get them one by one; a die that begins
/// with what one of these was for, and gives back pages itself, comes first.
void FlashScheduler::grant_copy_pages(DieId die) {
    const std::size_t others = giving_.size();
    giving_.push_back(die);
    while (giving_.size() != others) {
        const OpId read = grant_copy_page(giving_.back());
        if (read == kNoOp) {
            giving_.pop_back();
        } else if (const DieId reads = graph_[read].die; look(reads)) {
            giving_.push_back(reads);
        }
    }
}

void FlashScheduler::operation_finished(DieId id) {
    DieQueue& die = *dies_[raw(id)];
    if (!plain_) {
        die.ends();
        die.keep_contents(false);
    }
    die.complete_running([this](OpId op) { complete(op); });
    die.ended();
    look_at(id);
}

void FlashScheduler::page_out(DieId id, std::uint32_t which) {
    // The others are still to come out, so the die stays busy.
    DieQueue& die = *dies_[raw(id)];
    const OpId op = die.take_running(which);
    transfers_.keep(op, die.command().contents[which]);
    complete(op);
}

void FlashScheduler::operation_latched(DieId id) {
    look_at(id);
}

void FlashScheduler::operation_suspended(DieId id) {
    dies_[raw(id)]->suspended();
    look_at(id);
}

bool FlashScheduler::next_read(DieId id) {
    return dies_[raw(id)]->cache().next_read();
}

bool FlashScheduler::cached_read_out(DieId id) {
    go_on_behind(id);
    return dies_[raw(id)]->cache().choose_next_read();
}

void FlashScheduler::cache_free(DieId id) {
    dies_[raw(id)]->cache().open();
    look_at(id);
}

void FlashScheduler::program_finished(DieId id) {
    go_on_behind(id);
    if (rules_.suspend.any()) {
        look_at(id); // for reads that could not suspend the program before
    }
}

void FlashScheduler::go_on_behind(DieId id) {
    DieQueue& die = *dies_[raw(id)];
    if (rules_.load != nullptr) {
        rules_.load->ended(id);
    }
    die.keep_contents(true);
    die.complete_running([this](OpId op) { complete(op); });
    die.cache().go_on();
}

// ---- completion ---------------------------------------------------------------------------------

/// The array has ended with it; of a read, it is out of the die.
void FlashScheduler::complete(OpId id) {
    const Op& op = graph_[id];
    switch (op.flash.kind) {
    case FlashOpKind::kRead:
        if (plain_ || transfers_.decode(id, dies_[raw(op.die)]->reads_register())) {
            hand_over(id);
        }
        break;
    case FlashOpKind::kProgram:
        programmed(id);
        break;
    case FlashOpKind::kErase:
        transfers_.erased(rules_.geometry.block_of(op.flash.page));
        done(id);
    }
}

void FlashScheduler::programmed(OpId id) {
    if (graph_.end_program(id)) {
        for (std::uint32_t die = 0; die < dies_.size(); ++die) {
            if (DieId{die} != graph_[id].die) { // that one is looked at when it is ready
                look_at(DieId{die});
            }
        }
    }
    graph_.set_programmed(id);
    if (!plain_) {
        transfers_.programmed(id);
    }
    if (graph_[id].flash.origin == Origin::kHost) {
        client_.host_page_programmed(graph_[id].context);
    }
    look_at(graph_.let_go(id));
    if (graph_[id].in_die) {
        const OpId read = graph_[id].source;
        look_at(graph_.let_go(read));
        done(read);
    }
    done(id);
}

/// A page read leaves the channel; or it is read again, if it could not be corrected.
void FlashScheduler::hand_over(OpId id) {
    if (graph_[id].again) {
        Op& op = graph_[id];
        ++op.attempt;
        if (rules_.load != nullptr) {
            rules_.load->again(op.die, op.flash.origin == Origin::kHost);
        }
        queue_read(id);
        look_at(op.die);
        return;
    }
    look_at(graph_.let_go(id));
    if (graph_[id].feeds != kNoOp) {
        const TimePs at = transfers_.store(id);
        if (at != kNever) {
            data_stored(id, at);
        }
        return; // completes when the page is stored
    }
    if (graph_[id].host_read) {
        transfers_.deliver_to_host(id);
    }
    done(id);
}

void FlashScheduler::done(OpId id) {
    for (OpId next = graph_.free_dependent(id); next != kNoOp; next = graph_.free_dependent(id)) {
        if (graph_[next].flash.kind == FlashOpKind::kRead && !graph_[next].awaits_page) {
            queue_read(next);
        }
        look_at(graph_[next].die);
    }
    ++completed_;
    const DieId die = graph_[id].die;
    const std::uint32_t awaited_by = graph_[id].awaited_by;
    graph_.remove(id);
    if (rules_.load != nullptr) {
        rules_.load->completed(die);
        if (rules_.load->idle_dies() != 0) {
            client_.die_idle();
        }
    }
    if (awaited_by != kNobody) {
        client_.operation_done(awaited_by);
    }
}

void FlashScheduler::data_stored(OpId op, TimePs at) {
    if (at <= now_ps()) {
        done(op);
    } else {
        transfers_.schedule(at, FlashEvent::kDataStored, raw(op));
    }
}

void FlashScheduler::data_ready(OpId op, TimePs at) {
    transfers_.comes(op, at);
    look_at(graph_[op].die);
}

void FlashScheduler::on_event(std::uint64_t what) {
    const auto index = static_cast<std::uint32_t>(what);
    switch (static_cast<FlashEvent>(what >> 32)) {
    case FlashEvent::kDataReady:
        graph_[OpId{index}].data = DataState::kReady;
        look_at(graph_[OpId{index}].die);
        break;
    case FlashEvent::kDataStored:
        done(OpId{index});
        break;
    case FlashEvent::kEncode:
        data_ready(OpId{index}, now_ps());
        break;
    case FlashEvent::kDecoded:
        hand_over(OpId{index});
        break;
    case FlashEvent::kMaySuspend:
        dies_[index]->may_suspend();
        look_at(DieId{index});
        break;
    }
}

} // namespace cavern
