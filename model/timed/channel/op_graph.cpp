#include "timed/channel/op_graph.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace cavern {

OpGraph::OpGraph(const Geometry& geometry)
    : geometry_(geometry),
      by_pages_per_die_(static_cast<std::uint32_t>(geometry.pages() / geometry.dies())),
      pending_programs_(256), holds_(geometry.blocks(), 0) {
    CAVERN_CHECK(geometry.units_per_program() <= kMaxUnits,
                 "a NAND page, or word line, has no more mapping units than fit");
}

OpId OpGraph::add(const FlashOp& flash, std::uint64_t request) {
    if (free_ == kNoOp) {
        free_ = OpId{static_cast<std::uint32_t>(ops_.size())};
        ops_.emplace_back();
    }
    const OpId id = free_;
    Op& op = ops_[raw(id)];
    free_ = op.next;
    op = Op{};
    op.flash = flash;
    op.die = DieId{by_pages_per_die_.divide(raw(flash.page))};
    op.sequence = sequence_++;
    op.request = request;
    return id;
}

void OpGraph::remove(OpId id) {
    ops_[raw(id)].next = free_;
    free_ = id;
}

void OpGraph::depend(OpId id, OpId on) {
    Op& op = ops_[raw(id)];
    CAVERN_CHECK(!op.waits, "an operation waits for one other at a time");
    op.waits = true;
    op.next_dependent = ops_[raw(on)].first_dependent;
    ops_[raw(on)].first_dependent = id;
}

OpId OpGraph::free_dependent(OpId id) {
    const OpId dependent = ops_[raw(id)].first_dependent;
    if (dependent != kNoOp) {
        ops_[raw(id)].first_dependent = ops_[raw(dependent)].next_dependent;
        ops_[raw(dependent)].waits = false;
    }
    return dependent;
}

// ---- pages in use -------------------------------------------------------------------------------

/// The program of the page that was submitted last, if it is queued or running.
Writer OpGraph::writer_of(Ppn page) const {
    const std::uint32_t index = pending_programs_.find(raw(page));
    return index == FlatMap::kNone ? Writer{} : Writer{OpId{index}, ops_[index].sequence};
}

