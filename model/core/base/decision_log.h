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

struct ComparedDecisions;
struct Decision;
struct DecisionCall;
class ModelError;

/// Hears what the core does, in the order decided; whatever it leaves out it does not hear. The
/// core calls it through pointers that are null when nobody listens. Implementations must not
/// change the model.
class DecisionLogIf {
  public:
    virtual ~DecisionLogIf() = default;

    // ---- the calls of a DriveCore (DriveCore::listen)

    /// The calls that follow are for the host's request of this number.
    virtual void begin_request(std::uint64_t /*number*/) {}
    /// The core is asked, and has not changed yet.
    virtual void deciding(const DecisionCall& /*call*/) {}
    /// What it decided. An exception ends the run.
    virtual void decided(const DecisionCall& /*call*/, const Decision& /*decision*/) {}
    /// It came to no decision; the listener may throw what says more.
    virtual void failed(const DecisionCall& /*call*/, const ModelError& /*error*/) {}
    /// Those that it compared with others, and found the same; null: it compares none.
    [[nodiscard]] virtual const ComparedDecisions* compared() const { return nullptr; }

    // ---- what becomes of the host's writes, where power may be lost (DriveCore::watch)

    virtual void host_write(Lpn) {}
    virtual void host_trim(Lpn /*first*/, std::uint64_t /*count*/) {}
    /// A program of a new version was decided: it holds what the page holds now. `pads`: it holds
    /// what flash holds, or is to hold, of the page; of a write decided at this moment nothing.
    virtual void programs(Lpn, PageVersion, bool /*pads*/) {}
    /// Which version the data of a write or TRIM have (DriveData::watch): after the decision of
    /// their page and before that of the next one. Sectors of one page.
    virtual void data_written(Lpn, std::uint32_t /*first*/, std::uint32_t /*sectors*/,
                              std::uint32_t /*version*/) {}
    virtual void data_trimmed(Lpn /*first*/, std::uint64_t /*pages*/, std::uint32_t /*version*/) {}

    // ---- every decision of its parts (docs/read-a-report.md)

    virtual void write(Lpn, bool /*hit*/) {}
    virtual void read(Lpn, bool /*hit*/) {}
    virtual void trim(Lpn) {}
    /// A queued command moved a page or a logical block to the virtual-MRU position.
    virtual void pin_page(Lpn) {}
    virtual void pin_block(Lbn) {}
    virtual void evict_page(Lpn) {}
    /// `pages` ascending; `padding` the missing pages that padding adds, ascending.
    virtual void evict_block(Lbn, const std::vector<Lpn>& /*pages*/,
                             const std::vector<Lpn>& /*padding*/) {}
    /// A page, or the dirty pages of a logical block, were written by a FLUSH and stay, clean.
    virtual void clean_page(Lpn) {}
    virtual void clean_block(Lbn, const std::vector<Lpn>& /*pages*/,
                             const std::vector<Lpn>& /*padding*/) {}
    /// A logical block was given a die; `from` is its former home where that differs.
    virtual void allocate(Lbn, DieId, std::optional<DieId> /*from*/) {}
    virtual void program(Origin, Lpn, Ppn) {}
    virtual void merge(MergeKind, Lbn, std::uint32_t /*copies*/, std::uint32_t /*erases*/) {}
    virtual void gc(BlockId /*victim*/, std::uint32_t /*copies*/) {}
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
