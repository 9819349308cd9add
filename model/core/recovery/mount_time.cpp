#include "core/recovery/mount_time.h"

#include <algorithm>

namespace cavern {
namespace {

/// The slowest channel, of times that its dies and its bus are busy.
TimePs slowest(const Geometry& geometry, const std::vector<TimePs>& dies,
               const std::vector<TimePs>& buses) {
    TimePs time = 0;
    for (std::uint32_t die = 0; die < geometry.dies(); ++die) {
        time = std::max({time, dies[die], buses[raw(geometry.channel_of(DieId{die}))]});
    }
    return time;
}

TimePs read_time(const Geometry& geometry, const MountTimes& times, TimePs transfer,
                 const std::vector<std::uint64_t>& reads_of_dies,
                 const std::vector<std::uint64_t>& in_slc_mode) {
    std::vector<TimePs> dies(geometry.dies(), 0);
    std::vector<TimePs> buses(geometry.channels, 0);
    for (std::uint32_t die = 0; die < geometry.dies(); ++die) {
        const std::uint64_t slc = in_slc_mode.empty() ? 0 : in_slc_mode[die];
        dies[die] = reads_of_dies[die] * (times.t_r + transfer) + slc * (times.slc_t_r + transfer);
        buses[raw(geometry.channel_of(DieId{die}))] += (reads_of_dies[die] + slc) * transfer;
    }
    for (TimePs& bus : buses) {
        bus += bus != 0 ? times.t_r : 0;
    }
    return slowest(geometry, dies, buses);
}

} // namespace

TimePs scan_time(const Geometry& geometry, const MountTimes& times,
                 const std::vector<std::uint64_t>& spares_of_dies,
                 const std::vector<std::uint64_t>& in_slc_mode) {
    return read_time(geometry, times, times.spare_transfer, spares_of_dies, in_slc_mode);
}

TimePs log_time(const Geometry& geometry, const MountTimes& times,
                const std::vector<std::uint64_t>& pages_of_dies) {
    return read_time(geometry, times, times.page_transfer, pages_of_dies, {});
}

TimePs rebuild_time(const Geometry& geometry, const MountTimes& times, const FlashOpList& ops) {
    std::vector<TimePs> dies(geometry.dies(), 0);
    std::vector<TimePs> buses(geometry.channels, 0);
    for (const FlashOp& op : ops) {
        const DieId die = geometry.die_of(op.page);
        const bool first_unit = raw(op.page) % geometry.units_per_page == 0;
        const bool slc = geometry.is_slc(op.page);
        const TimePs program = slc ? times.slc_t_prog : times.t_prog;
        const TimePs array = op.kind == FlashOpKind::kErase     ? times.t_bers
                             : op.kind == FlashOpKind::kProgram ? (first_unit ? program : 0)
                             : slc                              ? times.slc_t_r
                                                                : times.t_r;
        const TimePs transfer = op.kind == FlashOpKind::kErase ? 0 : times.page_transfer;
        dies[raw(die)] += array + transfer;
        buses[raw(geometry.channel_of(die))] += transfer;
    }
    return slowest(geometry, dies, buses);
}

} // namespace cavern
