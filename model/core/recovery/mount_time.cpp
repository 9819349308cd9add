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

} // namespace

TimePs scan_time(const Geometry& geometry, const MountTimes& times,
                 const std::vector<std::uint64_t>& spares_of_dies) {
    std::vector<TimePs> dies(geometry.dies(), 0);
    std::vector<TimePs> buses(geometry.channels, 0);
    for (std::uint32_t die = 0; die < geometry.dies(); ++die) {
        dies[die] = spares_of_dies[die] * (times.t_r + times.spare_transfer);
        TimePs& bus = buses[raw(geometry.channel_of(DieId{die}))];
        bus += spares_of_dies[die] * times.spare_transfer;
    }
    for (TimePs& bus : buses) {
        bus += bus != 0 ? times.t_r : 0;
    }
    return slowest(geometry, dies, buses);
}

TimePs rebuild_time(const Geometry& geometry, const MountTimes& times, const FlashOpList& ops) {
    std::vector<TimePs> dies(geometry.dies(), 0);
    std::vector<TimePs> buses(geometry.channels, 0);
    for (const FlashOp& op : ops) {
        const DieId die = geometry.die_of(op.page);
        const bool first_unit = raw(op.page) % geometry.units_per_page == 0;
        TimePs array = op.kind == FlashOpKind::kErase     ? times.t_bers
                       : op.kind == FlashOpKind::kProgram ? (first_unit ? times.t_prog : 0)
                                                          : times.t_r;
        const TimePs transfer = op.kind == FlashOpKind::kErase ? 0 : times.page_transfer;
        dies[raw(die)] += array + transfer;
        buses[raw(geometry.channel_of(die))] += transfer;
    }
    return slowest(geometry, dies, buses);
}

} // namespace cavern
