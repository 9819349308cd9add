#include "firmware/twin/decisions.h"

#include <algorithm>
#include <string_view>

namespace cavern {

namespace {

// ---- text, of a difference only ----------------------------------------------------------------

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
           (victim.padding ? " padding" : "") + (victim.missing.empty() ? "" : " partial") +
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

} // namespace

std::string text_of(const Decision& answer) {
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

Decision ask(FirmwareIf& firmware, const DecisionCall& call) {
    switch (call.kind) {
    case DecisionCall::Kind::kWrite:
        return Decision(firmware.write(call.lpn));
    case DecisionCall::Kind::kWriteThrough:
        return Decision(firmware.write_through(call.lpn));
    case DecisionCall::Kind::kRead:
        return Decision(firmware.read(call.lpn));
    case DecisionCall::Kind::kTrim:
        return Decision(firmware.trim(call.lpn, call.count));
    case DecisionCall::Kind::kFlushStep:
        return Decision(firmware.flush_step());
    case DecisionCall::Kind::kMaintain:
        return Decision(firmware.maintain(call.plane, call.copies));
    case DecisionCall::Kind::kFill:
        break;
    }
    return Decision(&firmware.fill(call.lpns, call.count));
}

std::string RequestName::with(const DecisionCall& call) const {
    return (has_begun_ ? "request " + number(number_) : std::string("preconditioning")) + ", " +
           text_of(call);
}

std::string text_of(const DecisionCall& call) {
    switch (call.kind) {
    case DecisionCall::Kind::kWrite:
        return "write of logical page " + text(call.lpn);
    case DecisionCall::Kind::kWriteThrough:
        return "write through of logical page " + text(call.lpn);
    case DecisionCall::Kind::kRead:
        return "read of logical page " + text(call.lpn);
    case DecisionCall::Kind::kTrim:
        return "trim of " + number(call.count) + " logical pages from " + text(call.lpn) + " on";
    case DecisionCall::Kind::kFlushStep:
        return "step of a flush";
    case DecisionCall::Kind::kMaintain:
        return "work ahead for plane " + number(raw(call.plane));
    case DecisionCall::Kind::kFill:
        break;
    }
    return "fill with " + number(call.count) + " logical pages, first " + text(call.lpn);
}

// ---- comparison ---------------------------------------------------------------------------------

namespace {

bool same(FrameId a, FrameId b) {
    return a == b;
}

bool same(const Victim& a, const Victim& b) {
    return a.lpn == b.lpn && a.frame == b.frame && a.padding == b.padding &&
           a.missing == b.missing && a.stays == b.stays;
}

bool same(const FlashOp& a, const FlashOp& b) {
    return a.kind == b.kind && a.origin == b.origin && a.copies == b.copies &&
           a.rewrites == b.rewrites && a.merges == b.merges && a.version == b.version &&
           a.page == b.page && a.lpn == b.lpn && a.after == b.after && a.frame == b.frame &&
           a.supersedes == b.supersedes;
}

/// The first difference of two lists; empty: none.
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

} // namespace

std::string difference(const Decision& a, const Decision& b) {
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

} // namespace cavern
