#include "timed/host/link_direction.h"

#include <algorithm>

namespace cavern {

TimePs LinkDirection::data(TimePs now, TimePs from, TimePs duration) {
    const TimePs pause = from > data_until_ ? from - data_until_ : 0;
    owed_ -= std::min(owed_, pause);
    data_until_ = data_.take(now, std::max(data_until_, from) + owed_, duration);
    owed_ = 0;
    return data_until_;
}

TimePs LinkDirection::control(TimePs now, TimePs from, TimePs duration) {
    const TimePs waits = data_until_ > from ? std::min(packet_, data_until_ - from) : 0;
    owed_ += duration;
    return control_.take(now, from + waits, duration);
}

} // namespace cavern
