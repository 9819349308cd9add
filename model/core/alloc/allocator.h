#pragma once

#include <cstddef>
#include <exception>
#include <optional>

#include "core/base/decision_log.h"
#include "core/base/die_load.h"
#include "core/base/geometry.h"
#include "core/base/serialize.h"
#include "core/base/strong_id.h"

namespace cavern {

/// Tells whether a plane can take another version of a page; the FTL answers (FtlIf::has_room).
class SpaceIf {
  public:
    virtual ~SpaceIf() = default;
    [[nodiscard]] virtual bool has_room(PlaneId plane, Lpn lpn) const = 0;
    /// The error that no plane has room: a UserError where blocks have failed, otherwise a
    /// ModelError.
    [[nodiscard]] virtual std::exception_ptr lack_of_room() const;
};

/// The drive that an allocator is built for.
struct AllocatorContext {
    Geometry geometry;
    const SpaceIf& space;         ///< must outlive the allocator
    DieLoad* load = nullptr;      ///< may be null: every die idle, nothing measured
    DecisionLogIf* log = nullptr; ///< may be null
};

/// Which plane each evicted page goes to. Called once per eviction event, with all pages that leave
/// together in eviction order. An allocator that chooses freely passes over planes without room;
/// one whose place is fixed by the address ignores room (its planes are sized for it).
class AllocatorIf {
  public:
    virtual ~AllocatorIf() = default;
    /// Writes the plane of pages[i] to planes[i], i < count.
    virtual void place(const Lpn* pages, std::size_t count, PlaneId* planes) = 0;
    /// Die to which place() would give the page by itself now, where that is fixed before it is
    /// placed: by its address, or because its logical block has a die. Nothing where it is chosen.
    [[nodiscard]] virtual std::optional<DieId> destination(Lpn) const { return std::nullopt; }
    /// Saves or loads all that changes once it is built (StateArchive).
    virtual void serialize(StateArchive&) { refuse_to_serialize("an allocator"); }
};

} // namespace cavern
