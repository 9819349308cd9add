#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/counter.h"
#include "core/base/die_load.h"
#include "core/base/geometry.h"
#include "core/base/serialize.h"
#include "core/base/strong_id.h"
#include "core/buffer/pins.h"

namespace cavern {

/// Index of a page frame of the write buffer, 0 .. capacity - 1.
enum class FrameId : std::uint32_t {};

inline constexpr FrameId kNoFrame{0xFFFF'FFFFu};

/// The buffer that a policy is built for.
struct EvictionPolicyContext {
    std::uint32_t capacity = 0; ///< frames
    Geometry geometry;
    const DieLoad* load = nullptr;              ///< may be null: every die idle
    const DestinationIf* destination = nullptr; ///< may be null: any die

    /// `pages`, or with 0 that share of the buffer; within it, at least one.
    [[nodiscard]] std::uint32_t window(std::uint32_t pages, std::uint64_t numerator,
                                       std::uint64_t denominator) const {
        const auto share = static_cast<std::uint32_t>(capacity * numerator / denominator);
        return std::clamp(pages != 0 ? pages : share, 1u, capacity);
    }
};

enum class Access : std::uint8_t { kRead, kWrite };

/// Which page or logical block leaves the buffer next. The policy keeps only order; residency,
/// dirty flags and capacity are WriteBuffer's. Every frame handed to on_insert is on the policy's
/// lists until it comes back from pop_victim or is taken out by remove. No call allocates after
/// construction. A policy is made from an EvictionPolicyContext, and from its Params (a struct with
/// knobs) if it has such a type.
class EvictionPolicyIf {
  public:
    virtual ~EvictionPolicyIf() = default;

    /// True when a unit is a logical block (all its resident pages leave together), false for a
    /// page.
    [[nodiscard]] virtual bool evicts_blocks() const = 0;
    /// True when a block that leaves is written whole, its missing pages filled up (BPLRU).
    [[nodiscard]] virtual bool pads_blocks() const { return false; }

    /// `lpn`, which is not resident, is about to be inserted. Called before room is made for it.
    virtual void on_miss(Lpn) {}
    /// A page became resident in `frame`: dirty for a write, clean for a read (buffer.cache_reads).
    virtual void on_insert(FrameId frame, Lpn lpn, Access access) = 0;
    /// A resident page was accessed; a write makes it dirty. Reads reach the policy only with
    /// buffer.read_touch or buffer.cache_reads.
    virtual void on_hit(FrameId frame, Lpn lpn, Access access) = 0;
    /// A resident page left without eviction (TRIM, FLUSH).
    virtual void remove(FrameId frame, Lpn lpn) = 0;

    /// The order in which a FLUSH writes what is dirty: appends the frame of every dirty page,
    /// those first that would leave first; the pages of a block ascending and together where units
    /// are blocks. Frames of clean pages among them are passed over.
    virtual void drain_order(std::vector<FrameId>& frames) const = 0;
    /// A dirty page was written and stays, clean (buffer.flush_keep). Its place stays the same.
    virtual void on_clean(FrameId /*frame*/) {}

    /// Victims are about to be chosen by pop_victim, one after the other: up to `units`.
    virtual void on_batch(std::uint32_t /*units*/) {}
    /// Takes the next victim unit that `pins` does not hold (by logical page, or logical block
    /// where units are blocks) off the lists and appends its frames, ascending by logical page.
    /// Returns false when there is none, or none more that should leave in this batch.
    virtual bool pop_victim(std::vector<FrameId>& frames, const Pins& pins) = 0;

    /// Counters of this policy alone: a `struct Counters` with its declarations. They become
    /// buffer.<policy>.<counter> of the summary.
    [[nodiscard]] virtual CounterView own_counters() const { return {}; }
    virtual void reset_own_counters() {}
    /// Saves or loads all that changes once it is built (StateArchive).
    virtual void serialize(StateArchive&) { refuse_to_serialize("an eviction policy"); }
};

} // namespace cavern
