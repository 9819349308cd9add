#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/divisor.h"
#include "core/base/geometry.h"
#include "core/base/lazy_array.h"
#include "core/ftl/block_ftl.h"
#include "core/ftl/ftl_params.h"
#include "core/ftl/log_table.h"

namespace cavern {

class StateArchive;

/// Block mapping with log blocks bound one to one (Kim et al., "A space-efficient flash translation
/// layer for CompactFlash systems", IEEE TCE 2002), over units of one or more columns. A unit is
/// `columns` blocks in as many planes; its page r lies in column r mod columns, at page r div
/// columns of that column's data block or anywhere in its log block. What derived classes add is
/// the plane a unit gets (its home).
///
/// A page is written in place while its data block accepts it (first touch), else appended to its
/// unit's log. A log that cannot take the page, or the least recently written one where all are in
/// use, is merged:
///   switch   the log is complete and in order: it becomes the data;
///   partial  each of its columns is a prefix in order: the rest is copied behind, then as switch;
///   full     the newest version of every page is copied to new blocks, data and log are erased.
/// Pages never written or trimmed are skipped. A log without a valid page is only erased, with the
/// data blocks if the unit has no page left (counted as a full merge without copies). A merge
/// leaves the data in the planes of the log: that of the unit, but where the derived class opened
/// the log in another (its log is away).
///
/// Memory: a bit a logical page, 8 bytes a logical block, 12 a block, 2 a page of the logs;
/// untouched parts cost nothing.
class BlockLogFtl : public BlockFtl {
  public:
    [[nodiscard]] Ppn location(Lpn lpn) const override;
    /// Of log blocks of their own, not of columns. Looks at every unit.
    [[nodiscard]] std::optional<std::uint32_t> valid_count(BlockId block) const override;
    void trim(Lpn lpn, FlashOpList& ops) override;
    void mount(const MountedDrive& drive) override;
    /// Merges the log that would be merged next, if it begins in that plane.
    bool maintain(PlaneId plane, std::uint32_t copies, FlashOpList& ops) override;
    std::uint64_t check_invariants() const override;
    void serialize(StateArchive& archive) override;

  protected:
    struct Shape {
        std::uint32_t columns = 1;
        std::uint32_t column_stride = 0; ///< planes from one column to the next
        std::uint32_t log_groups = 1;    ///< 1, or one for each plane
        std::uint32_t logs_per_group = 1;
    };

    BlockLogFtl(const Geometry& geometry, const FtlParams& params, const Shape& shape,
                DecisionLogIf* log);

    /// Writes a page of host data or padding, in place or to the log. `home`: plane of the first
    /// column of a unit that is not placed, and of a log that is opened; where the unit has nothing
    /// there, it and the planes of the other columns must have what a new unit takes.
    void put(Lpn lpn, PlaneId home, Origin origin, FlashOpList& ops);

    [[nodiscard]] bool is_placed(Unit unit) const {
        return has_data(unit) || log_of(unit) != kNone;
    }
    /// Die of a page whose unit has that home.
    [[nodiscard]] DieId die_of(Lpn lpn, PlaneId home) const;
    /// Plane of the first column of a unit that is placed: of its data, if it has any.
    [[nodiscard]] PlaneId home_of(Unit unit) const;
    /// The same of its log; that of its data without one.
    [[nodiscard]] PlaneId log_home_of(Unit unit) const;
    /// Whether a page is programmed into the log that the unit has now, or in place: no log is
    /// opened for it.
    [[nodiscard]] bool opens_no_log(Lpn lpn) const;
    /// Units with a log in another plane than their data.
    [[nodiscard]] std::uint32_t logs_away() const { return logs_away_; }
    /// Units with their first column, of data or log, in that plane. Each has a data block there or
    /// will need one.
    [[nodiscard]] std::uint32_t placed_in(PlaneId plane) const { return placed_[raw(plane)]; }
    [[nodiscard]] bool has_data(Unit unit) const { return data_[unit * shape_.columns] != 0; }
    [[nodiscard]] BlockId data_block(Unit unit, std::uint32_t column) const {
        return BlockId{data_[unit * shape_.columns + column] - 1};
    }
    void set_data_block(Unit unit, std::uint32_t column, BlockId block) {
        data_[unit * shape_.columns + column] = raw(block) + 1;
    }
    [[nodiscard]] std::uint32_t log_of(Unit unit) const { return log_of_[unit] - 1u; }
    /// The log's blocks are erased or have become data: forgets it.
    void close_log(Unit unit);
    void note_placed(PlaneId home) { ++placed_[raw(home)]; }
    void note_displaced(PlaneId home) { --placed_[raw(home)]; }

    [[nodiscard]] const LogTable& logs() const { return logs_; }

  private:
    friend struct BlockLogFtlProbe; // tests corrupt the state to see check_invariants notice

    [[nodiscard]] PlaneId plane_of(PlaneId home, std::uint32_t column) const {
        return PlaneId{raw(home) + column * shape_.column_stride};
    }
    [[nodiscard]] std::uint32_t group_of(PlaneId home) const {
        return shape_.log_groups == 1 ? 0 : raw(home);
    }
    /// Plane of a log's first column.
    [[nodiscard]] PlaneId plane_of_log(std::uint32_t log) const {
        return store().geometry().plane_of(logs_.block(log, 0));
    }
    [[nodiscard]] bool accepts_in_place(Unit unit, std::uint32_t offset) const;
    void put_in_place(Lpn lpn, Unit unit, std::uint32_t offset, PlaneId home, Origin origin,
                      FlashOpList& ops);
    std::uint32_t open_log(Unit unit, PlaneId home, FlashOpList& ops);
    void merge(std::uint32_t log, FlashOpList& ops);
    /// Merge of a log without a valid page.
    void discard(std::uint32_t log, FlashOpList& ops);
    /// Copies the pages of a column from the next programmable one of `into` on. Returns how many;
    /// `last` is set to the last program.
    std::uint32_t copy_column(Unit unit, std::uint32_t column, BlockId into, std::int32_t& last,
                              FlashOpList& ops);
    [[nodiscard]] std::uint64_t check_unit(Unit unit, std::vector<bool>& in_use) const;

    std::uint32_t pages_per_block_;
    Shape shape_;
    Divisor by_columns_;
    bool eager_switch_;
    LogTable logs_;
    LazyArray<std::uint32_t> data_;     ///< by unit and column: block + 1, or 0
    LazyArray<std::uint32_t> log_of_;   ///< by unit: log + 1, or 0
    std::vector<std::uint32_t> placed_; ///< by plane
    std::uint32_t logs_away_ = 0;
};

} // namespace cavern
