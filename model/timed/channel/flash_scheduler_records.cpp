// Programs that record what was decided before them, and what a loss of power finds under way.

#include <algorithm>

#include "core/base/check.h"
#include "timed/channel/flash_scheduler.h"

namespace cavern {

bool FlashScheduler::awaits_programs(const Op& record) const {
    const auto found = std::find_if(records_.begin(), records_.end(), [&](const Record& each) {
        return each.sequence == record.sequence;
    });
    return found != records_.end() && found->before != 0;
}

/// Looks at every operation: records are few.
void FlashScheduler::add_record(std::uint32_t index) {
    const std::uint64_t sequence = ops_[index].sequence;
    const auto before = std::count_if(ops_.begin(), ops_.end(), [&](const Op& op) {
        return op.flash.kind == FlashOpKind::kProgram && op.sequence < sequence;
    });
    records_.push_back({sequence, static_cast<std::uint32_t>(before)});
}

/// A program is about to be done.
void FlashScheduler::programmed_beside_records(std::uint32_t index) {
    const std::uint64_t sequence = ops_[index].sequence;
    const DieId die = ops_[index].die;
    bool goes_on = false;
    for (Record& record : records_) {
        if (sequence < record.sequence) {
            CAVERN_CHECK(record.before != 0, "a record has counted the programs before it");
            goes_on = --record.before == 0 || goes_on;
        }
    }
    const auto own = std::find_if(records_.begin(), records_.end(),
                                  [&](const Record& each) { return each.sequence == sequence; });
    if (own != records_.end()) {
        records_.erase(own);
        goes_on = true;
    }
    for (std::uint32_t each = 0; goes_on && each < dies_.size(); ++each) {
        if (DieId{each} != die) { // that one is looked at when it is ready
            try_start(DieId{each});
        }
    }
}

std::vector<FlashScheduler::Write> FlashScheduler::writes_under_way() const {
    std::vector<bool> is_free(ops_.size());
    for (std::uint32_t index = free_ops_; index != kNil; index = ops_[index].next) {
        is_free[index] = true;
    }
    std::vector<const Op*> writes;
    for (std::uint32_t index = 0; index < ops_.size(); ++index) {
        const Op& op = ops_[index];
        if (!is_free[index] && op.flash.kind != FlashOpKind::kRead && op.sequence != kProgrammed) {
            writes.push_back(&op);
        }
    }
    std::sort(writes.begin(), writes.end(),
              [](const Op* a, const Op* b) { return a->sequence < b->sequence; });
    std::vector<Write> result;
    for (const Op* op : writes) {
        result.push_back({op->flash, op->context});
    }
    return result;
}

} // namespace cavern
