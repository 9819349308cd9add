#include "core/recovery/version_oracle.h"

#include <algorithm>
#include <string>

#include "core/base/check.h"

namespace cavern {

void VersionOracle::start(DriveCore& core, const NandArray& array) {
    core.watch(this);
    remember(core, array);
}

void VersionOracle::remember(const DriveCore& core, const NandArray& array) {
    held_.assign(core.host_pages(), false);
    versions_.assign(core.host_pages(), 0);
    for (std::uint64_t page = 0; page < core.host_pages(); ++page) {
        const Ppn place = core.ftl().location(Lpn{page});
        held_[page] = place != kNoPpn;
        versions_[page] = place != kNoPpn ? array.stored_version(place) : 0;
    }
    requests_.clear();
    pages_.clear();
    unflushed_.clear();
    current_ = kNoRequest;
}

// ---- decisions ----------------------------------------------------------------------------------

void VersionOracle::begin_request(std::uint64_t number) {
    current_ = number;
    requests_[number].begun = now_;
}

void VersionOracle::note(Lpn lpn, bool trim) {
    pages_[raw(lpn)].events.push_back({++now_, trim});
    requests_[current_].pages.emplace_back(lpn, now_);
}

void VersionOracle::host_write(Lpn lpn) {
    note(lpn, false);
    unflushed_.emplace_back(lpn, now_);
}

void VersionOracle::host_trim(Lpn first, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
        note(Lpn{raw(first) + i}, true);
    }
}

void VersionOracle::programs(Lpn lpn, PageVersion version) {
    // Of a page that was not written since: zeros, by which a policy pads.
    Page& page = pages_[raw(lpn)];
    page.programs.emplace_back(version, page.events.empty() ? 0 : page.events.back().tick);
}

// ---- answers ------------------------------------------------------------------------------------

void VersionOracle::acknowledged(std::uint64_t number, RequestOp op, bool durable) {
    const auto request = requests_.find(number);
    CAVERN_CHECK(request != requests_.end(), "an answer follows its request");
    for (const auto& [lpn, tick] : request->second.pages) {
        Page& page = pages_.at(raw(lpn));
        page.acknowledged = std::max(page.acknowledged, tick);
        if (durable || op == RequestOp::kTrim) {
            make_durable(page, tick);
        }
    }
    while (op == RequestOp::kFlush && !unflushed_.empty() &&
           unflushed_.front().second <= request->second.begun) {
        make_durable(pages_.at(raw(unflushed_.front().first)), unflushed_.front().second);
        unflushed_.pop_front();
    }
    requests_.erase(request);
}

void VersionOracle::make_durable(Page& page, Tick tick) {
    if (tick > page.durable) {
        page.durable = tick;
        prune(page);
    }
}

void VersionOracle::prune(Page& page) {
    const auto old_event = [&](const Event& event) { return event.tick < page.durable; };
    const auto old_program = [&](const auto& program) { return program.second < page.durable; };
    page.events.erase(std::remove_if(page.events.begin(), page.events.end(), old_event),
                      page.events.end());
    page.programs.erase(std::remove_if(page.programs.begin(), page.programs.end(), old_program),
                        page.programs.end());
}

void VersionOracle::read_from_flash(Lpn lpn, PageVersion version) {
    const auto found = pages_.find(raw(lpn));
    if (found == pages_.end()) {
        return;
    }
    const auto& programs = found->second.programs;
    for (auto latest = programs.rbegin(); latest != programs.rend(); ++latest) {
        if (latest->first == version) {
            make_durable(found->second, latest->second);
            return;
        }
    }
}

// ---- after the recovery -------------------------------------------------------------------------

VersionOracle::Fate VersionOracle::fate_of(Lpn lpn, const Page& page, Ppn place,
                                           const NandArray& array) const {
    if (place == kNoPpn) {
        Tick newest = 0;
        for (const Event& event : page.events) {
            newest = event.trim ? event.tick : newest;
        }
        return newest == 0 && held_[raw(lpn)] ? Fate::kLost : judge(page, newest);
    }
    if (!array.is_programmed(place) || array.is_torn(place) || array.stored_lpn(place) != lpn) {
        return Fate::kCorrupt;
    }
    const PageVersion version = array.stored_version(place);
    for (const auto& [programmed, tick] : page.programs) {
        if (programmed == version) {
            return judge(page, tick);
        }
    }
    return held_[raw(lpn)] && version == versions_[raw(lpn)] ? judge(page, 0) : Fate::kLost;
}

void VersionOracle::verify(DriveCore& core, const NandArray& array, RecoveryCounters& counters) {
    const Page untouched;
    for (std::uint64_t number = 0; number < held_.size(); ++number) {
        const Lpn lpn{number};
        const auto found = pages_.find(number);
        const Page& page = found != pages_.end() ? found->second : untouched;
        counters.acknowledged += page.acknowledged != 0 ? 1 : 0;
        counters.flushed += page.acknowledged != 0 && page.durable != 0 ? 1 : 0;
        switch (fate_of(lpn, page, core.ftl().location(lpn), array)) {
        case Fate::kNewest:
            counters.recovered += page.acknowledged != 0 ? 1 : 0;
            break;
        case Fate::kOlder:
            ++counters.lost_unflushed;
            break;
        case Fate::kLost:
            ++counters.lost_flushed;
            blame(lpn, "is older than what was flushed");
            break;
        case Fate::kCorrupt:
            ++counters.corrupt;
            blame(lpn, "is mapped to a page that holds something else");
            break;
        }
    }
    core.watch(this);
    remember(core, array);
}

void VersionOracle::blame(Lpn lpn, const char* what) {
    if (first_fault_.empty()) {
        first_fault_ = "logical page " + std::to_string(raw(lpn)) + " " + what;
    }
}

} // namespace cavern
