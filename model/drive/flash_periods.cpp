#include "drive/flash_periods.h"

namespace cavern {
namespace {

void append(FlashPeriods::Period& to, const FlashPeriods::Period& next) {
    to.host_bytes += next.host_bytes;
    to.reads += next.reads;
    to.programs += next.programs;
    to.erases += next.erases;
    to.map_bytes = next.map_bytes;
}

} // namespace

void FlashPeriods::add(const FlashOpList& ops) {
    for (const FlashOp& op : ops) {
        switch (op.kind) {
        case FlashOpKind::kRead:
            ++now_.reads;
            break;
        case FlashOpKind::kProgram:
            // By its last mapping unit.
            now_.programs += (raw(op.page) + 1) % units_per_page_ == 0 ? 1 : 0;
            break;
        case FlashOpKind::kErase:
            ++now_.erases;
            break;
        }
    }
}

void FlashPeriods::end_request(std::uint64_t bytes, std::uint64_t map_bytes) {
    now_.host_bytes += bytes;
    now_.map_bytes = map_bytes;
    if (++done_ < requests_) {
        return;
    }
    if (periods_.size() == kMost) {
        for (std::size_t i = 0; i < kMost / 2; ++i) {
            periods_[i] = periods_[2 * i];
            append(periods_[i], periods_[2 * i + 1]);
        }
        periods_.resize(kMost / 2);
        requests_ *= 2;
        return; // this one is half of the next
    }
    periods_.push_back(now_);
    now_ = {};
    done_ = 0;
}

FlashPeriods::Period FlashPeriods::total() const {
    Period all;
    for (const Period& period : periods_) {
        append(all, period);
    }
    append(all, now_);
    return all;
}

} // namespace cavern
