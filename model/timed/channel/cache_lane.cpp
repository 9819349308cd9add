#include "timed/channel/cache_lane.h"

#include <algorithm>

#include "timed/channel/partners.h"

namespace cavern {

bool CacheLane::next_read() {
    reads_since_ = die_.graph_.sequence();
    return choose_next_read();
}

void CacheLane::go_on() {
    die_.running_.swap(behind_);
    die_.note_start(die_.running_);
}

bool CacheLane::of_blocks(const std::vector<OpId>& ops, OpId id) const {
    const auto block_of = [this](OpId op) {
        return die_.rules_.geometry.block_of(die_.graph_[op].flash.page);
    };
    return std::any_of(ops.begin(), ops.end(),
                       [&](OpId op) { return block_of(op) == block_of(id); });
}

bool CacheLane::another_follows(const std::vector<OpId>& ops) const {
    const OpId next = die_.next_write().id;
    return next != kNoOp && die_.graph_[next].flash.kind == FlashOpKind::kProgram &&
           of_blocks(ops, next);
}

/// The operation could go on behind what runs, with those that start with it; but not if one of
/// these is of another block: they would have to start by themselves then.
template <typename Fits>
bool CacheLane::may_go_on(const OpQueue& queue, OpId first, Fits fits) const {
    bool together = true;
    die_.look_for_partners(queue, first, [&](const Place& partner) {
        together = together && (!fits(partner.id) || of_blocks(die_.running_, partner.id));
        return fits(partner.id);
    });
    return together;
}

template <typename Fits>
bool CacheLane::take(OpQueue& queue, const Place& first, Fits fits) {
    queue.remove(first);
    die_.look_again();
    die_.append_units(behind_, first.id);
    die_.look_for_partners(queue, first.id, [&](const Place& partner) {
        // Reads that have joined what runs let others come into view.
        if (!fits(partner.id) || !of_blocks(die_.running_, partner.id)) {
            return false;
        }
        queue.remove(partner);
        die_.append_units(behind_, partner.id);
        return true;
    });
    NandExtension& command = die_.channel_->next_command(die_.slot_);
    die_.fill(command, behind_);
    const bool programs = command.kind == FlashOpKind::kProgram;
    if (programs) {
        die_.channel_->start_next(die_.slot_);
    }
    die_.fetch_ahead<false>();
    return programs && die_.transfers_.give_back_copy_pages(behind_);
}

// ---- reads --------------------------------------------------------------------------------------

/// A read of another part of a page that is about to be moved out. What other planes still hold is
/// left to a command of its own.
bool CacheLane::goes_out_now(const Op& op) const {
    return die_.registers_ != nullptr &&
           std::any_of(die_.running_.begin(), die_.running_.end(), [&](OpId running) {
               return die_.registers_->nand_page(die_.graph_[running]) ==
                      die_.registers_->nand_page(op);
           });
}

/// Of the first reads of the queue, the next one of the blocks that are being read.
OpQueue::Place CacheLane::find_next_read(const OpQueue& reads) const {
    bool passes = false;
    Place place{reads.head(), kNoOp};
    for (std::uint32_t i = 0; i < kSchedulerWindow && place.id != kNoOp; ++i) {
        const Op& op = die_.graph_[place.id];
        if (!goes_out_now(op)) {
            const bool may_pass =
                die_.rules_.discipline == Discipline::kReadFirst && op.sequence < reads_since_;
            if ((!passes || may_pass) && of_blocks(die_.running_, place.id)) {
                return place;
            }
            passes = true;
        }
        place = {op.next, place.id};
    }
    return {};
}

/// Reads of other units of the pages that are about to be moved out come with them. Returns what
/// is before `next` then.
OpId CacheLane::join_reads(OpQueue& reads, OpId next) {
    NandExtension& command = die_.command();
    OpId before_next = kNoOp;
    std::uint32_t hosts = 0;
    Place place{reads.head(), kNoOp};
    for (std::uint32_t i = 0; i < kSchedulerWindow && place.id != kNoOp; ++i) {
        const Op& op = die_.graph_[place.id];
        if (place.id == next) {
            before_next = place.before;
        }
        if (!goes_out_now(op) || command.count == NandExtension::kMost) {
            place = {op.next, place.id};
            continue;
        }
        reads.remove(place);
        die_.running_.push_back(place.id);
        fill(command, command.count++, op, die_.rules_.geometry.page_bytes);
        hosts += op.flash.origin == Origin::kHost ? 1 : 0;
        place.id = op.next;
    }
    if (die_.rules_.load != nullptr && hosts != 0) {
        const Origin first = die_.graph_[die_.running_.front()].flash.origin;
        die_.rules_.load->ended(die_.id_);
        die_.rules_.load->started(die_.id_, hosts, is_collection(first));
    }
    return before_next;
}

bool CacheLane::choose_next_read() {
    if (!die_.suspended_.empty()) {
        return false; // it has the other command of the die
    }
    const Place write = die_.fetch_ahead<false>();
    if (write.id != kNoOp) {
        die_.transfers_.await(write.id);
    }
    OpQueue& reads = die_.first_reads();
    if (reads.empty() || (write.id != kNoOp && die_.write_is_ready(die_.graph_[write.id]) &&
                          !die_.reads_go_first(reads, write))) {
        return false;
    }
    const auto any = [this](OpId id) { return !goes_out_now(die_.graph_[id]); };
    Place next = find_next_read(reads);
    if (next.id == kNoOp || !may_go_on(reads, next.id, any)) {
        return false;
    }
    if (die_.registers_ != nullptr) {
        next.before = join_reads(reads, next.id);
    }
    take(reads, next, any);
    return true;
}

// ---- programs -----------------------------------------------------------------------------------

bool CacheLane::consider_next_program() {
    if (!open_) {
        return false;
    }
    const Place next = die_.next_write();
    if (next.id == kNoOp || die_.graph_[next.id].flash.kind != FlashOpKind::kProgram ||
        !of_blocks(die_.running_, next.id)) {
        return false;
    }
    die_.transfers_.await(next.id);
    if (!die_.write_is_ready(die_.graph_[next.id])) {
        return false;
    }
    const OpQueue& reads = die_.first_reads();
    if (!reads.empty() && die_.reads_go_first(reads, next)) {
        return false;
    }
    close(); // from now on: data that turns out to be there joins this operation
    const auto ready = [this](OpId id) {
        die_.transfers_.await(id);
        return die_.write_is_ready(die_.graph_[id]);
    };
    if (!may_go_on(die_.writes_, next.id, ready)) {
        return false;
    }
    die_.write_since_ = kNever;
    return take(die_.writes_, next, ready);
}

} // namespace cavern
