#include "firmware/twin/guided_ftl.h"

#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/ftl/page_ftl_why_not.h"

namespace cavern {

namespace {

std::string place_text(Ppn page) {
    return page == kNoPpn ? "nowhere" : "page " + std::to_string(raw(page));
}

std::string place_text(Lpn lpn) {
    return "logical page " + std::to_string(raw(lpn));
}

} // namespace

GuidedFtl::GuidedFtl(DecisionGuide& guide, const Geometry& geometry, const FtlParams& params,
                     DecisionLogIf* log)
    : guide_(guide), geometry_(geometry), in_steps_(params.gc_pace == GcPace::kPaced), log_(log),
      place_(page_ftl_logical_pages(geometry, params.overprovision), geometry.pages(),
             Touches::kScattered),
      blocks_(geometry.blocks()) {
    parts_.idle_work = params.gc_background != 0 ? this : nullptr;
}

Ppn GuidedFtl::location(Lpn lpn) const {
    CAVERN_CHECK(raw(lpn) < place_.size(), place_text(lpn) + " is beyond the drive");
    const std::uint64_t entry = place_.get(raw(lpn));
    return entry == 0 ? kNoPpn : Ppn{entry - 1};
}

// ---- what the firmware has answered -------------------------------------------------------------

void GuidedFtl::write(Lpn lpn, PlaneId target, FlashOpList& ops) {
    const UnitPage page{lpn, target};
    write_unit(&page, 1, ops);
}

void GuidedFtl::pad(Lpn lpn, PlaneId, FlashOpList&) {
    CAVERN_CHECK(false, "the firmware pads nothing, " + place_text(lpn) + " either");
}

void GuidedFtl::write_unit(const UnitPage* pages, std::size_t count, FlashOpList& ops) {
    for (std::size_t i = 0; i < count; ++i) {
        while (!take_operation(pages[i].lpn, ops)) {
        }
    }
    if (guide_.host_programs() == 0) {
        take_rest(ops);
    }
}

void GuidedFtl::take_rest(FlashOpList& ops) {
    while (guide_.operation() != nullptr) {
        (void)take_operation(kNoLpn, ops);
    }
}

bool GuidedFtl::maintain(PlaneId, std::uint32_t, FlashOpList& ops) {
    if (guide_.batch() == nullptr) {
        return false;
    }
    take_rest(ops);
    return true;
}

void GuidedFtl::trim(Lpn lpn, FlashOpList&) {
    const Ppn old = location(lpn);
    if (old != kNoPpn) {
        invalidate(old);
        place_.set(raw(lpn), 0);
        --mapped_;
    }
}

// ---- operations, and whether they can be --------------------------------------------------------

bool GuidedFtl::take_operation(Lpn due, FlashOpList& ops) {
    const FlashOp* const next = guide_.operation();
    CAVERN_CHECK(next != nullptr, place_text(due) + " is not programmed");
    const FlashOp& op = *next;
    const bool of_host = op.origin == Origin::kHost;
    CAVERN_CHECK(raw(op.page) < geometry_.pages(),
                 "an operation on " + place_text(op.page) + ", which is beyond the drive");
    CAVERN_CHECK(op.after >= FlashOp::kNone && op.after < static_cast<std::int32_t>(ops.size()),
                 "operation " + std::to_string(ops.size()) + " waits for a later one");
    CAVERN_CHECK(!of_host || (op.kind == FlashOpKind::kProgram && op.lpn == due && !op.copies),
                 "an operation of the host on " + place_text(op.page) + ", which has none to do");
    switch (op.kind) {
    case FlashOpKind::kRead:
        read_copy(op);
        break;
    case FlashOpKind::kProgram:
        program(op, ops);
        break;
    case FlashOpKind::kErase:
        erase(op);
        break;
    }
    ops.push_back(op);
    guide_.take_operation();
    return of_host;
}

void GuidedFtl::read_copy(const FlashOp& op) {
    const Ppn newest = location(op.lpn);
    CAVERN_CHECK(newest == op.page, place_text(op.lpn) + " is read from " + place_text(op.page) +
                                        " to be copied, and lies " + place_text(newest));
    const BlockId id = geometry_.block_of(op.page);
    Block& block = blocks_[raw(id)];
    if (log_ != nullptr && !in_steps_ && block.copied == 0) {
        log_->gc(id, block.valid);
    }
    ++block.copied;
}

void GuidedFtl::program(const FlashOp& op, const FlashOpList& before) {
    const Ppn newest = location(op.lpn);
    const BlockId id = geometry_.block_of(op.page);
    Block& block = blocks_[raw(id)];
    CAVERN_CHECK(geometry_.page_in_block(op.page) == block.programmed,
                 place_text(op.page) + " is programmed, and of block " + std::to_string(raw(id)) +
                     " " + std::to_string(block.programmed) + " pages are");
    CAVERN_CHECK(op.supersedes == newest, place_text(op.lpn) + " is programmed in place of " +
                                              place_text(op.supersedes) + ", and lies " +
                                              place_text(newest));
    if (op.origin != Origin::kHost) {
        const FlashOp* const read =
            op.copies && op.after != FlashOp::kNone ? &before[op.after] : nullptr;
        CAVERN_CHECK(read != nullptr && read->kind == FlashOpKind::kRead && read->lpn == op.lpn &&
                         read->page == op.supersedes,
                     place_text(op.lpn) + " is copied to " + place_text(op.page) +
                         ", and was not read");
    }
    if (newest != kNoPpn) {
        invalidate(newest);
    } else {
        ++mapped_;
    }
    place_.set(raw(op.lpn), raw(op.page) + 1);
    ++block.programmed;
    ++block.valid;
    ++(op.origin == Origin::kHost ? counters_.host_pages : counters_.gc_pages);
    if (log_ != nullptr) {
        log_->program(op.origin, op.lpn, op.page);
    }
}

void GuidedFtl::erase(const FlashOp& op) {
    const BlockId id = geometry_.block_of(op.page);
    Block& block = blocks_[raw(id)];
    CAVERN_CHECK(geometry_.page_in_block(op.page) == 0,
                 "an erase of " + place_text(op.page) +
                     ", which is not the first one of its block");
    CAVERN_CHECK(block.valid == 0, "block " + std::to_string(raw(id)) + " is erased with " +
                                       std::to_string(block.valid) + " valid pages");
    if (log_ != nullptr && (in_steps_ || block.copied == 0)) {
        log_->gc(id, block.copied);
    }
    block = {};
    ++counters_.erases;
    ++counters_.gc_runs;
}

void GuidedFtl::invalidate(Ppn page) {
    --blocks_[raw(geometry_.block_of(page))].valid;
}

std::uint64_t GuidedFtl::check_invariants() const {
    std::uint64_t mapped = 0;
    std::vector<std::uint32_t> valid(geometry_.blocks());
    for (std::uint64_t page = 0; page < place_.size(); ++page) {
        const Ppn place = location(Lpn{page});
        if (place != kNoPpn) {
            ++mapped;
            ++valid[raw(geometry_.block_of(place))];
        }
    }
    CAVERN_CHECK(mapped == mapped_, "the map and the number of mapped pages disagree");
    for (std::uint32_t block = 0; block < geometry_.blocks(); ++block) {
        CAVERN_CHECK(valid[block] == blocks_[block].valid &&
                         valid[block] <= blocks_[block].programmed,
                     "block " + std::to_string(block) + " has other valid pages than counted");
    }
    return place_.size() + geometry_.blocks();
}

} // namespace cavern
