#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/counter.h"
#include "core/base/geometry.h"
#include "core/base/serialize.h"
#include "core/base/units.h"

namespace cavern {

/// How full the buffer is and what is under way, when a rate is asked.
struct BufferLoad {
    std::uint32_t capacity = 0;        ///< frames
    std::uint32_t resident = 0;        ///< pages in the buffer, without those that are leaving
    std::uint32_t in_flight = 0;       ///< pages that left and are not programmed yet
    std::uint32_t in_flight_units = 0; ///< victims with such pages
    std::uint32_t idle_dies = 0;
    TimePs idle_for = 0; ///< since when no host command is queued or active; 0: one is
};

/// The drive that a trigger is built for.
struct EvictionTriggerContext {
    Geometry geometry;
};

/// When and how many victims: orthogonal to the order. Asked when an insert finds no free frame,
/// and, for rates that work ahead of that, after each insert, each completed program and in idle
/// time.
class EvictionTriggerIf {
  public:
    virtual ~EvictionTriggerIf() = default;
    /// Units to evict together when the buffer is full; at least 1 (fewer leave if fewer exist).
    [[nodiscard]] virtual std::uint32_t units_on_full() const = 0;
    /// Whether another unit should leave now although there is room.
    [[nodiscard]] virtual bool wants_more(const BufferLoad& load) = 0;
    /// Whether wants_more() can ever say yes.
    [[nodiscard]] virtual bool works_ahead() const { return false; }
    /// Whether an insert that evicted a batch waits until all of it is programmed, not one frame.
    [[nodiscard]] virtual bool insert_waits_for_batch() const { return false; }
    /// How long the host must be silent before idle_for is worth asking about; kNever: it is not.
    [[nodiscard]] virtual TimePs idle_after() const { return kNever; }

    /// Where a setting of it lets too few pages leave for the dies to be at work, that, as the
    /// beginning of a sentence; else empty.
    [[nodiscard]] virtual std::string throttle() const { return {}; }

    /// Counters of the trigger `index` of a list (0 where it is alone): a `struct Counters` with
    /// its declarations. They become buffer.<trigger>.<counter> of the summary.
    [[nodiscard]] virtual CounterView own_counters(std::size_t /*index*/) const { return {}; }
    virtual void reset_own_counters() {}
    /// Saves or loads all that changes once it is built (StateArchive).
    virtual void serialize(StateArchive&) { refuse_to_serialize("an eviction trigger"); }
};

} // namespace cavern
