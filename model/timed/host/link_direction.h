#pragma once

#include "core/base/units.h"
#include "timed/host/link_timeline.h"

namespace cavern {

/// One direction of a packet link (or both, where they share it) that carries data and, between
/// their packets, small control packets (commands, completions, doorbells, lists). Data go first
/// come first served. A control packet waits for the packet of data under way, not for all data
/// asked for; the time it takes is made up for by the data asked for next, so that the link carries
/// no more than it can.
class LinkDirection {
  public:
    /// `packet` is how long the longest packet of data takes.
    explicit LinkDirection(TimePs packet) : packet_(packet) {}

    /// Data that take `duration` by themselves and cannot begin before `from`, which is not before
    /// `now`; returns their end. `now` never decreases.
    TimePs data(TimePs now, TimePs from, TimePs duration);
    /// Likewise a control packet; it is `now`.
    TimePs control(TimePs now, TimePs from, TimePs duration);
    /// Up to `now`.
    [[nodiscard]] TimePs busy(TimePs now) const;

  private:
    /// A pause of the data begins.
    void end_stretch(TimePs now);

    TimePs packet_;
    LinkTimeline control_;
    TimePs data_from_ = 0; ///< since the last pause of the data, which is ahead or has been
    TimePs data_until_ = 0;
    TimePs data_past_ = 0; ///< how long they took before that pause
    LinkTimeline ahead_;   ///< but what was still to come when the pause was asked for
    TimePs owed_ = 0; ///< time of control packets that no pause of the data has made up for yet
};

} // namespace cavern
