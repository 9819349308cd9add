#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/request_op.h"
#include "core/drive/drive_core.h"
#include "core/nand/nand_array.h"
#include "core/recovery/recovery_counters.h"
#include "core/recovery/sector_oracle.h"

namespace cavern {

/// What a drive owes the host after a loss of power, kept apart from the drive. Each write or TRIM
/// of a page gets a tick, in the order decided. Of each page it knows the newest acknowledged tick,
/// and the newest durable one: of a FLUSH that was acknowledged after it, of a write with FUA or of
/// a TRIM that was acknowledged, or of a version that a read has found in flash. After recovery
/// each page must show its durable tick or a newer one, whole. Where data are kept, so must they.
class VersionOracle final : public DecisionLogIf {
  public:
    using Tick = std::uint64_t;

    /// Notes what `core` and `array` hold, all of it durable; hears of the core from now on, and of
    /// the data if any are kept.
    void start(DriveCore& core, const NandArray& array, DriveData* data = nullptr);

    void begin_request(std::uint64_t number) override;
    void host_write(Lpn lpn) override;
    void host_trim(Lpn first, std::uint64_t count) override;
    void programs(Lpn lpn, PageVersion version, bool pads) override;

    /// The host has its answer. `durable`: what it wrote is in flash by that (FUA, no write
    /// buffer).
    void acknowledged(std::uint64_t request, RequestOp op, bool durable);
    /// Stored energy has drained the write buffer, all of it or not: then what is acknowledged is
    /// durable. What the host had written in part is there in part.
    void drained(bool all);
    /// A read found this version in flash: the page is not older from now on.
    void read_from_flash(Lpn lpn, PageVersion version);

    /// Compares what was recovered, adds to the pages of `counters`, and starts anew from there.
    void verify(DriveCore& core, const NandArray& array, RecoveryCounters& counters);
    /// The first page found wrong, as a sentence; empty: none so far.
    [[nodiscard]] const std::string& first_fault() const { return first_fault_; }

  private:
    /// Since the page was last known to be durable.
    struct Page {
        std::vector<PageChange> events;
        std::vector<std::pair<PageVersion, Tick>> programs;
        Tick acknowledged = 0;
        Tick durable = 0;
    };
    struct Request {
        Tick begun = 0;
        std::vector<std::pair<Lpn, Tick>> pages;
    };
    enum class Fate : std::uint8_t { kNewest, kOlder, kLost, kCorrupt };
    /// What became of a page, and the tick that it shows; of one that is lost or corrupt 0.
    struct Found {
        Fate fate;
        Tick tick;
    };

    void data_written(Lpn page, std::uint32_t first, std::uint32_t sectors,
                      SectorVersions::Version version) override;
    void data_trimmed(Lpn first, std::uint64_t pages, SectorVersions::Version version) override;
    void note(Lpn lpn, bool trim);
    void make_durable(Lpn lpn, Page& page, Tick tick);
    /// Events of a page that are older than what is durable have no say any more.
    void prune(Lpn lpn, Page& page);
    [[nodiscard]] Found find(Lpn lpn, const Page& page, Ppn place, const NandArray& array) const;
    [[nodiscard]] static Found judge(const Page& page, Tick tick) {
        return {tick < page.durable        ? Fate::kLost
                : tick < page.acknowledged ? Fate::kOlder
                                           : Fate::kNewest,
                tick};
    }
    void compare_data(Lpn lpn, const Page& page, Ppn place, Tick tick, RecoveryCounters& counters);
    void remember(const DriveCore& core, const NandArray& array);
    void blame(Lpn lpn, const char* what);

    static constexpr std::uint64_t kNoRequest = ~std::uint64_t{0};

    Tick now_ = 0;
    std::uint64_t current_ = kNoRequest;
    std::unordered_map<std::uint64_t, Request> requests_; ///< looked up only
    std::unordered_map<std::uint64_t, Page> pages_;       ///< likewise
    std::deque<std::pair<Lpn, Tick>> unflushed_;          ///< in the order decided
    std::vector<bool> held_;              ///< by page: flash held something at the start
    std::vector<PageVersion> versions_;   ///< by page: what that was
    std::optional<SectorOracle> sectors_; ///< none: no data are kept
    bool in_parts_ = false;               ///< what was not acknowledged may be there in part
    std::string first_fault_;
};

} // namespace cavern
