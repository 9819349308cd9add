#include "timed/host/link_direction.h"

#include <algorithm>

namespace cavern {

TimePs LinkDirection::data(TimePs from, TimePs duration) {
    const TimePs pause = from > data_until_ ? from - data_until_ : 0;
    owed_ -= std::min(owed_, pause);
    data_until_ = std::max(data_until_, from) + owed_ + duration;
    owed_ = 0;
    data_busy_ += duration;
    return data_until_;
}

TimePs LinkDirection::control(TimePs now, TimePs from, TimePs duration) {
    const TimePs begin = data_until_ > from ? from + packet_ : from;
    owed_ += duration;
    return control_.take(now, begin, duration);
}

} // namespace cavern
