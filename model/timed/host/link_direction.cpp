#include "timed/host/link_direction.h"

#include <algorithm>

namespace cavern {

TimePs LinkDirection::data(TimePs now, TimePs from, TimePs duration) {
    const TimePs pause = from > data_until_ ? from - data_until_ : 0;
    owed_ -= std::min(owed_, pause);
    const TimePs begin = std::max(data_until_, from) + owed_;
    if (begin != data_until_) {
        end_stretch(now);
        data_from_ = begin;
    }
    data_until_ = begin + duration;
    owed_ = 0;
    return data_until_;
}

void LinkDirection::end_stretch(TimePs now) {
    const TimePs ahead = std::clamp(now, data_from_, data_until_);
    data_past_ += ahead - data_from_;
    if (ahead != data_until_) {
        ahead_.take(now, ahead, data_until_ - ahead);
    }
}

TimePs LinkDirection::busy(TimePs now) const {
    return data_past_ + ahead_.busy(now) + std::clamp(now, data_from_, data_until_) - data_from_ +
           control_.busy(now);
}

TimePs LinkDirection::control(TimePs now, TimePs from, TimePs duration) {
    const TimePs waits = data_until_ > from ? std::min(packet_, data_until_ - from) : 0;
    owed_ += duration;
    return control_.take(now, from + waits, duration);
}

} // namespace cavern
