#include "core/drive/checkpoint_store.h"

#include <iterator>
#include <string>
#include <utility>

#include "core/base/check.h"

namespace cavern {

void CheckpointStore::add(PageVersion generation, MapSnapshot whole) {
    CAVERN_CHECK(empty() || generation > newest(), "a checkpoint has a new number");
    entries_[generation].whole = std::move(whole);
}

void CheckpointStore::add(PageVersion generation, Difference difference) {
    CAVERN_CHECK(!empty() && generation > newest(), "a checkpoint follows another");
    entries_[generation].difference = std::move(difference);
}

PageVersion CheckpointStore::before(PageVersion generation) const {
    const auto found = entries_.find(generation);
    return found == entries_.begin() ? generation : std::prev(found)->first;
}

std::vector<PageVersion> CheckpointStore::generations() const {
    std::vector<PageVersion> all;
    for (const auto& each : entries_) {
        all.push_back(each.first);
    }
    return all;
}

const CheckpointStore::Entry& CheckpointStore::entry(PageVersion generation) const {
    const auto found = entries_.find(generation);
    CAVERN_CHECK(found != entries_.end(),
                 "checkpoint " + std::to_string(generation) + " was written");
    return found->second;
}

void CheckpointStore::apply(const Difference& difference, MapSnapshot& map) {
    for (const Difference::Page& page : difference.pages) {
        map.places[raw(page.lpn)] = page.place;
        map.versions[raw(page.lpn)] = page.version;
    }
    for (const auto& [block, state] : difference.blocks) {
        map.blocks[raw(block)] = state;
    }
    map.latest = difference.latest;
}

MapSnapshot CheckpointStore::at(PageVersion generation) const {
    const Entry& asked = entry(generation);
    auto from = entries_.find(generation);
    while (!from->second.whole) {
        --from;
    }
    MapSnapshot map = *from->second.whole;
    while (from->first != generation) {
        ++from;
        apply(from->second.difference, map);
    }
    map.journal = asked.journal;
    return map;
}

CheckpointStore::Journal& CheckpointStore::journal(PageVersion generation) {
    (void)entry(generation);
    return entries_.at(generation).journal;
}

void CheckpointStore::forget(PageVersion generation) {
    const auto gone = entries_.find(generation);
    const auto next = std::next(gone);
    if (next != entries_.end() && !next->second.whole) {
        Entry& heir = next->second;
        if (gone->second.whole) {
            apply(heir.difference, *gone->second.whole);
            heir.whole = std::move(gone->second.whole);
            heir.difference = {};
        } else {
            Difference both = std::move(gone->second.difference);
            both.pages.insert(both.pages.end(), heir.difference.pages.begin(),
                              heir.difference.pages.end());
            both.blocks.insert(both.blocks.end(), heir.difference.blocks.begin(),
                               heir.difference.blocks.end());
            both.latest = heir.difference.latest;
            heir.difference = std::move(both);
        }
    }
    entries_.erase(gone);
}

} // namespace cavern
