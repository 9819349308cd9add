// Mapping units that are programmed as one: those of a NAND page, or of a word line.

#include <algorithm>

#include "core/base/check.h"
#include "timed/channel/flash_scheduler.h"

namespace cavern {

bool FlashScheduler::joins_program(std::uint32_t index) {
    const Ppn page = ops_[index].flash.page;
    const std::uint32_t together = geometry_.units_per_program(page);
    const auto first_of = [together](Ppn unit) { return raw(unit) - raw(unit) % together; };
    const auto first =
        std::find_if(open_pages_.begin(), open_pages_.end(), [&](std::uint32_t open) {
            return first_of(ops_[open].flash.page) == first_of(page);
        });
    if (first == open_pages_.end()) {
        ops_[index].last_unit = index;
        if (together != 1) {
            open_pages_.push_back(index);
        }
        return false;
    }
    Op& open = ops_[*first];
    // Or it would have no page of the SDRAM: these are asked for by list.
    CAVERN_CHECK(!ops_[index].flash.copies || open.sequence >= ops_[batch_.front()].sequence,
                 "a copy does not join a NAND page that was begun before");
    ops_[open.last_unit].next_unit = index;
    open.last_unit = index;
    if (++open.units == together) {
        *first = open_pages_.back();
        open_pages_.pop_back();
    }
    return true;
}

bool FlashScheduler::all_is_ready(const Op& first) const {
    if (first.units != geometry_.units_per_program(first.flash.page)) {
        return false;
    }
    for (std::uint32_t unit = first.next_unit; unit != kNil; unit = ops_[unit].next_unit) {
        if (ops_[unit].waits || ops_[unit].data != DataState::kReady) {
            return false;
        }
    }
    return true;
}

} // namespace cavern
