#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/alloc/allocator.h"
#include "core/base/decision_log.h"
#include "core/buffer/ncq_aware.h"
#include "core/buffer/write_buffer.h"
#include "core/drive/execution_time.h"
#include "core/ftl/ftl.h"
#include "core/partition/adaptive_partition.h"

namespace cavern {

/// What the core decided about one host page.
struct WriteDecision {
    bool hit = false;
    FrameId frame = kNoFrame; ///< frame the page is in; kNoFrame with write-through
    bool evicted = false;     ///< ops(), victims() and dropped() hold a batch
};

struct ReadDecision {
    bool hit = false;
    FrameId frame = kNoFrame; ///< frame of a hit, or the one a page is read into (cache_reads)
    Ppn page = kNoPpn;        ///< where a miss is read from; kNoPpn: never written, reads as zeros
    bool evicted = false;     ///< ops(), victims() and dropped() hold a batch
    bool looked_up = false;   ///< the read waits for the last of ops()
};

/// The decision core put together: write buffer, allocator, FTL. Every host page passes through
/// here in the order the device takes commands, and is decided at once; nothing here knows time.
/// Programs in ops() carry in `frame` the frame of the victim whose data they write. Without a
/// write buffer (policy `none`) each write is a batch of one page.
class DriveCore {
  public:
    /// `buffer` may be null (write-through). `log` may be null. `load` is what the parts look at
    /// that want to know how busy dies are.
    DriveCore(const Geometry& geometry, std::unique_ptr<WriteBuffer> buffer,
              std::unique_ptr<AllocatorIf> allocator, std::unique_ptr<FtlIf> ftl, ArrayTimes times,
              DecisionLogIf* log, std::unique_ptr<DieLoad> load = nullptr);

    /// Divides memory between buffer and mapping cache as `partition` says, from now on. Needs
    /// both.
    void partition_by(std::unique_ptr<AdaptivePartition> partition);
    [[nodiscard]] const AdaptivePartition* partition() const { return partition_.get(); }
    /// All pages of a host request have been decided. True if that changed the sizes of buffer and
    /// mapping cache: then ops(), victims() and dropped() hold what that takes.
    bool end_request() {
        return partition_ != nullptr && partition_->count_request() && repartition();
    }

    /// `pages_in_command`: pages that the command writes, this one among them.
    WriteDecision write(Lpn lpn, std::uint32_t pages_in_command = 1);
    /// The same for a write that is done when it is in flash: the page is the last of victims(), in
    /// the frame of a hit, else without one.
    WriteDecision write_through(Lpn lpn, std::uint32_t pages_in_command = 1);
    ReadDecision read(Lpn lpn);
    /// Discards the page everywhere; returns the frame it occupied or kNoFrame.
    FrameId trim(Lpn lpn);
    /// Evicts the next batch of a FLUSH into ops(); false when nothing is dirty any more.
    bool flush_step();
    /// Evicts one unit into ops() if the rate wants that ahead of a full buffer; `load` says what
    /// is under way. Called until it returns false. Without a write buffer always false.
    bool evict_ahead(const BufferLoad& load);
    /// Collects one victim of an idle plane into ops(), if the translation layer does so ahead of
    /// need; false if there is nothing to do.
    bool collect_ahead(PlaneId plane);
    /// For runs without time, after every page: evict_ahead() as often as a rate wants it, if the
    /// page was inserted. What is evicted counts as under way until this returns, as if the pages
    /// of an insert left together. Calls `done` after each, with ops() to be carried out.
    template <typename Done>
    void evict_ahead_untimed(Done done) {
        if (!inserted_) {
            return;
        }
        inserted_ = false;
        BufferLoad load;
        load.idle_dies = geometry_.dies();
        while (evict_ahead(load)) {
            ++load.in_flight_units;
            load.in_flight += static_cast<std::uint32_t>(victims().size());
            done();
        }
    }

    /// Operations of the latest decision, in order. Valid until the next call.
    [[nodiscard]] const FlashOpList& ops() const { return ops_; }
    /// Pages that left the buffer by the latest decision.
    [[nodiscard]] const std::vector<Victim>& victims() const;

    /// Frames of clean pages that left the buffer by it.
    [[nodiscard]] const std::vector<FrameId>& dropped() const;

    /// Units that it writes, at least in part.
    [[nodiscard]] std::uint32_t units() const { return buffer_ != nullptr ? buffer_->units() : 1; }

    /// Who is told of commands that wait in the device's queue; null: nobody wants to know.
    [[nodiscard]] NcqAware* queue_pins() { return queue_pins_; }
    [[nodiscard]] const NcqAware* queue_pins() const { return queue_pins_; }
    /// `pins` is the order policy of the buffer.
    void watch_queue(NcqAware* pins) { queue_pins_ = pins; }

    [[nodiscard]] const WriteBuffer* buffer() const { return buffer_.get(); }
    [[nodiscard]] WriteBuffer* buffer() { return buffer_.get(); }
    /// For the timed shell to keep true; null if nobody looks at it.
    [[nodiscard]] DieLoad* load() { return load_.get(); }
    [[nodiscard]] FtlIf& ftl() { return *ftl_; }
    [[nodiscard]] const FtlIf& ftl() const { return *ftl_; }
    [[nodiscard]] AllocatorIf& allocator() { return *allocator_; }
    [[nodiscard]] const ExecutionTime& execution_time() const { return execution_time_; }
    /// Reads and writes counted where there is no buffer to count them.
    [[nodiscard]] BufferCounters buffer_counters() const;
    void reset_counters();
    /// The run begins: counters are zero and what was learnt is forgotten.
    void begin_run();
    [[nodiscard]] std::uint64_t check_invariants() const;

  private:
    bool repartition();
    /// All but the last `passing`, which no buffer would have kept.
    void remember_victims(std::size_t passing = 0);
    ReadDecision look_up(Lpn lpn, FrameId frame, bool evicted);
    void write_back(const std::vector<Victim>& victims);
    /// victims[first .. end), whose planes are chosen, to the FTL.
    void write_unit(const std::vector<Victim>& victims, std::size_t first, std::size_t end);

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
    std::vector<UnitPage> unit_;
    std::unique_ptr<DieLoad> load_;
    std::unique_ptr<AdaptivePartition> partition_; ///< null: sizes are fixed
    std::uint32_t pages_in_command_ = 0;           ///< of the page written through
    bool inserted_ = false; ///< the latest page accessed was new to the buffer
    BufferCounters unbuffered_;
    NcqAware* queue_pins_ = nullptr;
};

} // namespace cavern
