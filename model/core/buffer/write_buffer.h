#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/decision_log.h"
#include "core/base/flat_map.h"
#include "core/base/geometry.h"
#include "core/buffer/eviction_rate.h"
#include "core/buffer/order_policy.h"

namespace cavern {

/// Totals since construction (or the last reset_counters), in pages unless named otherwise.
struct BufferCounters {
    std::uint64_t read_hits = 0;
    std::uint64_t read_misses = 0;
    std::uint64_t write_hits = 0;
    std::uint64_t write_misses = 0;
    std::uint64_t eviction_events = 0; ///< times victims were chosen
    std::uint64_t victims = 0;         ///< units chosen
    std::uint64_t evicted_pages = 0;   ///< dirty pages sent to flash
    std::uint64_t padding_pages = 0;
};

/// One dirty page leaving the buffer.
struct Victim {
    Lpn lpn;
    FrameId frame; ///< frame it occupied; free for reuse by the core as soon as the call returns
};

/// Outcome of a page access.
struct BufferAccess {
    bool hit = false;
    FrameId frame = kNoFrame; ///< frame that holds the page now; kNoFrame for a read miss
    bool evicted = false;     ///< victims() holds a fresh batch
};

/// The write buffer's decisions: residency, dirtiness, and, through an order policy and a rate, who
/// leaves. Page granular. A frame is free for the next insert the moment its victim is chosen: the
/// timed shell keeps the physical frame until the program completed and makes the
/// new page wait for it, so these decisions do not depend on time.
class WriteBuffer {
  public:
    /// `capacity` frames >= 1. `read_touch`: read hits refresh recency. `log` may be null.
    WriteBuffer(std::uint32_t capacity, const Geometry& geometry,
                std::unique_ptr<OrderPolicyIf> policy, std::unique_ptr<EvictionRateIf> rate,
                bool read_touch, DecisionLogIf* log);

    /// Hit: the page becomes dirty. Miss: evicts if no frame is free, then inserts dirty.
    BufferAccess write(Lpn lpn);
    /// Hit: the frame. Miss: nothing is allocated.
    BufferAccess read(Lpn lpn);
    /// Drops the page unwritten; returns its former frame or kNoFrame. The caller logs it, as TRIM
    /// reaches the FTL as well.
    FrameId trim(Lpn lpn);
    /// Evicts the next batch of `units_on_full` units; returns false (and an empty batch) when
    /// nothing is resident. Called repeatedly by FLUSH.
    bool evict_batch();

    /// Dirty pages of the latest batch, in eviction order. Valid until the next call that evicts.
    [[nodiscard]] const std::vector<Victim>& victims() const { return victims_; }

    [[nodiscard]] std::uint32_t capacity() const { return capacity_; }
    [[nodiscard]] std::uint32_t used() const { return used_; }
    [[nodiscard]] bool is_resident(Lpn lpn) const;
    [[nodiscard]] const BufferCounters& counters() const { return counters_; }
    void reset_counters() { counters_ = {}; }
    /// Compares residency map, frame table and counts; throws ModelError. Returns facts compared.
    [[nodiscard]] std::uint64_t check_invariants() const;

  private:
    friend struct WriteBufferProbe; // tests corrupt the state to see check_invariants notice

    /// Takes up to units_on_full units out of the buffer into victims_.
    void choose_victims();
    /// The pages of unit_frames_ leave the buffer.
    void release_unit();
    FrameId take_free_frame();
    void give_back(FrameId frame);

    std::uint32_t capacity_;
    Geometry geometry_;
    std::unique_ptr<OrderPolicyIf> policy_;
    std::unique_ptr<EvictionRateIf> rate_;
    bool read_touch_;
    DecisionLogIf* log_;
    std::uint32_t used_ = 0;
    FlatMap resident_;
    std::vector<Lpn> lpn_of_;          ///< per frame; kNoLpn when free
    std::vector<FrameId> free_;        ///< ring of free frames, longest free first
    std::uint32_t next_free_ = 0;      ///< where in the ring the next free frame is taken
    std::vector<Victim> victims_;      ///< latest batch
    std::vector<FrameId> unit_frames_; ///< scratch: frames of one unit
    std::vector<Lpn> unit_pages_;      ///< scratch: for the log
    BufferCounters counters_;
};

} // namespace cavern
