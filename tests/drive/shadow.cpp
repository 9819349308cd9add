#include "tests/drive/shadow.h"

#include <algorithm>
#include <utility>

#include "timed/buffer/stages.h"
#include "timed/tlm/time.h"

namespace cavern::testing {
namespace {

template <typename Stage>
bool is(const TransferExtension& transfer, Stage stage) {
    return transfer.ticket.stage == static_cast<std::uint32_t>(stage);
}

constexpr std::size_t kEnough = 20;

/// Whether a program of this origin moves what is there already.
bool is_copy(Origin origin) {
    return is_collection(origin) || origin == Origin::kWear || origin == Origin::kRescue;
}

/// Whether the place in the SDRAM is a frame, or a slot that a page passes in as in a frame.
bool is_of_frame(const TransferExtension& transfer) {
    return is(transfer, PageStage::kFillFrame) || is(transfer, PageStage::kServeFrame) ||
           is(transfer, PageStage::kKeepPage) || is(transfer, PageStage::kCopyFrame) ||
           is(transfer, ProgramStage::kProgramFrame);
}

} // namespace

Shadow::Shadow(Drive drive)
    : drive_(std::move(drive)), geometry_(drive_.geometry), physical_(geometry_.pages()),
      frames_(drive_.frames), bus_free_(geometry_.channels, 0), die_free_(geometry_.dies(), 0) {}

Shadow::Logical& Shadow::logical(Lpn lpn) {
    if (logical_.size() <= raw(lpn)) {
        logical_.resize(raw(lpn) + 1);
    }
    return logical_[raw(lpn)];
}

void Shadow::expect(bool holds, const std::string& what) {
    if (!holds && contradictions_.size() < kEnough) {
        contradictions_.push_back(std::to_string(now_ps()) + " ps: " + what);
    }
}

void Shadow::record(const char* what, std::uint64_t a, std::uint64_t b) {
    if (timed_) {
        decisions_ += what + std::to_string(a) + (b != 0 ? "," + std::to_string(b) : "") + " ";
    }
}

// ---- decisions ----------------------------------------------------------------------------------

void Shadow::write(Lpn lpn, bool hit) {
    record(hit ? "W" : "w", raw(lpn));
    Logical& page = logical(lpn);
    expect(hit == page.resident, "a write hits where the page is resident");
    if (!hit) {
        page.writes = 0;
    }
    page.resident = drive_.buffered;
    ++page.writes;
    page.written = true;
    page.decided.push_back({now_ps(), ++page.version, false});
}

void Shadow::read(Lpn lpn, bool hit) {
    record(hit ? "R" : "r", raw(lpn));
    Logical& page = logical(lpn);
    const Ppn place = drive_.location(lpn);
    if (!hit && page.resident && drive_.keeps_sectors) {
        read_rest(page, place);
        return;
    }
    expect(hit == page.resident, "a read hits where the page is resident");
    if (hit) {
        page.hits.push_back(page.writes);
        return;
    }
    expect(page.written == (place != kNoPpn),
           "what was written has a place, what was not has none");
    if (drive_.keeps_reads) { // the page comes into a frame, from which the host has it
        page.resident = true;
        page.writes = 1;
        page.hits.push_back(page.writes);
    }
    if (place == kNoPpn) {
        ++checked_.zeros;
        return;
    }
    const Content& newest = physical_[raw(place)].newest();
    expect(newest.lpn == lpn && newest.version == page.version,
           "a read miss finds the newest version in flash");
    if (drive_.pending(place) && !drive_.keeps_reads) {
        page.hits.push_back(newest.writes);
    } else {
        page.reads.push_back(newest);
    }
}

/// The frame has a part of the page; the rest comes into it, from an older version, before the host
/// has its data from there.
void Shadow::read_rest(Logical& page, Ppn place) {
    if (place != kNoPpn) {
        page.reads.push_back(physical_[raw(place)].newest());
        ++page.writes;
    }
    page.hits.push_back(page.writes);
}

void Shadow::trim(Lpn lpn) {
    record("T", raw(lpn));
    Logical& page = logical(lpn);
    page.written = false;
    page.mapped = false;
    page.resident = false;
    page.decided.push_back({now_ps(), ++page.version, true});
    durable_.trimmed(lpn);
}

void Shadow::evicted(Lpn lpn) {
    Logical& page = logical(lpn);
    expect(page.resident, "a victim is resident");
    page.resident = false;
}

void Shadow::evict_page(Lpn lpn) {
    record("e", raw(lpn));
    evicted(lpn);
}

void Shadow::clean_page(Lpn lpn) {
    record("c", raw(lpn));
    expect(logical(lpn).resident, "a page that a FLUSH cleans is resident");
}

void Shadow::clean_block(Lbn, const std::vector<Lpn>& pages, const std::vector<Lpn>&) {
    for (const Lpn lpn : pages) {
        clean_page(lpn);
    }
}

void Shadow::evict_block(Lbn lbn, const std::vector<Lpn>& pages, const std::vector<Lpn>&) {
    record("E", raw(lbn), pages.size());
    for (const Lpn lpn : pages) {
        evicted(lpn);
    }
}

void Shadow::program(Origin origin, Lpn lpn, Ppn place) {
    record(origin == Origin::kHost ? "p" : "g", raw(lpn), raw(place));
    Logical& page = logical(lpn);
    if (!timed_ && origin == Origin::kHost) {
        ++page.version;
        page.written = true;
    }
    if (origin == Origin::kHost) {
        page.flash = {lpn, page.version, page.writes};
    } else if (origin == Origin::kPadding && !page.mapped) {
        // As zeros, which is what it read as before; a write of it may have been decided already.
        page.flash = {lpn, page.written ? 0 : page.version, 0};
        page.written = true;
    } else if (origin == Origin::kMapping) {
        page.flash = {lpn, page.version, 0}; // a page of the layer's own
    }
    // What a TRIM takes may be moved once more to make room for the translation page that says so.
    const bool trimmed = !page.mapped && is_copy(origin);
    page.mapped = !trimmed;
    durable_.decided(lpn, place);
    if (trimmed) {
        durable_.trimmed(lpn);
    }
    if (!timed_) {
        durable_.programs(place, 0);
        physical_[raw(place)].now = page.flash;
        return;
    }
    physical_[raw(place)].planned.push_back(page.flash);
    if (origin == Origin::kHost) {
        page.fetches.push_back(page.writes);
    }
}

void Shadow::gc(BlockId victim, std::uint32_t copies) {
    record("C", raw(victim), copies);
}

// ---- buses and dies -----------------------------------------------------------------------------

void Shadow::bus(ChannelId channel, std::uint32_t, const char*, TimePs start, TimePs duration,
                 const NandExtension& command) {
    if (begins_run(command.what)) {
        // It names no page.
    } else if (command.what == NandCommand::kRegisterRead) {
        read_out(command, 0);
    } else if (command.kind == FlashOpKind::kRead && command.out >= command.nand_pages) {
        read_out(command, command.out); // comes out of the cache register as well
    }
    expect(start >= bus_free_[raw(channel)], "a bus carries one transfer at a time");
    bus_free_[raw(channel)] = start + duration;
}

void Shadow::array(DieId die, TimePs start, TimePs duration, const NandExtension& command) {
    expect(start >= die_free_[raw(die)], "a die runs one operation at a time");
    die_free_[raw(die)] = start + duration;
    if (command.suspended) {
        return; // it goes on later, and is looked at then
    }
    for (std::uint32_t i = 0; i < command.count; ++i) {
        const Lpn lpn = command.lpns[i];
        Physical& place = physical_[raw(command.pages[i])];
        if (command.kind == FlashOpKind::kErase) {
            const std::uint64_t first = raw(command.pages[i]);
            const std::vector<Lpn> lost =
                durable_.erases(command.pages[i], geometry_.pages_per_block, start);
            expect(lost.empty(), "no erase takes the newest version in flash of a page");
            for (std::uint32_t page = 0; page < geometry_.pages_per_block; ++page) {
                physical_[first + page].now = {};
            }
        } else if (command.kind == FlashOpKind::kProgram && lpn == kNoLpn) {
            place.now = {}; // fills a hole
        } else if (command.kind == FlashOpKind::kProgram) {
            durable_.programs(command.pages[i], start + duration);
            expect(!place.planned.empty() && place.planned.front().lpn == lpn,
                   "a die programs what was decided for the page");
            if (!place.planned.empty()) {
                place.now = place.planned.front();
                place.planned.pop_front();
                logical(lpn).programmed.push_back({start + duration, place.now.version, false});
                ++checked_.programs;
                if (command.origin == Origin::kHost) {
                    programmed_at_.push_back(start + duration);
                }
            }
        } else {
            read_out(command, i);
        }
    }
}

/// A page is read, from the array or from the page register.
void Shadow::read_out(const NandExtension& command, std::uint32_t which) {
    const Lpn lpn = command.lpns[which];
    const Content& now = physical_[raw(command.pages[which])].now;
    expect(now.lpn == lpn, "a die holds the page that is to be read");
    if (command.origins[which] == Origin::kHost) {
        read_from_flash(lpn, now);
        ++checked_.flash;
    }
}

void Shadow::read_from_flash(Lpn lpn, const Content& now) {
    std::vector<Content>& reads = logical(lpn).reads;
    const auto due = std::find_if(reads.begin(), reads.end(), [&now](const Content& content) {
        return content.version == now.version;
    });
    if (!logical(lpn).read.insert(now.version).second && due == reads.end() && drive_.reads_again) {
        return;
    }
    if (due == reads.end() && now.version == 0) {
        --checked_.zeros; // padding wrote them when the read made room for its page
        return;
    }
    expect(due != reads.end(), "a read finds the version that was newest when it was decided");
    if (due != reads.end()) {
        reads.erase(due);
    }
}

// ---- transfers ----------------------------------------------------------------------------------

void Shadow::link_begins(const tlm::tlm_generic_payload& payload) {
    const std::uint32_t task = TransferExtension::get(payload).ticket.index;
    const Lpn lpn{payload.get_address() / geometry_.page_bytes};
    if (payload.is_read()) {
        fetched_for_[task] = lpn;
        return;
    }
    const auto served = served_from_.find(task);
    if (served != served_from_.end()) {
        expect(served->second == lpn, "the host gets the page it asked for");
        served_from_.erase(served);
    }
}

void Shadow::sdram_begins(const tlm::tlm_generic_payload& payload) {
    const TransferExtension& transfer = TransferExtension::get(payload);
    const std::uint64_t number = payload.get_address() / geometry_.page_bytes;
    if (!is_of_frame(transfer)) {
        return; // staging
    }
    Frame& frame = frames_[number];
    if (payload.is_write()) {
        const Lpn lpn = is(transfer, PageStage::kKeepPage)
                            ? drive_.page_of(TaskId{transfer.ticket.index})
                            : fetched_for_.at(transfer.ticket.index);
        if (frame.lpn != lpn || frame.closed) {
            expect(frame.filling == 0, "a frame changes its page only when nothing goes into it");
            frame = {};
            frame.lpn = lpn;
        }
        ++frame.filling;
        return;
    }
    Logical& page = logical(frame.lpn);
    if (is(transfer, PageStage::kServeFrame)) {
        take_from_frame(frame, page.hits);
        served_from_[transfer.ticket.index] = frame.lpn;
        ++checked_.frames;
    } else if (is(transfer, ProgramStage::kProgramFrame)) {
        expect(is_at_rest(frame), "a frame is programmed when nothing is on its way into it");
        take_from_frame(frame, page.fetches);
        // What a FLUSH writes and keeps may be written again in its frame.
        frame.closed = !drive_.keeps_flushed || !page.resident;
    } else if (is(transfer, PageStage::kCopyFrame)) {
        expect(frame.lpn == drive_.page_of(TaskId{transfer.ticket.index}) && is_at_rest(frame),
               "a page returns to the buffer from a frame that holds it");
        read_from_flash(frame.lpn, copied_from_frame(page));
        ++checked_.frames;
    }
}

/// Of a page that returns from the frame it has not left yet. What was sent to flash last may be
/// newer than that frame: written through since the read was decided, which has its older version.
Shadow::Content Shadow::copied_from_frame(const Logical& page) {
    const auto is_due = [&page](const Content& read) { return read.version == page.flash.version; };
    return page.reads.empty() || std::any_of(page.reads.begin(), page.reads.end(), is_due)
               ? page.flash
               : page.reads.front();
}

bool Shadow::is_at_rest(const Frame& frame) {
    const TimePs now = now_ps();
    return frame.filling == 0 && std::none_of(frame.fills.begin(), frame.fills.end(),
                                              [now](TimePs at) { return at > now; });
}

/// Data leaves a frame: all host writes that were decided before must have arrived.
void Shadow::take_from_frame(const Frame& frame, std::vector<std::uint64_t>& awaited) {
    const TimePs now = now_ps();
    const auto fills = static_cast<std::uint64_t>(std::count_if(
        frame.fills.begin(), frame.fills.end(), [now](TimePs at) { return at <= now; }));
    // Several may be under way; the one meant is that which needs most of what is here.
    auto best = awaited.end();
    for (auto each = awaited.begin(); each != awaited.end(); ++each) {
        if (*each <= fills && (best == awaited.end() || *each > *best)) {
            best = each;
        }
    }
    expect(best != awaited.end(), "data leaves a frame with all writes decided before");
    if (best != awaited.end()) {
        awaited.erase(best);
    }
}

void Shadow::sdram_ends(const tlm::tlm_generic_payload& payload, TimePs at) {
    const std::uint64_t number = payload.get_address() / geometry_.page_bytes;
    if (!payload.is_write() || !is_of_frame(TransferExtension::get(payload))) {
        return;
    }
    fetched_for_.erase(TransferExtension::get(payload).ticket.index);
    Frame& frame = frames_[number];
    --frame.filling;
    frame.fills.push_back(at);
}

std::size_t Shadow::unserved() const {
    std::size_t count = served_from_.size() + fetched_for_.size();
    for (const Logical& page : logical_) {
        count += page.hits.size() + page.fetches.size() + page.reads.size();
    }
    for (const Physical& place : physical_) {
        count += place.planned.size();
    }
    return count;
}

bool Shadow::programmed_between(Lpn lpn, TimePs decided, TimePs completed) const {
    const Logical& page = logical_.at(raw(lpn));
    const auto write =
        std::find_if(page.decided.begin(), page.decided.end(),
                     [&](const Event& each) { return each.at == decided && !each.trim; });
    return write != page.decided.end() &&
           std::any_of(page.programmed.begin(), page.programmed.end(), [&](const Event& each) {
               return each.version >= write->version && each.at <= completed;
           });
}

std::vector<Lpn> Shadow::missing_after_flush(TimePs dispatch, TimePs completed) const {
    std::vector<Lpn> missing;
    for (std::uint64_t number = 0; number < logical_.size(); ++number) {
        const Logical& page = logical_[number];
        const Event* last = nullptr;
        for (const Event& event : page.decided) {
            // What is decided at the very time of the flush may come before or after it: a trim may
            // excuse a page, a write obliges nobody.
            if (event.at < dispatch || (event.at == dispatch && event.trim)) {
                last = &event;
            }
        }
        if (last == nullptr || last->trim) {
            continue;
        }
        const bool safe =
            std::any_of(page.programmed.begin(), page.programmed.end(), [&](const Event& event) {
                return event.version >= last->version && event.at <= completed;
            });
        if (!safe) {
            missing.push_back(Lpn{number});
        }
    }
    return missing;
}

} // namespace cavern::testing