/// As long as `page` is a copy that is not programmed, its data are where that comes from, which
/// the copy holds. Returns the program that the data still wait for, if any.
Writer OpGraph::trace_back(Ppn& page, Writer writer) const {
    while (is_pending(writer)) {
        const Op& copy = ops_[raw(writer.id)];
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
void OpGraph::hold(Op& op, Ppn page, Writer writer) {
    op.held = page;
    op.held_writer = writer;
    ++(is_pending(writer) ? ops_[raw(writer.id)].holders : holds_[raw(geometry_.block_of(page))]);
}

DieId OpGraph::let_go(Ppn page, Writer writer) {
    if (is_pending(writer)) {
        --ops_[raw(writer.id)].holders;
        return kNoDie;
    }
    const BlockId block = geometry_.block_of(page);
    return --holds_[raw(block)] == 0 ? geometry_.die_of(block) : kNoDie;
}

DieId OpGraph::let_go(OpId id) {
    const Op& op = ops_[raw(id)];
    return op.held == kNoPpn ? kNoDie : let_go(op.held, op.held_writer);
}

void OpGraph::hold_page_of(OpId read) {
    Op& op = ops_[raw(read)];
    hold(op, op.flash.page, writer_of(op.flash.page));
}

bool OpGraph::route(OpId read) {
    Op& op = ops_[raw(read)];
    Ppn page = op.flash.page;
    const Writer decided = op.held_writer;
    const Writer writer = trace_back(page, decided);
    // Not by the page: what was moved there and back may lie where it goes, from before the erase.
    if (is_pending(decided) && writer.id != decided.id) {
        hold(op, page, writer);
        --ops_[raw(decided.id)].holders;
        op.die = geometry_.die_of(page);
        op.flash.page = page;
    }
    op.routed = true;
    if (is_pending(writer)) {
        depend(read, writer.id);
        return false;
    }
    return true;
}

OpGraph::Pending OpGraph::pending_program(Ppn page) const {
    const Writer writer = trace_back(page, writer_of(page));
    if (!is_pending(writer)) {
        return {};
    }
    const Op& op = ops_[raw(writer.id)];
    return {true, op.flash.origin == Origin::kHost && !op.flash.merges, op.context};
}

// ---- programs -----------------------------------------------------------------------------------

void OpGraph::add_program(OpId id) {
    Op& op = ops_[raw(id)];
    if (op.flash.supersedes != kNoPpn) {
        hold(op, op.flash.supersedes, writer_of(op.flash.supersedes));
    }
    pending_programs_.set(raw(op.flash.page), raw(id));
    if (op.flash.records) {
        records_.push_back({op.sequence, std::exchange(unrecorded_, 0)});
    }
    ++unrecorded_;
}

bool OpGraph::joins_program(OpId id) {
    const Ppn page = ops_[raw(id)].flash.page;
    const std::uint32_t together = geometry_.units_per_program(page);
    const auto first_of = [together](Ppn unit) { return raw(unit) - raw(unit) % together; };
    const auto first = std::find_if(open_pages_.begin(), open_pages_.end(), [&](OpId open) {
        return first_of(ops_[raw(open)].flash.page) == first_of(page);
    });
    if (first == open_pages_.end()) {
        ops_[raw(id)].last_unit = id;
        ops_[raw(id)].lacks = together - 1;
        if (together != 1) {
            open_pages_.push_back(id);
        }
        return false;
    }
    Op& open = ops_[raw(*first)];
    // Or it would have no page of the SDRAM: these are asked for by list.
    CAVERN_CHECK(!ops_[raw(id)].flash.copies || open.sequence >= list_from_,
                 "a copy does not join a NAND page that was begun before");
    ops_[raw(id)].joined = true;
    ops_[raw(open.last_unit)].next_unit = id;
    open.last_unit = id;
    if (--open.lacks == 0) {
        *first = open_pages_.back();
        open_pages_.pop_back();
    }
    return true;
}

void OpGraph::check_copies_are_whole() const {
    for (const OpId open : open_pages_) {
        CAVERN_CHECK(!ops_[raw(open)].flash.copies,
                     "the copies of a NAND page or word line are decided together");
    }
}

bool OpGraph::end_program(OpId id) {
    const Op& op = ops_[raw(id)];
    // After an erase that is queued as well, the same page may be pending a second time.
    if (pending_programs_.find(raw(op.flash.page)) == raw(id)) {
        pending_programs_.erase(raw(op.flash.page));
    }
    if (records_.empty()) {
        --unrecorded_;
        return false;
    }
    return end_beside_records(op);
}

void OpGraph::set_programmed(OpId id) {
    Op& op = ops_[raw(id)];
    op.sequence = kProgrammed;
    holds_[raw(geometry_.block_of(op.flash.page))] += op.holders;
}

// ---- records ------------------------------------------------------------------------------------

bool OpGraph::end_beside_records(const Op& op) {
    const auto before = [](const Record& record, std::uint64_t sequence) {
        return record.sequence < sequence;
    };
    auto next = std::lower_bound(records_.begin(), records_.end(), op.sequence, before);
    bool goes_on = false;
    std::uint32_t inherited = 0;
    if (next != records_.end() && next->sequence == op.sequence) {
        // As a unit of another program's page it may have started with that.
        inherited = next->before;
        next = records_.erase(next);
        goes_on = true;
    }
    std::uint32_t& counted = next == records_.end() ? unrecorded_ : next->before;
    counted += inherited;
    CAVERN_CHECK(counted != 0, "a record has counted the programs before it");
    --counted;
    return goes_on || (next == records_.begin() && counted == 0);
}

std::vector<OpGraph::Write> OpGraph::writes_under_way() const {
    std::vector<bool> is_free(ops_.size());
    for (OpId id = free_; id != kNoOp; id = ops_[raw(id)].next) {
        is_free[raw(id)] = true;
    }
    std::vector<const Op*> writes;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
        const Op& op = ops_[i];
        if (!is_free[i] && op.flash.kind != FlashOpKind::kRead && op.sequence != kProgrammed) {
            writes.push_back(&op);
        }
    }
    std::sort(writes.begin(), writes.end(),
              [](const Op* a, const Op* b) { return a->sequence < b->sequence; });
    std::vector<Write> result;
    for (const Op* op : writes) {
        result.push_back({op->flash, op->context});
    }
    return result;
}

std::uint64_t OpGraph::check_idle() const {
    CAVERN_CHECK(pending_programs_.size() == 0 && records_.empty() && unrecorded_ == 0,
                 "no program is pending at the end");
    CAVERN_CHECK(open_pages_.empty(), "no NAND page or word line lacks a unit at the end");
    for (const std::uint32_t held : holds_) {
        CAVERN_CHECK(held == 0, "no page is held at the end");
    }
    return 2 + holds_.size();
}

} // namespace cavern
