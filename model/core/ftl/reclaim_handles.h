#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/base/counter.h"
#include "core/base/lazy_array.h"
#include "core/base/strong_id.h"

namespace cavern {

class StateArchive;

/// What becomes of the data of a handle when collection moves them (NVMe 2.1, 8.1.10: the type of a
/// reclaim unit handle).
enum class Isolation : std::uint8_t {
    kInitially,    ///< what is moved may share a reclaim unit with data of other handles
    kPersistently, ///< it shares one only with data of its own handle
};

struct ReclaimHandleParams {
    std::uint32_t handles = 0; ///< 0: data placement is not enabled
    Isolation isolation = Isolation::kInitially;

    /// The number is stored in a byte for each page.
    static constexpr std::uint32_t kMost = 128; // NVMe 2.1: placement handles of a namespace
};

/// What one reclaim unit handle has done since the last reset.
struct HandleCounters {
    std::uint64_t host_pages = 0;
    std::uint64_t moved_pages = 0;
    std::uint64_t padding_pages = 0;
    std::uint64_t reclaim_units = 0;

    static constexpr auto declared = counters_of(
        counter(&HandleCounters::host_pages, "host_pages", "pages",
                "Programs of host data that were written by this handle."),
        counter(&HandleCounters::moved_pages, "moved_pages", "pages",
                "Programs of such data when collection moved them."),
        counter(&HandleCounters::padding_pages, "padding_pages", "pages",
                "Programs of pages that an eviction policy pads, beside data of this handle."),
        counter(&HandleCounters::reclaim_units, "reclaim_units", "units",
                "Reclaim units (blocks of a plane, or of the planes that ftl.gc_placement joins) "
                "that the handle has begun to fill with data of the host."));

    [[nodiscard]] std::uint64_t programs() const {
        return host_pages + moved_pages + padding_pages;
    }
};

/// Flexible Data Placement (NVMe TP4146; NVMe 2.1, 8.1.10): which reclaim unit handle a page is
/// written by. A write names it (its placement identifier; there is one reclaim group); one that
/// names none that exists uses the default handle, 0, and is an event. A page keeps the handle of
/// the newest write from the write to its program, however long it waits in a write buffer, and
/// from its program on.
class ReclaimHandles {
  public:
    ReclaimHandles(const ReclaimHandleParams& params, std::uint64_t logical_pages)
        : params_(params), wanted_(logical_pages), placed_(logical_pages),
          counters_(params.handles) {
        CAVERN_CHECK(params.handles >= 1 && params.handles <= ReclaimHandleParams::kMost,
                     "a namespace has 1 to 128 placement handles");
    }

    [[nodiscard]] std::uint32_t count() const { return params_.handles; }
    [[nodiscard]] bool isolates_persistently() const {
        return params_.isolation == Isolation::kPersistently;
    }

    /// The pages written from now on are of a command with this placement identifier.
    void begin_command(std::uint32_t identifier) {
        invalid_identifiers_ += identifier < params_.handles ? 0 : 1;
        current_ =
            identifier < params_.handles ? static_cast<std::uint8_t>(identifier) : std::uint8_t{0};
    }
    void on_host_write(Lpn lpn) { wanted_[raw(lpn)] = current_; }

    /// Of the newest write.
    [[nodiscard]] std::uint32_t wanted(Lpn lpn) const { return wanted_[raw(lpn)]; }
    /// Of the data in flash.
    [[nodiscard]] std::uint32_t placed(Lpn lpn) const { return placed_[raw(lpn)]; }

    void on_program(Lpn lpn, bool padding) {
        const std::uint8_t handle = wanted_[raw(lpn)];
        placed_[raw(lpn)] = handle;
        ++(padding ? counters_[handle].padding_pages : counters_[handle].host_pages);
    }
    void on_move(Lpn lpn) { ++counters_[placed_[raw(lpn)]].moved_pages; }
    void on_open(std::uint32_t handle) { ++counters_[handle].reclaim_units; }

    [[nodiscard]] const std::vector<HandleCounters>& counters() const { return counters_; }
    /// Write commands whose placement identifier names no handle (the FDP event of type 3h).
    [[nodiscard]] std::uint64_t invalid_identifiers() const { return invalid_identifiers_; }
    void reset_counters() {
        counters_.assign(counters_.size(), {});
        invalid_identifiers_ = 0;
    }
    void serialize(StateArchive& archive);

  private:
    ReclaimHandleParams params_;
    LazyArray<std::uint8_t> wanted_;
    LazyArray<std::uint8_t> placed_;
    std::vector<HandleCounters> counters_;
    std::uint64_t invalid_identifiers_ = 0;
    std::uint8_t current_ = 0;
};

} // namespace cavern
