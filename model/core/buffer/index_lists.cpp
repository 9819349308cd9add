#include "core/buffer/index_lists.h"

#include "core/base/check.h"

namespace cavern {

void IndexLists::push_newest(std::uint32_t list, std::uint32_t index) {
    Link& link = links_[index];
    CAVERN_CHECK(link.list == kNone, "a unit is put on a list of the buffer twice");
    Ends& ends = ends_[list];
    link = {ends.newest, kNone, list};
    (ends.newest == kNone ? ends.oldest : links_[ends.newest].newer) = index;
    ends.newest = index;
    ++ends.size;
}

void IndexLists::push_oldest(std::uint32_t list, std::uint32_t index) {
    Link& link = links_[index];
    CAVERN_CHECK(link.list == kNone, "a unit is put on a list of the buffer twice");
    Ends& ends = ends_[list];
    link = {kNone, ends.oldest, list};
    (ends.oldest == kNone ? ends.newest : links_[ends.oldest].older) = index;
    ends.oldest = index;
    ++ends.size;
}

void IndexLists::push_newer_than(std::uint32_t list, std::uint32_t older, std::uint32_t index) {
    if (older == kNone) {
        push_oldest(list, index);
        return;
    }
    const std::uint32_t newer = links_[older].newer;
    if (newer == kNone) {
        push_newest(list, index);
        return;
    }
    Link& link = links_[index];
    CAVERN_CHECK(link.list == kNone, "a unit is put on a list of the buffer twice");
    link = {older, newer, list};
    links_[older].newer = index;
    links_[newer].older = index;
    ++ends_[list].size;
}

void IndexLists::remove(std::uint32_t index) {
    Link& link = links_[index];
    CAVERN_CHECK(link.list != kNone, "a unit that is on no list of the buffer is removed");
    Ends& ends = ends_[link.list];
    (link.older == kNone ? ends.oldest : links_[link.older].newer) = link.newer;
    (link.newer == kNone ? ends.newest : links_[link.newer].older) = link.older;
    --ends.size;
    link = {};
}

} // namespace cavern
