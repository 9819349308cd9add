#pragma once

#include <cstdint>
#include <vector>

#include "core/base/strong_id.h"
#include "core/base/units.h"
#include "timed/tlm/flash_client_if.h"
#include "timed/tlm/slab.h"

namespace cavern {

/// One page of a host command being served.
struct PageTask {
    std::uint32_t next = Slab<PageTask>::kNil;
    std::uint32_t command = 0;
    std::uint32_t record = Slab<PageTask>::kNil; ///< page record written to or served from
    std::uint32_t bytes = 0;                     ///< of the page that the command covers
    std::uint64_t host_offset = 0;
    TimePs since = 0; ///< start of the wait being measured
    TimePs frame_wait = 0;
    TimePs flash = 0;
    std::uint32_t source = Slab<PageTask>::kNil; ///< page record whose frame it is read from
    bool keeps = false;                          ///< a page read that stays in the buffer
    bool data_here = false;                      ///< of such a page: it has come from the die
};

/// A page that has, or waits for, a physical frame of the write buffer: resident, or evicted with
/// its program still under way, or both gone and only kept for data in motion.
struct PageRecord {
    std::uint32_t next = Slab<PageTask>::kNil;
    Lpn lpn = kNoLpn;
    std::uint32_t frame = Slab<PageTask>::kNil;
    std::uint32_t inbound = 0; ///< host page writes decided and not yet in the SDRAM
    std::uint32_t readers = 0;
    std::uint32_t withheld = 0; ///< frames that stay free when it gets one
    std::uint32_t needs_batch =
        Slab<PageTask>::kNil; ///< batch to be programmed before a frame is granted
    std::uint32_t in_batch = Slab<PageTask>::kNil; ///< batch it was evicted in
    std::uint32_t through_task =
        Slab<PageTask>::kNil;   ///< write-through: task its program completes
    std::uint64_t eviction = 0; ///< sequence number of its eviction
    bool resident = false;
    bool in_flight = false;
    bool fetch_wanted = false; ///< the scheduler waits for its data
    OpHandle fetch_op{};
    SlabQueue<PageTask> writers;         ///< tasks that wait for the frame
    SlabQueue<PageTask> waiting_readers; ///< tasks that wait for the data
};

/// Physical frames and who waits for them. The core reuses a frame number the moment its victim is
/// chosen; here the frame is free only when the program has completed, and the new page waits for
/// it. Grants are strictly first come first served in decision order, which cannot deadlock: a page
/// waits only for victims chosen before it.
class FrameTable {
  public:
    static constexpr std::uint32_t kNil = Slab<PageTask>::kNil;

    explicit FrameTable(std::uint32_t frames);
    /// At most so many frames, up to all there are, are in use when a page is granted one that
    /// queues for it from now on. Pages in the queue keep the limit they came with: victims chosen
    /// since may wait behind their programs.
    void set_limit(std::uint32_t frames) { withheld_ = frames_ - frames; }

    std::uint32_t create(Lpn lpn);
    [[nodiscard]] PageRecord& operator[](std::uint32_t record) { return records_[record]; }

    /// Queues a record for a frame; with `batch` != kNil not before that batch is programmed.
    void wait_for_frame(std::uint32_t record, std::uint32_t batch);
    /// Next record that can have a frame now; it has it on return. kNil when none can.
    std::uint32_t grant_next();

    /// `units` victims with `pages` pages to be programmed.
    std::uint32_t create_batch(std::uint32_t pages, std::uint32_t units);
    /// Victims of batches that are not programmed to the last page.
    [[nodiscard]] std::uint32_t units_in_flight() const { return units_in_flight_; }
    void page_programmed(std::uint32_t batch);

    /// Frees record and frame if nothing uses them any more.
    void retire_if_unused(std::uint32_t record);

    [[nodiscard]] std::uint32_t records_in_use() const { return records_.used(); }
    [[nodiscard]] std::uint32_t free_frames() const {
        return static_cast<std::uint32_t>(free_.size());
    }
    [[nodiscard]] bool someone_waits() const { return !waiting_.empty(); }

  private:
    struct Batch {
        std::uint32_t next = Slab<PageTask>::kNil;
        std::uint32_t remaining = 0;
        std::uint32_t units = 0;
        bool awaited = false;
    };

    Slab<PageRecord> records_;
    Slab<Batch> batches_;
    SlabQueue<PageRecord> waiting_;
    std::vector<std::uint32_t> free_;
    std::uint32_t frames_;
    std::uint32_t withheld_ = 0; ///< frames that are to stay free
    std::uint32_t units_in_flight_ = 0;
};

} // namespace cavern
