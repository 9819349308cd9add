#include "timed/channel/flash_queues.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace cavern {

namespace {

DieRules rules_of(const Geometry& geometry, const FlashQueues::Params& params) {
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

FlashQueues::FlashQueues(const Geometry& geometry, const Params& params, FlashClientIf& client,
                         EventQueue& events, EventHandlerIf& owner)
    : rules_(rules_of(geometry, params)), plain_(rules_.plain()), graph_(geometry),
      transfers_(graph_, geometry, params.copy_pages, params.copy_backs, client, events, owner) {
    for (std::uint32_t die = 0; die < geometry.dies(); ++die) {
        dies_.push_back(std::make_unique<DieQueue>(rules_, DieId{die}, graph_, transfers_));
    }
}

void FlashQueues::report_to(DieLoad* load, DieLoad::Clock clock) {
    rules_.load = load;
    if (load != nullptr) {
        load->follow(clock);
        plain_ = false;
    }
}

void FlashQueues::use(Ecc& ecc) {
    transfers_.use(ecc);
    plain_ = false;
}

void FlashQueues::use(DataPath& data) {
    rules_.data = &data;
    transfers_.use(data);
    plain_ = false;
}

void FlashQueues::reset_statistics() {
    for (const auto& die : dies_) {
        die->reset_statistics();
    }
}

void FlashQueues::connect(ChannelId channel, FlashChannelIf& interface) {
    for (std::uint32_t slot = 0; slot < rules_.geometry.dies_per_channel(); ++slot) {
        dies_[raw(rules_.geometry.die_at(channel, slot))]->connect(interface, slot);
    }
}

std::uint64_t FlashQueues::check_idle() const {
    transfers_.check_idle();
    for (const auto& die : dies_) {
        die->check_idle();
    }
    return graph_.check_idle() + 1 + 2 * dies_.size();
}

// ---- submission ---------------------------------------------------------------------------------

OpId FlashQueues::add(const FlashOp& flash) {
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

OpId FlashQueues::submit(const FlashOpList& ops, const std::vector<std::uint32_t>& contexts,
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

void FlashQueues::submit_read(Ppn page, Lpn lpn, std::uint32_t context, OpId after,
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

void FlashQueues::start_gathered() {
    if (--gathering_ != 0) {
        return;
    }
    for (const DieId die : std::exchange(gathered_, {})) {
        look_at(die);
    }
}

void FlashQueues::enqueue(OpId id) {
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
            dies_[raw(op.die)]->look_again();
            return;
        }
        break;
    case FlashOpKind::kErase:
        break;
    }
    dies_[raw(op.die)]->add_write(id);
}

/// A read that waits for nothing else goes to the die where its data are, or waits for them.
void FlashQueues::queue_read(OpId id) {
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
OpId FlashQueues::grant_copy_page(DieId die) {
    const OpId read = transfers_.grant_copy_page(die);
    if (read != kNoOp && !graph_[read].waits) {
        queue_read(read);
    }
    return read;
}

// ---- dies ---------------------------------------------------------------------------------------

void FlashQueues::look_at(DieId die) {
    if (die != kNoDie && look(die)) {
        grant_copy_pages(die);
    }
}

/// The die has given back pages of the SDRAM. Other reads get them one by one; a die that begins
/// with what one of these was for, and gives back pages itself, comes first.
void FlashQueues::grant_copy_pages(DieId die) {
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

} // namespace cavern
