#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/decision_log.h"
#include "core/base/geometry.h"
#include "tests/support/durable_pages.h"
#include "timed/buffer/ids.h"
#include "timed/tlm/extensions.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern::testing {

/// A second opinion on where every page's newest data is. Hears the decisions of the core, the
/// operations of the dies and the transfers over link and SDRAM, and follows by rules of its own
/// which version of which logical page is in which frame and which physical page. Writes down
/// everything that contradicts read-your-writes, and buses or dies that do two things at a time.
///
/// A version of a page is the number of writes and trims of it decided so far.
class Shadow final : public DecisionLogIf, public ActivityLogIf {
  public:
    /// What the shadow is told of the drive.
    struct Drive {
        Geometry geometry;
        std::uint32_t frames = 0; ///< of the write buffer, which come first in the SDRAM, and slots
        bool buffered = true;
        bool keeps_reads = false;         ///< buffer.cache_reads
        bool keeps_flushed = false;       ///< buffer.flush_keep
        bool keeps_sectors = false;       ///< ftl.unit in bytes
        bool reads_again = false;         ///< ecc.errors: what has been read may be read once more
        std::function<Ppn(Lpn)> location; ///< where the FTL says a page is
        /// Whether a host program of a physical page is still under way, so that a read is served
        /// from its frame.
        std::function<bool(Ppn)> pending;
        std::function<Lpn(TaskId)> page_of; ///< of a task of the buffer manager
    };

    explicit Shadow(Drive drive);

    /// From now on dies carry out what is decided; until then (preconditioning) it holds at once.
    void begin_timed() { timed_ = true; }

    [[nodiscard]] const std::vector<std::string>& contradictions() const { return contradictions_; }
    /// Reads whose source was checked, by kind of source.
    struct Checked {
        std::uint64_t frames = 0;
        std::uint64_t flash = 0;
        std::uint64_t zeros = 0;
        std::uint64_t programs = 0;
    };
    [[nodiscard]] const Checked& checked() const { return checked_; }
    /// Reads and programs decided whose data was never taken from where it is; 0 after a sound run.
    [[nodiscard]] std::size_t unserved() const;
    /// Pages written before `dispatch` that were in flash at `completed` in no version as new: for
    /// a flush that ran between these times.
    [[nodiscard]] std::vector<Lpn> missing_after_flush(TimePs dispatch, TimePs completed) const;
    /// Whether the write of the page decided at `decided` was in flash by `completed`, or a newer
    /// one.
    [[nodiscard]] bool programmed_between(Lpn lpn, TimePs decided, TimePs completed) const;
    /// When programs of host data completed, in the order of completion of their dies.
    [[nodiscard]] const std::vector<TimePs>& programmed_at() const { return programmed_at_; }
    /// Everything decided, in order, without times.
    [[nodiscard]] const std::string& decisions() const { return decisions_; }

    // Decisions.
    void write(Lpn lpn, bool hit) override;
    void read(Lpn lpn, bool hit) override;
    void trim(Lpn lpn) override;
    void evict_page(Lpn lpn) override;
    void clean_page(Lpn lpn) override;
    void clean_block(Lbn lbn, const std::vector<Lpn>& pages,
                     const std::vector<Lpn>& padding) override;
    void evict_block(Lbn lbn, const std::vector<Lpn>& pages,
                     const std::vector<Lpn>& padding) override;
    void allocate(Lbn, DieId, std::optional<DieId>) override {}
    void program(Origin origin, Lpn lpn, Ppn page) override;
    void merge(MergeKind, Lbn, std::uint32_t, std::uint32_t) override {}
    void gc(BlockId victim, std::uint32_t copies) override;

    // Buses and dies.
    void bus(ChannelId channel, std::uint32_t slot, const char* phase, TimePs start,
             TimePs duration, const NandExtension& command) override;
    void grant(ChannelId, std::uint32_t, TimePs, TimePs) override {}
    void array(DieId die, TimePs start, TimePs duration, const NandExtension& command) override;
    void host_queue(TimePs, std::uint32_t) override {}
    void buffer_pages(TimePs, std::uint32_t) override {}

    // Transfers of the buffer manager.
    void link_begins(const tlm::tlm_generic_payload& payload);
    void sdram_begins(const tlm::tlm_generic_payload& payload);
    void sdram_ends(const tlm::tlm_generic_payload& payload, TimePs at);

  private:
    struct Event {
        TimePs at;
        std::uint64_t version;
        bool trim;
    };
    /// A page of data: of which page, how new, and how many host writes went into its frame.
    struct Content {
        Lpn lpn = kNoLpn;
        std::uint64_t version = 0;
        std::uint64_t writes = 0;
    };
    struct Logical {
        std::uint64_t version = 0;
        bool written = false; ///< not trimmed since
        bool mapped = false;  ///< has been sent to flash since
        bool resident = false;
        std::uint64_t writes = 0;           ///< to the frame it is in
        std::vector<Event> decided;         ///< writes and trims
        std::vector<Event> programmed;      ///< completed programs
        std::vector<std::uint64_t> hits;    ///< fills that reads from its frame must find
        std::vector<Content> reads;         ///< what host reads of flash under way must find
        std::vector<std::uint64_t> fetches; ///< fills that its programs must find
        Content flash;                      ///< what was sent to flash last
        std::set<std::uint64_t> read;       ///< versions that host reads have found in flash
    };
    struct Physical {
        Content now;                 ///< in the array
        std::deque<Content> planned; ///< decided, oldest first
        [[nodiscard]] const Content& newest() const {
            return planned.empty() ? now : planned.back();
        }
    };
    struct Frame {
        Lpn lpn = kNoLpn;
        std::vector<TimePs> fills; ///< when they were over; with run_ahead that may be to come
        std::uint32_t filling = 0; ///< fills under way
        bool closed = false;       ///< its data went to a die: the next fill is of another page
    };

    Logical& logical(Lpn lpn);
    void evicted(Lpn lpn);
    void read_rest(Logical& page, Ppn place);
    void read_out(const NandExtension& command, std::uint32_t which);
    void read_from_flash(Lpn lpn, const Content& now);
    [[nodiscard]] static Content copied_from_frame(const Logical& page);
    [[nodiscard]] static bool is_at_rest(const Frame& frame);
    void take_from_frame(const Frame& frame, std::vector<std::uint64_t>& awaited);
    void expect(bool holds, const std::string& what);
    void record(const char* what, std::uint64_t a, std::uint64_t b = 0);

    Drive drive_;
    Geometry geometry_;
    bool timed_ = false;
    std::vector<Logical> logical_;
    std::vector<Physical> physical_;
    std::vector<Frame> frames_;
    std::map<std::uint32_t, Lpn> fetched_for_; ///< task: page on its way into a frame
    std::map<std::uint32_t, Lpn> served_from_; ///< task: page on its way to the host
    std::vector<TimePs> bus_free_;
    std::vector<TimePs> die_free_;
    DurablePages durable_;
    Checked checked_;
    std::vector<TimePs> programmed_at_;
    std::string decisions_;
    std::vector<std::string> contradictions_;
};

} // namespace cavern::testing
