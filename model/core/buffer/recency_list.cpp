#include "core/buffer/recency_list.h"

#include "core/base/check.h"

namespace cavern {

void RecencyList::push_mru(std::uint32_t index) {
    Link& link = links_[index];
    CAVERN_CHECK(!link.on_list, "a unit is put on the recency list twice");
    link = {mru_, kNone, true};
    (mru_ == kNone ? lru_ : links_[mru_].newer) = index;
    mru_ = index;
}

void RecencyList::remove(std::uint32_t index) {
    Link& link = links_[index];
    CAVERN_CHECK(link.on_list, "a unit that is not on the recency list is removed");
    (link.older == kNone ? lru_ : links_[link.older].newer) = link.newer;
    (link.newer == kNone ? mru_ : links_[link.newer].older) = link.older;
    link = {};
}

void RecencyList::move_to_mru(std::uint32_t index) {
    if (index != mru_) {
        remove(index);
        push_mru(index);
    }
}

} // namespace cavern
