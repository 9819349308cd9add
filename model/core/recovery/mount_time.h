#pragma once

#include <cstdint>
#include <vector>

#include "core/base/geometry.h"
#include "core/base/units.h"
#include "core/ftl/flash_op.h"

namespace cavern {

/// What operations of a mount take. A page type that is not known beforehand counts with the mean.
struct MountTimes {
    TimePs t_r = 0;
    TimePs t_prog = 0;
    TimePs t_bers = 0;
    TimePs spare_transfer = 0; ///< of a spare area
    TimePs page_transfer = 0;  ///< of a page with it
    TimePs slc_t_r = 0;        ///< of blocks in SLC mode
    TimePs slc_t_prog = 0;
};

/// So many spare areas are read on each die, dies of a channel in parallel but for the bus: a
/// channel takes the longer of its busiest die, n (tR + transfer), and of its bus, tR and all
/// transfers. The drive takes as long as its slowest channel. Those of blocks in SLC mode are
/// apart, with a tR of their own; empty: there are none.
[[nodiscard]] TimePs scan_time(const Geometry& geometry, const MountTimes& times,
                               const std::vector<std::uint64_t>& spares_of_dies,
                               const std::vector<std::uint64_t>& in_slc_mode = {});
/// The same of whole NAND pages.
[[nodiscard]] TimePs log_time(const Geometry& geometry, const MountTimes& times,
                              const std::vector<std::uint64_t>& pages_of_dies);

/// Operations one after the other on each die, dies in parallel but for the bus of their channel.
/// `ops` counts with its pages: a NAND page of several mapping units counts once for all of them.
[[nodiscard]] TimePs rebuild_time(const Geometry& geometry, const MountTimes& times,
                                  const FlashOpList& ops);

} // namespace cavern
