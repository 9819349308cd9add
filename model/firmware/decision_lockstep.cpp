#include "firmware/decision_lockstep.h"

#include <algorithm>
#include <string_view>

#include "core/base/error.h"

namespace cavern {

namespace {

using Answer = DecisionLockstep::Answer;

Answer answer_of(const WriteDecision& decision) {
    Answer answer;
    answer.hit = decision.hit;
    answer.frame = decision.frame;
    answer.batch = &decision.batch;
    return answer;
}

Answer answer_of(const ReadDecision& decision) {
    Answer answer;
    answer.hit = decision.hit;
    answer.frame = decision.frame;
    answer.page = decision.page;
    answer.version = decision.version;
    answer.looked_up = decision.looked_up;
    answer.completes = decision.completes;
    answer.batch = &decision.batch;
    return answer;
}

Answer answer_of(const TrimDecision& decision) {
    Answer answer;
    answer.pages = decision.pages;
    answer.frames = &decision.frames;
    answer.batch = &decision.batch;
    return answer;
}

Answer answer_of(const Batch* batch) {
    Answer answer;
    answer.batch = batch;
    return answer;
}

// ---- text, of a difference only
// -----------------------------------------------------------------

std::string number(std::uint64_t value) {
    return std::to_string(value);
}

std::string text(FrameId frame) {
    return frame == kNoFrame ? "none" : number(raw(frame));
}

std::string text(Ppn page) {
    return page == kNoPpn ? "none" : number(raw(page));
}

std::string text(Lpn lpn) {
    return lpn == kNoLpn ? "none" : number(raw(lpn));
}

std::string text(const Victim& victim) {
    return number(raw(victim.lpn)) + " in frame " + text(victim.frame) +
           (victim.padding ? " padding" : "") + (victim.partial ? " partial" : "") +
           (victim.stays ? " stays" : "");
}

std::string text(const FlashOp& op) {
    constexpr std::string_view kKinds[] = {"read", "program", "erase"};
    std::string words(kKinds[static_cast<std::size_t>(op.kind)]);
    words += " page " + text(op.page) + ", origin " + number(static_cast<std::uint64_t>(op.origin));
    words += ", logical page " + text(op.lpn) + ", version " + number(op.version);
    words += ", supersedes " + text(op.supersedes) + ", frame " + text(FrameId{op.frame});
    words += op.after == FlashOp::kNone ? "" : ", after operation " + std::to_string(op.after);
    words += op.copies ? ", copies" : "";
    words += op.rewrites ? ", rewrites" : "";
    words += op.merges ? ", merges" : "";
    return words;
}

/// The first items of a list, and how many it has.
template <typename List>
std::string list(const List& items) {
    constexpr std::size_t kShown = 8;
    std::string words = number(items.size());
    for (std::size_t i = 0; i < std::min(items.size(), kShown); ++i) {
        words += (i == 0 ? ": " : ", ") + text(items[i]);
    }
    return words + (items.size() > kShown ? ", ..." : "");
}

std::string text(const Answer& answer) {
    std::string words = std::string("hit ") + (answer.hit ? "yes" : "no") + ", frame " +
                        text(answer.frame) + ", page " + text(answer.page) + ", version " +
                        number(answer.version);
    if (answer.frames != nullptr) {
        words += ", frames trimmed " + list(*answer.frames);
    }
    if (answer.batch == nullptr) {
        return words + ", nothing to do";
    }
    return words + ", units " + number(answer.batch->units) + ", victims " +
           list(answer.batch->victims) + "; dropped " + list(answer.batch->dropped) +
           "; operations " + number(answer.batch->ops.size());
}

// ---- comparison ---------------------------------------------------------------------------------

bool same(FrameId a, FrameId b) {
    return a == b;
}

bool same(const Victim& a, const Victim& b) {
    return a.lpn == b.lpn && a.frame == b.frame && a.padding == b.padding &&
           a.partial == b.partial && a.stays == b.stays;
}

bool same(const FlashOp& a, const FlashOp& b) {
    return a.kind == b.kind && a.origin == b.origin && a.copies == b.copies &&
           a.rewrites == b.rewrites && a.merges == b.merges && a.version == b.version &&
           a.page == b.page && a.lpn == b.lpn && a.after == b.after && a.frame == b.frame &&
           a.supersedes == b.supersedes;
}

/// What differs first in two lists; empty: nothing.
template <typename List>
std::string difference(std::string_view what, const List& core, const List& firmware) {
    const std::size_t both = std::min(core.size(), firmware.size());
    for (std::size_t i = 0; i < both; ++i) {
        if (!same(core[i], firmware[i])) {
            return std::string(what) + " " + number(i) + " is (" + text(core[i]) + ") and (" +
                   text(firmware[i]) + ")";
        }
    }
    return core.size() == firmware.size()
               ? ""
               : "there are " + number(core.size()) + " and " + number(firmware.size()) + " of " +
                     std::string(what);
}

std::string difference(const Batch& core, const Batch& firmware) {
    if (core.evicts() && core.units != firmware.units) {
        return "units differ";
    }
    std::string found = difference("victim", core.victims, firmware.victims);
    found = !found.empty() ? found : difference("dropped frame", core.dropped, firmware.dropped);
    return !found.empty() ? found : difference("operation", core.ops, firmware.ops);
}

/// Likewise of answers. The first one is the core's.
std::string difference(const Answer& a, const Answer& b) {
    if (a.hit != b.hit) {
        return "hit differs";
    }
    if (a.frame != b.frame) {
        return "frame differs";
    }
    if (a.page != b.page || a.looked_up != b.looked_up || a.completes != b.completes) {
        return "the place of the page differs";
    }
    if (a.version != b.version) {
        return "version differs";
    }
    if (a.pages != b.pages) {
        return "pages trimmed differ";
    }
    if ((a.batch == nullptr) != (b.batch == nullptr)) {
        return "one has something to do";
    }
    if (a.frames != nullptr) {
        std::string found = difference("frame trimmed", *a.frames, *b.frames);
        if (!found.empty()) {
            return found;
        }
    }
    return a.batch != nullptr ? difference(*a.batch, *b.batch) : "";
}

} // namespace

template <typename Ask, typename Call>
void DecisionLockstep::compare(const Answer& core, Ask ask, Call call) {
    ++calls_;
    operations_ += core.batch != nullptr ? core.batch->ops.size() : 0;
    const auto stop = [&](const std::string& found, const std::string& firmware) {
        throw ModelError("firmware and decision core differ: request " + number(request_) + ", " +
                         call() + ": " + found + "; the core decides {" + text(core) +
                         "}, the firmware " + firmware);
    };
    Answer firmware;
    try {
        firmware = ask();
    } catch (const ModelError& error) {
        stop("the firmware stops", std::string("says: ") + error.what());
    }
    const std::string found = difference(core, firmware);
    if (!found.empty()) {
        stop(found, "{" + text(firmware) + "}");
    }
}

void DecisionLockstep::check_write(Lpn lpn, const WriteDecision& core) {
    compare(
        answer_of(core), [&] { return answer_of(firmware_.write(lpn)); },
        [&] { return "write of logical page " + text(lpn); });
}

void DecisionLockstep::check_write_through(Lpn lpn, const WriteDecision& core) {
    compare(
        answer_of(core), [&] { return answer_of(firmware_.write_through(lpn)); },
        [&] { return "write through of logical page " + text(lpn); });
}

void DecisionLockstep::check_read(Lpn lpn, const ReadDecision& core) {
    compare(
        answer_of(core), [&] { return answer_of(firmware_.read(lpn)); },
        [&] { return "read of logical page " + text(lpn); });
}

void DecisionLockstep::check_trim(Lpn first, std::uint64_t count, const TrimDecision& core) {
    compare(
        answer_of(core), [&] { return answer_of(firmware_.trim(first, count)); },
        [&] { return "trim of " + number(count) + " logical pages from " + text(first) + " on"; });
}

void DecisionLockstep::check_flush_step(const Batch* core) {
    compare(
        answer_of(core), [&] { return answer_of(firmware_.flush_step()); },
        [] { return std::string("step of a flush"); });
}

void DecisionLockstep::check_maintain(PlaneId plane, std::uint32_t copies, const Batch* core) {
    compare(
        answer_of(core), [&] { return answer_of(firmware_.maintain(plane, copies)); },
        [&] { return "work ahead for plane " + number(raw(plane)); });
}

void DecisionLockstep::check_fill(const Lpn* lpns, std::size_t count, const FlashOpList& core) {
    static const std::vector<Victim> kNoVictims;
    static const std::vector<FrameId> kNoFrames;
    const Batch batch{core, kNoVictims, kNoFrames};
    compare(
        answer_of(&batch), [&] { return answer_of(&firmware_.fill(lpns, count)); },
        [&] { return "fill with " + number(count) + " logical pages, first " + text(lpns[0]); });
}

WriteDecision DecisionLockstep::write(Lpn lpn) {
    const WriteDecision decision = core_.write(lpn);
    check_write(lpn, decision);
    return decision;
}

WriteDecision DecisionLockstep::write_through(Lpn lpn) {
    const WriteDecision decision = core_.write_through(lpn);
    check_write_through(lpn, decision);
    return decision;
}

ReadDecision DecisionLockstep::read(Lpn lpn) {
    const ReadDecision decision = core_.read(lpn);
    check_read(lpn, decision);
    return decision;
}

TrimDecision DecisionLockstep::trim(Lpn first, std::uint64_t count) {
    const TrimDecision decision = core_.trim(first, count);
    check_trim(first, count, decision);
    return decision;
}

const Batch* DecisionLockstep::flush_step() {
    const Batch* batch = core_.flush_step();
    check_flush_step(batch);
    return batch;
}

const Batch* DecisionLockstep::maintain(PlaneId plane, std::uint32_t copies) {
    const Batch* batch = core_.maintain(plane, copies);
    check_maintain(plane, copies, batch);
    return batch;
}

} // namespace cavern
