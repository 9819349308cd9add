#include "timed/host/link_direction.h"

#include <algorithm>

namespace cavern {

TimePs LinkDirection::data(TimePs now, TimePs from, TimePs duration) {
    const TimePs pause = from > data_until_ ? from - data_until_ : 0;
    owed_ -= std::min(owed_, pause);
    const TimePs begin = std::max(data_until_, from) + owed_;
    if (begin != data_until_) {
        if (data_until_ > now) {
            keep_ahead(now);
        }
        data_from_ = begin;
    }
    data_until_ = begin + duration;
    data_busy_ += duration;
    owed_ = 0;
    return data_until_;
}

void LinkDirection::keep_ahead(TimePs now) {
    const auto is_past = [now](const Stretch& stretch) { return stretch.end <= now; };
    ahead_.erase(ahead_.begin(), std::find_if_not(ahead_.begin(), ahead_.end(), is_past));
    ahead_.push_back({data_from_, data_until_});
}

TimePs LinkDirection::busy(TimePs now) const {
    const auto after_now = [now](TimePs begin, TimePs end) {
        return end > now ? end - std::max(begin, now) : 0;
    };
    TimePs to_come = after_now(data_from_, data_until_);
    for (const Stretch& stretch : ahead_) {
        to_come += after_now(stretch.begin, stretch.end);
    }
    return data_busy_ - to_come + control_.busy(now);
}

TimePs LinkDirection::control(TimePs now, TimePs from, TimePs duration) {
    const TimePs waits = data_until_ > from ? std::min(packet_, data_until_ - from) : 0;
    owed_ += duration;
    return control_.take(now, from + waits, duration);
}

} // namespace cavern
