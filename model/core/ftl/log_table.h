#pragma once

#include <cstdint>
#include <vector>

#include "core/base/lazy_array.h"
#include "core/base/strong_id.h"

namespace cavern {

class StateArchive;

/// The logs that hybrid translation layers bind to one logical unit each. A log is a block for each
/// of the unit's columns (one column: a plain log block) and the map from the unit's pages to the
/// newest version in it. Logs come in groups of equal size, each with its own order of last use; a
/// full group has to give one up before the next can be opened. O(1) per call but open(), which
/// clears a map.
///
/// Page numbers: `offset` counts within the unit, `page` within a block.
class LogTable {
  public:
    static constexpr std::uint32_t kNone = 0xFFFF'FFFFu;

    LogTable(std::uint32_t groups, std::uint32_t logs_per_group, std::uint32_t columns,
             std::uint32_t pages_per_block);

    [[nodiscard]] bool is_full(std::uint32_t group) const {
        return groups_[group].used == logs_per_group_;
    }
    [[nodiscard]] std::uint32_t used(std::uint32_t group) const { return groups_[group].used; }
    /// Log of the group whose last append is longest ago, or kNone.
    [[nodiscard]] std::uint32_t least_recent(std::uint32_t group) const {
        return groups_[group].oldest;
    }
    [[nodiscard]] std::uint32_t logs_per_group() const { return logs_per_group_; }

    /// Opens an empty log as the most recent of its group; set_block() gives it its blocks.
    std::uint32_t open(std::uint32_t group, std::uint32_t unit);
    void close(std::uint32_t log);
    void set_block(std::uint32_t log, std::uint32_t column, BlockId block) {
        blocks_[std::size_t{log} * columns_ + column] = raw(block);
    }

    [[nodiscard]] std::uint32_t unit(std::uint32_t log) const { return logs_[log].unit; }
    [[nodiscard]] BlockId block(std::uint32_t log, std::uint32_t column) const {
        return BlockId{blocks_[std::size_t{log} * columns_ + column]};
    }
    /// Page of its column's block that holds the newest version of `offset`; kNone if none does.
    [[nodiscard]] std::uint32_t page(std::uint32_t log, std::uint32_t offset) const {
        return map_[std::size_t{log} * unit_pages_ + offset] - 1u;
    }
    /// Notes that `page` of its column now holds `offset`; the log becomes the most recent.
    void append(std::uint32_t log, std::uint32_t offset, std::uint32_t page);
    /// The log's version of `offset`, if any, is not valid any more.
    void drop(std::uint32_t log, std::uint32_t offset);

    /// Offsets whose newest version is in the log.
    [[nodiscard]] std::uint32_t valid(std::uint32_t log) const { return logs_[log].valid; }
    /// True if every column holds its first pages in order, all of them valid.
    [[nodiscard]] bool is_prefix(std::uint32_t log) const {
        return logs_[log].in_order && logs_[log].valid == logs_[log].appended;
    }
    /// True if no column can take another page.
    [[nodiscard]] bool is_complete(std::uint32_t log) const {
        return logs_[log].appended == unit_pages_;
    }

    /// Checks lists and counts of one group; `logs` gets its logs in order of use. Returns the
    /// number of facts compared.
    std::uint64_t check_invariants(std::uint32_t group, std::vector<std::uint32_t>& logs) const;
    void serialize(StateArchive& archive);

  private:
    struct Log {
        std::uint32_t unit = 0;
        std::uint32_t group = 0;
        std::uint32_t older = kNone;
        std::uint32_t newer = kNone; ///< of a closed log: the next closed one
        std::uint32_t appended = 0;
        std::uint32_t valid = 0;
        bool in_order = true;
    };
    struct Group {
        std::uint32_t used = 0;
        std::uint32_t oldest = kNone;
        std::uint32_t newest = kNone;
        std::uint32_t closed = kNone;
    };

    void unlink(std::uint32_t log);
    void link_newest(std::uint32_t log);

    std::uint32_t logs_per_group_;
    std::uint32_t columns_;
    std::uint32_t unit_pages_;
    std::vector<Group> groups_;
    std::vector<Log> logs_;
    std::vector<std::uint32_t> blocks_; ///< by log and column
    /// By log and offset: page in its column + 1, or 0. Sixteen bits: a block has at most 65535
    /// pages.
    LazyArray<std::uint16_t> map_;
};

} // namespace cavern
