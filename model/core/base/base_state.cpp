#include "core/base/die_load.h"
#include "core/base/flat_map.h"
#include "core/base/page_numbers.h"
#include "core/base/state_archive.h"

namespace cavern {

/// Slots that are in use, with their places: an empty one has a key left over.
void FlatMap::serialize(StateArchive& archive) {
    std::uint64_t slots = slots_.size();
    std::uint64_t used = size_;
    archive(slots, used);
    if (archive.loads()) {
        rebuild(slots);
    }
    std::uint64_t next = 0;
    for (std::uint64_t i = 0; i < used; ++i) {
        while (!archive.loads() && slots_[next].value == kNone) {
            ++next;
        }
        std::uint64_t place = next++;
        archive(place);
        Slot& slot = slots_.at(place);
        archive(slot.key, slot.value);
    }
    size_ = used;
}

void PageNumbers::serialize(StateArchive& archive) {
    archive(low_, high_);
}

void CountedPageNumbers::serialize(StateArchive& archive) {
    PageNumbers::serialize(archive);
    archive(set_);
}

void DieLoad::serialize(StateArchive& archive) {
    archive(costs_);
}

} // namespace cavern
