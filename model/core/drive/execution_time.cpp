#include "core/drive/execution_time.h"

#include <algorithm>
#include <utility>

namespace cavern {

ExecutionTime::ExecutionTime(const Geometry& geometry, ArrayTimes times)
    : geometry_(geometry), times_(std::move(times)), queue_(geometry.dies()),
      channel_seen_(geometry.channels, false) {}

void ExecutionTime::add(const FlashOpList& batch) {
    if (batch.empty()) {
        return;
    }
    if (batch.size() == 1 && batch.front().kind == FlashOpKind::kProgram &&
        batch.front().origin == Origin::kHost) {
        const TimePs alone = times_.page_transfer + program_time(batch.front());
        write_ += alone;
        total_ += alone;
        return;
    }
    const TimePs total = makespan(batch, false);
    const bool only_host = std::all_of(batch.begin(), batch.end(), [](const FlashOp& op) {
        return op.kind == FlashOpKind::kProgram && op.origin == Origin::kHost;
    });
    write_ += only_host ? total : makespan(batch, true);
    total_ += total;
}

StripeCosts ExecutionTime::costs(const FlashOpList& batch) {
    StripeCosts costs;
    for (const FlashOp& op : batch) {
        costs.host_pages += op.origin == Origin::kHost ? 1 : 0;
        costs.collecting += is_collection(op.origin) ? time_on_die(op) : 0;
    }
    if (batch.size() < 2) {
        return costs;
    }
    (void)makespan(batch, false);
    const TimePs first_idle = die_ends_.size() < geometry_.dies()
                                  ? 0
                                  : *std::min_element(die_ends_.begin(), die_ends_.end());
    for (const TimePs start : host_starts_) {
        costs.stalled += start > first_idle ? start - first_idle : 0;
    }
    return costs;
}

TimePs ExecutionTime::time_on_die(const FlashOp& op) const {
    switch (op.kind) {
    case FlashOpKind::kRead:
        return times_.t_r[geometry_.page_in_block(op.page) % times_.t_r.size()] +
               times_.page_transfer;
    case FlashOpKind::kProgram:
        return times_.page_transfer + program_time(op);
    default:
        return times_.t_bers;
    }
}

TimePs ExecutionTime::program_time(const FlashOp& op) const {
    return times_.t_prog.size() == 1
               ? times_.t_prog.front()
               : times_.t_prog[geometry_.page_in_block(op.page) % times_.t_prog.size()];
}

TimePs ExecutionTime::makespan(const FlashOpList& batch, bool host_only) {
    channels_used_.clear();
    host_starts_.clear();
    die_ends_.clear();
    for (const FlashOp& op : batch) {
        if (host_only && (op.kind != FlashOpKind::kProgram || op.origin != Origin::kHost)) {
            continue;
        }
        const DieId die = geometry_.die_of(op.page);
        queue_[raw(die)].push_back(op);
        const std::uint32_t channel = raw(geometry_.channel_of(die));
        if (!channel_seen_[channel]) {
            channel_seen_[channel] = true;
            channels_used_.push_back(channel);
        }
    }
    TimePs longest = 0;
    for (const std::uint32_t channel : channels_used_) {
        longest = std::max(longest, channel_makespan(channel));
        channel_seen_[channel] = false;
    }
    return longest;
}

TimePs ExecutionTime::channel_makespan(std::uint32_t channel) {
    struct Die {
        std::vector<FlashOp>* queue = nullptr;
        std::size_t next = 0;
        TimePs free = 0;
        TimePs wants_bus = kNever;
    };
    constexpr std::uint32_t kMaxSlots = 64;
    Die dies[kMaxSlots];
    const std::uint32_t slots = std::min(geometry_.dies_per_channel(), kMaxSlots);

    // Runs a die up to its next need of the bus.
    const auto advance = [this](Die& die) {
        while (die.next < die.queue->size()) {
            const FlashOp& op = (*die.queue)[die.next];
            if (op.kind == FlashOpKind::kErase) {
                die.free += times_.t_bers;
                ++die.next;
                continue;
            }
            const std::uint32_t page = geometry_.page_in_block(op.page);
            die.wants_bus = op.kind == FlashOpKind::kRead
                                ? die.free + times_.t_r[page % times_.t_r.size()]
                                : die.free;
            return;
        }
        die.wants_bus = kNever;
    };

    for (std::uint32_t slot = 0; slot < slots; ++slot) {
        dies[slot].queue = &queue_[raw(geometry_.die_at(ChannelId{channel}, slot))];
        advance(dies[slot]);
    }
    TimePs bus_free = 0;
    for (;;) {
        Die* best = nullptr;
        for (std::uint32_t slot = 0; slot < slots; ++slot) {
            if (dies[slot].wants_bus != kNever &&
                (best == nullptr || dies[slot].wants_bus < best->wants_bus)) {
                best = &dies[slot];
            }
        }
        if (best == nullptr) {
            break;
        }
        const FlashOp& op = (*best->queue)[best->next];
        if (op.origin == Origin::kHost) {
            host_starts_.push_back(best->free);
        }
        bus_free = std::max(bus_free, best->wants_bus) + times_.page_transfer;
        best->free = bus_free;
        if (op.kind == FlashOpKind::kProgram) {
            best->free += program_time(op);
        }
        ++best->next;
        advance(*best);
    }
    TimePs end = 0;
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
        end = std::max(end, dies[slot].free);
        if (!dies[slot].queue->empty()) {
            die_ends_.push_back(dies[slot].free);
        }
        dies[slot].queue->clear();
    }
    return end;
}

} // namespace cavern
