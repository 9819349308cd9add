#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/geometry.h"
#include "core/base/strong_id.h"

namespace cavern {

/// Why a flash operation is done. `kHost` for pages leaving the write buffer and host reads.
enum class Origin : std::uint8_t {
    kHost,
    kGc,
    kMerge,
    kPadding,
    kMapping,
    kWear,       ///< moved to level wear
    kRecovery,   ///< after a loss of power
    kRescue,     ///< moved out of a block in which a program failed
    kFailed,     ///< a program that fails
    kRmw,        ///< the rest of a page that the host writes in part
    kFold,       ///< moved from a block in SLC mode to one of all bits
    kRefresh,    ///< moved before it cannot be read any more
    kCheckpoint, ///< of the log from which a drive finds its map after a loss of power
};
inline constexpr std::size_t kOrigins = 13;

/// Whether it is work that garbage makes.
[[nodiscard]] constexpr bool is_collection(Origin origin) {
    return origin == Origin::kGc || origin == Origin::kMerge;
}

enum class MergeKind : std::uint8_t { kSwitch, kPartial, kFull };

/// Why a translation page is read or written: for a look-up, because a dirty entry leaves the
/// mapping cache, because collection moved pages it maps, because a TRIM covers several of them.
enum class MapEvent : std::uint8_t { kMiss, kEvict, kBatch, kTrim };

/// A new division of memory, decided after so many host requests.
struct TuneEvent {
    std::uint64_t request = 0;
    std::uint64_t buffer_bytes = 0;
    std::uint64_t map_bytes = 0;
    double buffer_benefit = 0;
    double map_benefit = 0;
};

/// Receives every decision of the core in the order decided (docs/read-a-report.md). The core
/// calls it through a pointer that is null when nobody listens. Implementations must not change the
/// model.
class DecisionLogIf {
  public:
    virtual ~DecisionLogIf() = default;
    virtual void write(Lpn lpn, bool hit) = 0;
    virtual void read(Lpn lpn, bool hit) = 0;
    virtual void trim(Lpn lpn) = 0;
    /// A queued command moved a page or a logical block to the virtual-MRU position.
    virtual void pin_page(Lpn) {}
    virtual void pin_block(Lbn) {}
    virtual void evict_page(Lpn lpn) = 0;
    /// `pages` ascending; `padding` the missing pages that padding adds, ascending.
    virtual void evict_block(Lbn lbn, const std::vector<Lpn>& pages,
                             const std::vector<Lpn>& padding) = 0;
    /// A page, or the dirty pages of a logical block, were written by a FLUSH and stay, clean.
    virtual void clean_page(Lpn) {}
    virtual void clean_block(Lbn, const std::vector<Lpn>& /*pages*/,
                             const std::vector<Lpn>& /*padding*/) {}
    /// A logical block was given a die; `from` is its former home where that differs.
    virtual void allocate(Lbn lbn, DieId die, std::optional<DieId> from) = 0;
    virtual void program(Origin origin, Lpn lpn, Ppn page) = 0;
    virtual void merge(MergeKind kind, Lbn lbn, std::uint32_t copies, std::uint32_t erases) = 0;
    virtual void gc(BlockId victim, std::uint32_t copies) = 0;
    /// A block in SLC mode was emptied and erased.
    virtual void fold(BlockId, std::uint32_t /*copies*/) {}
    /// Memory was divided anew between buffer and mapping cache, for flash time saved a byte, us.
    virtual void tune(const TuneEvent& /*event*/) {}
    /// `entries` of translation page `table` were looked up or changed.
    virtual void map(MapEvent /*event*/, std::uint32_t /*table*/, std::uint32_t /*entries*/) {}
    /// A block is emptied and erased to level wear.
    virtual void level(BlockId, std::uint32_t /*copies*/) {}
    /// A block is emptied and erased because its pages would err.
    virtual void refresh(BlockId, std::uint32_t /*copies*/) {}
    /// A block has become bad.
    virtual void retire(BlockId) {}
};

} // namespace cavern
