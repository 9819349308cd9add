#include "drive/flash_periods.h"

namespace cavern {
void FlashPeriods::Period::append(const Period& next) {
    host_bytes += next.host_bytes;
    reads += next.reads;
    programs += next.programs;
    erases += next.erases;
    map_bytes = next.map_bytes;
}

void FlashPeriods::end_request(std::uint64_t bytes, std::uint64_t map_bytes) {
    now_.host_bytes += bytes;
    now_.map_bytes = map_bytes;
    if (++done_ < requests_) {
        return;
    }
    if (!periods_.take(now_)) {
        requests_ *= 2;
        return;
    }
    done_ = 0;
}

FlashPeriods::Period FlashPeriods::total() const {
    Period all;
    for (const Period& period : periods()) {
        all.append(period);
    }
    all.append(now_);
    return all;
}

} // namespace cavern
