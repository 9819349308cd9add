#pragma once

#include <cstdint>

#include "core/base/units.h"

namespace cavern {

/// The use that a die wants to make of the channel bus; the smaller value is the more urgent class
/// under the policy priority-age.
enum class BusClass : std::uint8_t { kReadOut = 0, kCommand = 1, kProgramData = 2 };

inline constexpr std::uint32_t kMaxRequesters = 16;

/// Told when the bus is granted; the channel implements it.
class GrantListenerIf {
  public:
    virtual ~GrantListenerIf() = default;
    virtual void granted(std::uint32_t slot) = 0;
};

class EventQueue;

/// Grants one channel's bus to one of its dies at a time. Called by the channel from SystemC
/// processes. Protocol: a slot requests, is granted once (through the listener, never from inside
/// request or release), holds the bus until it releases, and only then may request again. Several
/// slots may request at the same time; the order of such calls within one instant does not matter.
class ChannelArbiterIf {
  public:
    virtual ~ChannelArbiterIf() = default;
    virtual void request(std::uint32_t slot, BusClass bus_class) = 0;
    /// The holder `slot` is done with the bus.
    virtual void release(std::uint32_t slot) = 0;
    /// The holder knows already that it will be done at `when` (not in the past): the same as
    /// release() at that time, but an arbiter without a clock needs no event for it while nobody
    /// waits.
    virtual void release_at(std::uint32_t slot, TimePs when) = 0;
    /// The queue that holds the decisions to be made, which must outlive the arbiter. Without one
    /// the arbiter has events of its own, which cost more and decide the same.
    virtual void use(EventQueue& /*events*/) {}
};

} // namespace cavern
