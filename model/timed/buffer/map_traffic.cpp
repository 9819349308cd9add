#include "timed/buffer/map_traffic.h"

namespace cavern {

void MapTraffic::read_entry(Lpn lpn) {
    ++statistics_.map_reads;
    access(MoveDirection::kRead, lpn);
}

void MapTraffic::access_entries(const FlashOpList& ops) {
    for (const FlashOp& op : ops) {
        if (op.lpn == kNoLpn || op.origin == Origin::kFailed) {
            continue;
        }
        if (op.kind == FlashOpKind::kProgram) {
            ++statistics_.map_writes;
            access(MoveDirection::kWrite, op.lpn);
        } else if (op.kind == FlashOpKind::kRead && op.origin == Origin::kRmw) {
            read_entry(op.lpn);
        }
    }
}

void MapTraffic::access(MoveDirection direction, Lpn lpn) {
    const std::uint64_t address = params_.base + raw(lpn) * params_.entry_bytes;
    if (memory_.access(direction, address, params_.entry_bytes, MoveTicket{}, *this) == kNever) {
        ++in_flight_;
    }
}

void MapTraffic::moved(MoveTicket /*ticket*/, TimePs /*at*/) {
    --in_flight_;
}

} // namespace cavern
