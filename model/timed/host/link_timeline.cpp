#include "timed/host/link_timeline.h"

namespace cavern {

TimePs LinkTimeline::take(TimePs now, TimePs from, TimePs duration) {
    const auto past = std::find_if(taken_.begin(), taken_.end(),
                                   [now](const Stretch& stretch) { return stretch.end > now; });
    taken_.erase(taken_.begin(), past);
    TimePs begin = from;
    auto after = taken_.begin(); // the first stretch that lies behind
    while (after != taken_.end() && after->begin < begin + duration) {
        begin = std::max(begin, after->end);
        ++after;
    }
    const TimePs end = begin + duration;
    busy_ += duration;
    const bool joins_before = after != taken_.begin() && (after - 1)->end == begin;
    const bool joins_after = after != taken_.end() && after->begin == end;
    if (joins_before && joins_after) {
        (after - 1)->end = after->end;
        taken_.erase(after);
    } else if (joins_before) {
        (after - 1)->end = end;
    } else if (joins_after) {
        after->begin = begin;
    } else {
        taken_.insert(after, {begin, end});
    }
    return end;
}

} // namespace cavern
