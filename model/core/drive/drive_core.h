#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/alloc/allocator.h"
#include "core/base/decision_log.h"
#include "core/buffer/write_buffer.h"
#include "core/drive/execution_time.h"
#include "core/ftl/ftl.h"

namespace cavern {

/// What the core decided about one host page.
struct WriteDecision {
    bool hit = false;
    FrameId frame = kNoFrame; ///< frame the page is in; kNoFrame with write-through
    bool evicted = false;     ///< ops() and victims() hold a batch
};

struct ReadDecision {
    FrameId frame = kNoFrame; ///< where a hit is served from
    Ppn page = kNoPpn;        ///< where a miss is read from; kNoPpn: never written, reads as zeros
};

/// The decision core put together: write buffer, allocator, FTL. Every host page passes through here in
/// the order the device takes commands, and is decided at once; nothing here knows time. Programs in
/// ops() carry in `frame` the frame of the victim whose data they write.
/// Without a write buffer (policy `none`) each write is a batch of one page.
class DriveCore {
  public:
    /// `buffer` may be null (write-through). `log` may be null.
    DriveCore(const Geometry& geometry, std::unique_ptr<WriteBuffer> buffer,
              std::unique_ptr<AllocatorIf> allocator, std::unique_ptr<FtlIf> ftl,
              ArrayTimes times, DecisionLogIf* log);

    WriteDecision write(Lpn lpn);
    ReadDecision read(Lpn lpn);
    /// Discards the page everywhere; returns the frame it occupied or kNoFrame.
    FrameId trim(Lpn lpn);
    /// Evicts the next batch of a FLUSH into ops(); false when nothing is dirty any more.
    bool flush_step();

    /// Operations of the latest decision, in order. Valid until the next call.
    [[nodiscard]] const FlashOpList& ops() const { return ops_; }
    /// Pages that left the buffer by the latest decision.
    [[nodiscard]] const std::vector<Victim>& victims() const;

    [[nodiscard]] const WriteBuffer* buffer() const { return buffer_.get(); }
    [[nodiscard]] FtlIf& ftl() { return *ftl_; }
    [[nodiscard]] const FtlIf& ftl() const { return *ftl_; }
    [[nodiscard]] AllocatorIf& allocator() { return *allocator_; }
    [[nodiscard]] const ExecutionTime& execution_time() const { return execution_time_; }
    /// Reads and writes counted where there is no buffer to count them.
    [[nodiscard]] BufferCounters buffer_counters() const;
    void reset_counters();
    [[nodiscard]] std::uint64_t check_invariants() const;

  private:
    void write_back(const std::vector<Victim>& victims);

    Geometry geometry_;
    std::unique_ptr<WriteBuffer> buffer_;
    std::unique_ptr<AllocatorIf> allocator_;
    std::unique_ptr<FtlIf> ftl_;
    ExecutionTime execution_time_;
    DecisionLogIf* log_;
    FlashOpList ops_;
    std::vector<Victim> through_; ///< the single page of a write-through
    std::vector<Lpn> lpns_;       ///< scratch for the allocator
    std::vector<PlaneId> planes_;
    BufferCounters unbuffered_;
};

} // namespace cavern
