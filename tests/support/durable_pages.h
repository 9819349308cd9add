#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "core/base/strong_id.h"
#include "core/base/units.h"

namespace cavern::testing {

/// Which page of flash has the newest version of each logical page that is programmed to the end:
/// what a drive would find after its power has gone. Hears the programs that are decided, in order,
/// and what dies do, and says which erases take such a page.
class DurablePages {
  public:
    /// A program is decided; by an order of its own, later ones of a logical page are newer.
    void decided(Lpn lpn, Ppn page) { planned_[raw(page)].push_back({raw(lpn), ++decisions_}); }
    /// What was decided before need not survive.
    void trimmed(Lpn lpn) { pages_[raw(lpn)].trimmed = ++decisions_; }

    /// A die programs the page, until time `at`.
    void programs(Ppn page, TimePs at) {
        std::deque<Version>& planned = planned_[raw(page)];
        if (!planned.empty()) {
            ends_.push_back({at, raw(page), planned.front()});
            planned.pop_front();
        }
    }
    /// A die begins to erase a block at time `at`. Returns logical pages that this loses.
    [[nodiscard]] std::vector<Lpn> erases(Ppn first, std::uint32_t pages, TimePs at) {
        complete(at);
        std::vector<Lpn> lost;
        for (std::uint64_t page = raw(first); page < raw(first) + pages; ++page) {
            const auto content = content_.find(page);
            if (content == content_.end()) {
                continue;
            }
            const Logical& logical = pages_[content->second.lpn];
            if (logical.page == page && logical.newest == content->second.decision &&
                logical.newest > logical.trimmed) {
                lost.push_back(Lpn{content->second.lpn});
            }
            content_.erase(content);
        }
        return lost;
    }

  private:
    struct Version {
        std::uint64_t lpn;
        std::uint64_t decision;
    };
    struct End {
        TimePs at;
        std::uint64_t page;
        Version version;
    };
    struct Logical {
        std::uint64_t page = 0;
        std::uint64_t newest = 0; ///< decision; 0: nothing programmed
        std::uint64_t trimmed = 0;
    };

    void complete(TimePs now) {
        const auto open = std::partition(ends_.begin(), ends_.end(),
                                         [now](const End& end) { return end.at > now; });
        std::for_each(open, ends_.end(), [this](const End& end) {
            content_[end.page] = end.version;
            Logical& logical = pages_[end.version.lpn];
            if (end.version.decision > logical.newest) {
                logical.newest = end.version.decision;
                logical.page = end.page;
            }
        });
        ends_.erase(open, ends_.end());
    }

    std::map<std::uint64_t, std::deque<Version>> planned_; ///< by physical page, oldest first
    std::map<std::uint64_t, Version> content_;
    std::map<std::uint64_t, Logical> pages_;
    std::vector<End> ends_; ///< programs that are running
    std::uint64_t decisions_ = 0;
};

} // namespace cavern::testing
