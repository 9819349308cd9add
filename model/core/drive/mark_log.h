#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/drive/log_area.h"
#include "core/drive/map_log.h"

namespace cavern {

/// LTFTL (Sun et al., EMSOFT 2008): a mark is a page that says: up to this sequence number the
/// drive is in one piece. After a loss of power it goes back to the newest mark, so that of each
/// page the newest version counts that is not above it. A mark is programmed when every program
/// decided before is done, and no erase decided later starts before that.
///
/// What was superseded since the last mark is kept: an erase of a block that holds some of it is
/// preceded by a mark of its own. A command that is answered as durable (FLUSH, FUA, TRIM) gets one
/// as well, and there is one after so many programs.
///
/// A drive that has come back goes on in the other half of the area. Pages above the mark stay in
/// flash when the drive has gone back. Marks carry the ranges of their
/// numbers, for as long as a mount finds one of them.
class MarkLog : public MapLogIf {
  public:
    MarkLog(const Geometry& geometry, const MapLogParams& params,
            std::shared_ptr<MapLogContents> contents);

    void start(const MapView& map, NandArray& array) override;
    void resume(const MapView& map, const NandArray& array) override;
    void note(FlashOpList& ops, std::size_t first) override;
    void end_decision(const MapView& map, FlashOpList& ops) override;
    void seal(const MapView& map, FlashOpList& ops) override;

    struct Mark {
        PageVersion number = 0;
        std::uint32_t half = 0;
        std::uint32_t page = 0;
        std::array<std::uint32_t, LogArea::kHalves> pages_read{}; ///< to find it
    };
    /// The newest one that flash holds; none: there is not any.
    [[nodiscard]] std::optional<Mark> find(const NandArray& array) const;
    [[nodiscard]] const LogArea& area() const { return area_; }
    /// Numbers that mounts have gone back behind and of which flash holds pages.
    void set_gone(MapLogContents::Ranges gone) { gone_ = std::move(gone); }

  protected:
    // Rules that a test breaks.
    /// Whether what was superseded since the last mark is kept.
    [[nodiscard]] virtual bool keeps_superseded() const { return true; }
    /// Whether durable commands get a mark.
    [[nodiscard]] virtual bool seals() const { return true; }

  private:
    void mark(FlashOpList& ops);
    /// Of an erase at `place` of the list, in front of it.
    void mark_before(FlashOpList& ops, std::size_t place);

    Geometry geometry_;
    MapLogParams params_;
    LogArea area_;
    bool started_ = false;
    std::uint32_t half_ = 0;
    std::uint32_t next_ = 0;
    PageVersion newest_ = 0; ///< programmed, as decided
    PageVersion marked_ = 0;
    std::uint64_t programs_since_ = 0;
    std::vector<PageVersion> superseded_; ///< by BlockId: by which number a page of it, last
    MapLogContents::Ranges gone_;
    FlashOpList mark_; ///< scratch
};

} // namespace cavern
