#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/drive/log_area.h"
#include "core/drive/map_log.h"

namespace cavern {

/// Where a checkpoint lies.
struct CheckpointPlace {
    std::uint32_t half = 0;
    PageVersion generation = 0;
};

/// Writes the whole map to flash from time to time, in turn to the two halves of its area, and
/// behind it a journal: pages that say which pages were programmed and which blocks erased since.
/// The last page of a checkpoint, and each one of the journal, is programmed when every program
/// decided before is done, and no erase decided later starts before that. So the checkpoint of the
/// other half is whole until this one is, and where a page can be read, all that it says is so.
///
/// A drive that has come back begins with a checkpoint.
class CheckpointLog : public MapLogIf {
  public:
    CheckpointLog(const Geometry& geometry, std::uint64_t logical_pages, const MapLogParams& params,
                  std::shared_ptr<MapLogContents> contents);

    void start(const MapView& map, NandArray& array) override;
    void resume(const MapView& map, const NandArray& array) override;
    void note(FlashOpList& ops, std::size_t first) override;
    void trimmed(Lpn first, std::uint64_t count) override;
    void end_decision(const MapView& map, FlashOpList& ops) override;
    void seal(const MapView&, FlashOpList&) override {} // the spare areas tell

    [[nodiscard]] const LogArea& area() const { return area_; }
    /// NAND pages of a checkpoint.
    [[nodiscard]] std::uint32_t pages() const { return pages_; }
    /// Whole checkpoints that flash holds, the newest one first.
    [[nodiscard]] std::vector<CheckpointPlace> find(const NandArray& array) const;

  private:
    void look_at_blocks(const NandArray& array);
    void write_checkpoint(const MapView& map, FlashOpList& ops);
    void write_journal(FlashOpList& ops);
    [[nodiscard]] bool journal_fits() const;
    void keep(const MapView& map);
    void forget_old(std::uint64_t under_way);

    Geometry geometry_;
    MapLogParams params_;
    LogArea area_;
    std::uint32_t pages_;
    std::uint32_t changes_in_page_;
    bool started_ = false;
    bool due_ = true;        ///< a checkpoint, whatever was programmed
    std::uint32_t half_ = 1; ///< of the newest checkpoint
    std::uint32_t next_ = 0; ///< page of that half
    PageVersion generation_ = 0;
    std::uint64_t programs_since_ = 0;
    std::vector<MapSnapshot::Block> blocks_;   ///< as decided
    std::vector<MapSnapshot::Change> changes_; ///< that the journal has not
    bool follows_ = false;                     ///< the newest checkpoint kept is this drive's own
    std::vector<Lpn> touched_;                 ///< since then
    std::vector<BlockId> worked_on_;           ///< likewise
};

} // namespace cavern
