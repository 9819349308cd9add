#include "core/recovery/version_oracle.h"

#include <algorithm>

#include "core/base/check.h"

namespace cavern {

void VersionOracle::start(DriveCore& core, const NandArray& array, DriveData* data) {
    core.watch(this);
    if (data != nullptr) {
        data->watch(this);
        sectors_.emplace(*data);
    }
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
    pages_[raw(lpn)].events.push_back({++now_, trim, 0, 0, 0});
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

void VersionOracle::data_written(Lpn page, std::uint32_t first, std::uint32_t sectors,
                                 SectorVersions::Version version) {
    PageChange& event = pages_.at(raw(page)).events.back();
    CAVERN_CHECK(!event.trim && event.version == 0, "the data of a write follow its decision");
    event.first = static_cast<std::uint8_t>(first);
    event.sectors = static_cast<std::uint8_t>(sectors);
    event.version = version;
}

void VersionOracle::data_trimmed(Lpn first, std::uint64_t pages, SectorVersions::Version version) {
    for (std::uint64_t i = 0; i < pages; ++i) {
        PageChange& event = pages_.at(raw(first) + i).events.back();
        CAVERN_CHECK(event.trim && event.version == 0, "the data of a TRIM follow its decision");
        event.sectors = static_cast<std::uint8_t>(sectors_->sectors());
        event.version = version;
    }
}

void VersionOracle::programs(Lpn lpn, PageVersion version, bool pads) {
    Page& page = pages_[raw(lpn)];
    Tick tick = page.events.empty() ? 0 : page.events.back().tick;
    if (pads) { // the newest write may not be in the buffer yet
        tick = page.programs.empty() ? 0 : page.programs.back().second;
        for (const PageChange& event : page.events) {
            tick = event.trim ? std::max(tick, event.tick) : tick;
        }
    }
    page.programs.emplace_back(version, tick);
}

// ---- answers ------------------------------------------------------------------------------------

void VersionOracle::acknowledged(std::uint64_t number, RequestOp op, bool durable) {
    const auto request = requests_.find(number);
    CAVERN_CHECK(request != requests_.end(), "an answer follows its request");
    for (const auto& [lpn, tick] : request->second.pages) {
        Page& page = pages_.at(raw(lpn));
        page.acknowledged = std::max(page.acknowledged, tick);
        if (durable || op == RequestOp::kTrim) {
            make_durable(lpn, page, tick);
        }
    }
    while (op == RequestOp::kFlush && !unflushed_.empty() &&
           unflushed_.front().second <= request->second.begun) {
        const Lpn lpn = unflushed_.front().first;
        make_durable(lpn, pages_.at(raw(lpn)), unflushed_.front().second);
        unflushed_.pop_front();
    }
    requests_.erase(request);
}

void VersionOracle::drained(bool all) {
    in_parts_ = true;
    for (std::uint64_t number = 0; all && number < held_.size(); ++number) {
        const auto page = pages_.find(number);
        if (page != pages_.end()) {
            make_durable(Lpn{number}, page->second, page->second.acknowledged);
        }
    }
}

void VersionOracle::make_durable(Lpn lpn, Page& page, Tick tick) {
    if (tick > page.durable) {
        page.durable = tick;
        prune(lpn, page);
    }
}

void VersionOracle::prune(Lpn lpn, Page& page) {
    const auto old_event = [&](const PageChange& event) { return event.tick < page.durable; };
    for (const PageChange& event : page.events) {
        if (sectors_ && old_event(event)) {
            sectors_->settle(lpn, event);
        }
    }
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
            make_durable(lpn, found->second, latest->second);
            return;
        }
    }
}

// ---- after the recovery -------------------------------------------------------------------------

VersionOracle::Found VersionOracle::find(Lpn lpn, const Page& page, Ppn place,
                                         const NandArray& array) const {
    if (place == kNoPpn) {
        Tick newest = 0;
        for (const PageChange& event : page.events) {
            newest = event.trim ? event.tick : newest;
        }
        return newest == 0 && held_[raw(lpn)] ? Found{Fate::kLost, 0} : judge(page, newest);
    }
    if (!array.is_programmed(place) || array.is_torn(place) || array.stored_lpn(place) != lpn) {
        return {Fate::kCorrupt, 0};
    }
    const PageVersion version = array.stored_version(place);
    for (const auto& [programmed, tick] : page.programs) {
        if (programmed == version) {
            return judge(page, tick);
        }
    }
    return held_[raw(lpn)] && version == versions_[raw(lpn)] ? judge(page, 0)
                                                             : Found{Fate::kLost, 0};
}

void VersionOracle::verify(DriveCore& core, const NandArray& array, RecoveryCounters& counters) {
    const Page untouched;
    for (std::uint64_t number = 0; number < held_.size(); ++number) {
        const Lpn lpn{number};
        const auto found = pages_.find(number);
        const Page& page = found != pages_.end() ? found->second : untouched;
        counters.acknowledged += page.acknowledged != 0 ? 1 : 0;
        counters.flushed += page.acknowledged != 0 && page.durable != 0 ? 1 : 0;
        const Ppn place = core.ftl().location(lpn);
        const Found shown = find(lpn, page, place, array);
        switch (shown.fate) {
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
        if (sectors_) {
            compare_data(lpn, page, place, shown.tick, counters);
        }
    }
    in_parts_ = false;
    core.watch(this);
    remember(core, array);
}

/// What the page holds is judged for itself, whatever its spare area says.
void VersionOracle::compare_data(Lpn lpn, const Page& page, Ppn place, Tick tick,
                                 RecoveryCounters& counters) {
    const PageContent content =
        place != kNoPpn ? sectors_->data().flash().read(place) : PageContent();
    counters.sectors_compared += sectors_->sectors();
    if (!sectors_->may_hold(lpn, page.events,
                            in_parts_ ? page.durable : std::max(tick, page.durable), content)) {
        ++counters.wrong_data;
        blame(lpn, "holds data of another page or version");
    }
    sectors_->recovered(lpn, content);
}

void VersionOracle::blame(Lpn lpn, const char* what) {
    if (first_fault_.empty()) {
        first_fault_ = "logical page " + std::to_string(raw(lpn)) + " " + what;
    }
}

} // namespace cavern
