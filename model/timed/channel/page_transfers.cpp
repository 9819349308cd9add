#include "timed/channel/page_transfers.h"

#include "core/base/check.h"
#include "timed/channel/ecc.h"
#include "timed/tlm/time.h"

namespace cavern {

PageTransfers::PageTransfers(OpGraph& graph, const Geometry& geometry, std::uint32_t copy_pages,
                             std::uint32_t copy_backs, FlashClientIf& client, EventQueue& events,
                             EventHandlerIf& events_of)
    : graph_(graph), geometry_(geometry), client_(client), events_(events), events_of_(events_of),
      copy_backs_(copy_backs), copies_in_die_(copy_backs != 0 ? geometry.pages() : 0) {
    CAVERN_CHECK(copy_pages >= geometry.units_per_program(),
                 "the copies that are programmed as one have a page of the SDRAM each");
    for (std::uint32_t die = 0; die < geometry.dies(); ++die) {
        copy_pages_.emplace_back(die * copy_pages, copy_pages);
    }
}

void PageTransfers::feed(OpId program, OpId read, bool part_by_part) {
    Op& to = graph_[program];
    Op& from = graph_[read];
    CAVERN_CHECK(from.feeds == kNoOp, "a page read for a program is programmed once");
    CAVERN_CHECK(to.flash.merges || to.flash.supersedes == from.flash.page,
                 "a copy replaces the page that was read for it");
    from.feeds = program;
    if (to.flash.merges && part_by_part) {
        const SectorSpan wanted = from.flash.wanted();
        from.from = wanted.begin();
        from.bytes = wanted.bytes(geometry_.page_bytes);
    }
    if (to.flash.copies) {
        from.awaits_page = true;
        to.source = read;
    }
}

// ---- to the die ---------------------------------------------------------------------------------

void PageTransfers::fetch_unit(OpId id) {
    Op& op = graph_[id];
    if (!op.flash.copies && op.flash.origin != Origin::kHost) {
        op.data = DataState::kReady; // the controller makes it: zeros, or its own tables
        if (ecc_ != nullptr) {
            encode(id, now_ps());
        }
        return;
    }
    op.data = DataState::kAsked;
    const TimePs at = op.flash.copies ? client_.fetch_copied_page(id, op.copy_page)
                                      : client_.fetch_program_data(id, op.context);
    if (at != kNever) {
        comes(id, at);
    }
}

void PageTransfers::await_unit(OpId id) {
    Op& op = graph_[id];
    if (op.data_at <= now_ps()) {
        op.data = DataState::kReady;
    } else {
        op.data = DataState::kAwaited;
        schedule(op.data_at, FlashEvent::kDataReady, raw(id));
    }
}

/// The encoder takes the data when they are in the channel, and not before: others may come first.
void PageTransfers::encode(OpId id, TimePs at) {
    Op& op = graph_[id];
    if (at > now_ps()) {
        op.data = DataState::kAsked;
        schedule(at, FlashEvent::kEncode, raw(id));
        return;
    }
    op.data = DataState::kComing;
    op.data_at = ecc_->encode(geometry_.channel_of(op.die), geometry_.page_bytes, now_ps());
}

bool PageTransfers::are_ready(const Op& first) const {
    if (first.lacks != 0 || first.data != DataState::kReady) {
        return false;
    }
    for (OpId unit = first.next_unit; unit != kNoOp; unit = graph_[unit].next_unit) {
        if (graph_[unit].waits || graph_[unit].data != DataState::kReady) {
            return false;
        }
    }
    return true;
}

bool PageTransfers::are_coming(const Op& first) const {
    if (first.lacks != 0) {
        return false;
    }
    for (const Op* unit = &first;; unit = &graph_[unit->next_unit]) {
        const bool asked = unit->data == DataState::kAsked && !unit->flash.copies &&
                           client_.data_is_coming(unit->context);
        if (unit->waits || unit->data == DataState::kNotAsked ||
            (unit->data == DataState::kAsked && !asked)) {
            return false;
        }
        if (unit->next_unit == kNoOp) {
            return true;
        }
    }
}

// ---- from the die -------------------------------------------------------------------------------

bool PageTransfers::decode(OpId id, bool from_register) {
    if (ecc_ == nullptr) {
        return true;
    }
    Op& op = graph_[id];
    Ecc::PageRead page{geometry_.channel_of(op.die), op.flash.page, 0,
                       geometry_.page_bytes,         op.attempt,    from_register};
    if (op.bytes != 0) {
        page.offset = op.from;
        page.bytes = op.bytes;
    }
    const Ecc::Outcome outcome = ecc_->read(page, now_ps());
    op.again = outcome.again;
    op.lost = outcome.lost;
    if (outcome.stale) {
        client_.page_is_stale(page.page);
    }
    if (outcome.at == now_ps()) {
        return true;
    }
    schedule(outcome.at, FlashEvent::kDecoded, raw(id));
    return false;
}

TimePs PageTransfers::store(OpId id) {
    const Op& read = graph_[id];
    Op& program = graph_[read.feeds];
    // What the controller makes anew is not lost: the model keeps the map.
    program.lost = read.lost && !program.flash.rewrites;
    return program.flash.copies ? client_.store_copied_page(id, read.copy_page)
                                : client_.store_rest(id, program.context, read.flash.wanted());
}

void PageTransfers::deliver_to_host(OpId id) {
    const Op& op = graph_[id];
    if (data_ != nullptr) {
        data_->stage(raw(id), op.context, op.flash.page);
    }
    op.lost ? client_.host_page_lost(op.context) : client_.host_page_read(op.context);
}

void PageTransfers::programmed(OpId id) {
    if (ecc_ != nullptr) {
        const Op& op = graph_[id];
        const bool lost = op.lost || (ecc_->errs() && op.flash.origin == Origin::kHost &&
                                      client_.holds_lost_page(op.context));
        ecc_->programmed(op.flash.page, lost, now_ps());
    }
}

void PageTransfers::erased(BlockId block) {
    if (ecc_ != nullptr) {
        ecc_->erased(block);
    }
}

// ---- copies -------------------------------------------------------------------------------------

/// The source is in flash, in the same plane, and was not copied so too often. Nothing else waits
/// for its read, which becomes a part of the program.
bool PageTransfers::may_stay_in_die(const Op& copy) const {
    const Op& read = graph_[copy.source];
    const auto plane = [this](Ppn page) { return geometry_.plane_of(geometry_.block_of(page)); };
    return !copy.flash.rewrites && !read.waits && !graph_.is_pending(read.held_writer) &&
           read.next_dependent == kNoOp && copy.next_dependent == kNoOp &&
           plane(read.flash.page) == plane(copy.flash.page) &&
           geometry_.is_slc(read.flash.page) == geometry_.is_slc(copy.flash.page) &&
           copies_in_die_[raw(read.flash.page)] < copy_backs_;
}

/// The page that it reads may be decided to be written anew later in the same list: its count is
/// that of now.
void PageTransfers::decide_where_copied(OpId program) {
    Op& copy = graph_[program];
    std::uint8_t copies = 0;
    if (copy.source != kNoOp && may_stay_in_die(copy)) {
        Op& read = graph_[copy.source];
        CAVERN_CHECK(read.first_dependent == program, "the program of a copy waits for its read");
        read.first_dependent = kNoOp;
        read.awaits_page = false;
        copy.waits = false;
        copy.data = DataState::kReady;
        copy.in_die = true;
        copies = static_cast<std::uint8_t>(copies_in_die_[raw(read.flash.page)] + 1);
    }
    copies_in_die_[raw(copy.flash.page)] = copies;
}

/// The reads of what is programmed as one follow each other: what is granted first can then be
/// programmed first.
void PageTransfers::want_copy_pages(OpId program) {
    CopyPages& pages = copy_pages_[raw(graph_[program].die)];
    for (OpId unit = program; unit != kNoOp; unit = graph_[unit].next_unit) {
        if (graph_[unit].source != kNoOp && !graph_[unit].in_die) {
            pages.wait(raw(unit));
        }
    }
}

OpId PageTransfers::grant_copy_page(DieId die) {
    CopyPages& pages = copy_pages_[raw(die)];
    if (!pages.can_grant()) {
        return kNoOp;
    }
    const CopyPages::Grant granted = pages.grant();
    Op& program = graph_[OpId{granted.who}];
    Op& read = graph_[program.source];
    program.copy_page = granted.page;
    read.copy_page = granted.page;
    read.awaits_page = false;
    return program.source;
}

bool PageTransfers::give_back_copy_pages(const std::vector<OpId>& programs) {
    bool copies = false;
    for (const OpId id : programs) {
        const Op& op = graph_[id];
        if (op.copy_page != kNoCopyPage) {
            copy_pages_[raw(op.die)].give_back(op.copy_page);
            copies = true;
        }
    }
    return copies;
}

void PageTransfers::check_idle() const {
    for (const CopyPages& pages : copy_pages_) {
        CAVERN_CHECK(pages.idle(), "every page for copies is free at the end");
    }
}

} // namespace cavern
