#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/counter.h"
#include "core/drive/checkpoint_store.h"
#include "core/drive/map_log_params.h"
#include "core/drive/page_versions.h"
#include "core/ftl/ftl.h"
#include "core/nand/nand_array.h"

namespace cavern {

/// Since a drive was built.
struct MapLogCounters {
    std::uint64_t checkpoints = 0;
    std::uint64_t pages = 0; ///< mapping units programmed
    std::uint64_t erases = 0;
};

/// What pages of the log hold, for as long as flash may hold them, as TrimContents has it of
/// records. A page is found by the number in its spare area.
struct MapLogContents {
    /// Sequence numbers above .first up to .second.
    using Ranges = std::vector<std::pair<PageVersion, PageVersion>>;

    CheckpointStore checkpoints;
    /// By mark: what lies in flash of numbers that the drive went back behind.
    std::map<PageVersion, Ranges> marks;
    MapLogCounters counters; ///< of all drives that there were on this flash
};

/// The core as a log looks at it.
struct MapView {
    const FtlIf& ftl;
    const PageVersions& versions;
    std::uint64_t under_way; ///< DriveCore::under_way()
};

/// What a drive that can lose its power writes of its map beside the data, in blocks of its own.
/// One is told of every decision, and puts operations into it: programs and erases of the origin
/// kCheckpoint, of no logical page. Operations before start() are none of its business.
class MapLogIf {
  public:
    explicit MapLogIf(std::shared_ptr<MapLogContents> contents)
        : contents_(contents != nullptr ? std::move(contents)
                                        : std::make_shared<MapLogContents>()) {}
    virtual ~MapLogIf() = default;
    MapLogIf(const MapLogIf&) = delete;
    MapLogIf& operator=(const MapLogIf&) = delete;

    /// The run begins: nothing is under way, and the flash, as it is, gets a first checkpoint.
    virtual void start(const MapView& map, NandArray& array) = 0;
    /// The drive has come back: the flash is as recovery left it.
    virtual void resume(const MapView& map, const NandArray& array) = 0;
    /// Operations of a decision from `first` on, with their versions. May put others among them.
    virtual void note(FlashOpList& ops, std::size_t first) = 0;
    /// The map has forgotten these pages.
    virtual void trimmed(Lpn /*first*/, std::uint64_t /*count*/) {}
    /// The decision ends, and no NAND page lacks a part: what is due is appended.
    virtual void end_decision(const MapView& map, FlashOpList& ops) = 0;
    /// A command is about to be answered as durable: what it needs for that is appended.
    virtual void seal(const MapView& map, FlashOpList& ops) = 0;

    [[nodiscard]] const std::shared_ptr<MapLogContents>& contents() const { return contents_; }
    /// Mapping units programmed since reset_counters().
    [[nodiscard]] std::uint64_t programs() const { return programs_; }
    void reset_counters() { programs_ = 0; }

  protected:
    void count_programs(std::uint64_t units) {
        programs_ += units;
        contents_->counters.pages += units;
    }

  private:
    std::shared_ptr<MapLogContents> contents_;
    std::uint64_t programs_ = 0;
};

/// The log of a drive; null for kNone. `contents` has what flash holds of it; null: nothing.
[[nodiscard]] std::unique_ptr<MapLogIf> make_map_log(const Geometry& geometry,
                                                     std::uint64_t logical_pages,
                                                     const MapLogParams& params,
                                                     std::shared_ptr<MapLogContents> contents);

} // namespace cavern
