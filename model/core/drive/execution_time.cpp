#include "core/drive/execution_time.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "core/parts/discipline.h"

namespace cavern {
ExecutionTime::ExecutionTime(const Geometry& geometry, ArrayTimes times)
    : geometry_(geometry), times_(std::move(times)), only_program_(same_for_all_programs()),
      queue_(geometry.dies()), channel_seen_(geometry.channels, false),
      bus_free_(geometry.channels, 0) {}

void ExecutionTime::add_any(const FlashOpList& batch) {
    if (batch.empty()) {
        return;
    }
    if (batch.size() == 1 && is_host_program(batch.front())) {
        const TimePs alone = time_on_die(batch.front());
        write_ += alone;
        total_ += alone;
        return;
    }
    const TimePs total = makespan(batch, false);
    bool only_host = true;
    for (const FlashOp& op : batch) {
        if (!is_host_program(op)) {
            only_host = false;
            gc_sum_ += time_on_die(op);
        }
    }
    // Operations beside them may let host programs end sooner: a bus is given by turns.
    write_ += only_host ? total : std::min(total, makespan(batch, true));
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

TimePs ExecutionTime::same_for_all_programs() const {
    const bool same = times_.t_prog.size() == 1 && geometry_.slc_blocks == 0 &&
                      geometry_.units_per_program() == 1;
    return same ? times_.page_transfer + times_.t_prog.front() : 0;
}

TimePs ExecutionTime::time_on_die(const FlashOp& op) const {
    switch (op.kind) {
    case FlashOpKind::kRead:
        return read_time(op.page) + times_.page_transfer;
    case FlashOpKind::kProgram:
        return times_.page_transfer + (completes_page(op) ? program_time(op) : 0);
    default:
        return times_.t_bers;
    }
}

TimePs ExecutionTime::read_time(Ppn page) const {
    return geometry_.is_slc(page)
               ? times_.slc_t_r
               : times_.t_r[geometry_.nand_page_in_block(page) % times_.t_r.size()];
}

TimePs ExecutionTime::program_time(const FlashOp& op) const {
    if (geometry_.is_slc(op.page)) {
        return times_.slc_t_prog;
    }
    return times_.t_prog.size() == 1
               ? times_.t_prog.front()
               : times_.t_prog[geometry_.nand_page_in_block(op.page) % times_.t_prog.size()];
}

TimePs ExecutionTime::makespan(const FlashOpList& batch, bool host_only) {
    channels_used_.clear();
    host_starts_.clear();
    die_ends_.clear();
    die_of_.clear();
    from_afar_ = false;
    for (const FlashOp& op : batch) {
        const DieId die = geometry_.die_of(op.page);
        const auto index = static_cast<std::uint32_t>(die_of_.size());
        die_of_.push_back(die);
        if (host_only && !is_host_program(op)) {
            continue;
        }
        if (op.kind == FlashOpKind::kProgram && !completes_page(op)) {
            continue; // its data move with those of the last unit of its NAND page
        }
        from_afar_ = from_afar_ || (times_.max_group > 1 && comes_from_afar(op, die));
        queue_[raw(die)].push_back(index);
        const std::uint32_t channel = raw(geometry_.channel_of(die));
        if (!channel_seen_[channel]) {
            channel_seen_[channel] = true;
            channels_used_.push_back(channel);
        }
    }
    if (from_afar_) {
        read_done_.assign(batch.size(), kNever);
    }
    // Channels do not meet unless a page goes from one to another.
    TimePs longest = 0;
    for (const std::uint32_t channel : channels_used_) {
        channel_seen_[channel] = false;
        enlist(channel);
        longest = from_afar_ ? 0 : std::max(longest, play(batch));
    }
    return from_afar_ ? play(batch) : longest;
}

void ExecutionTime::enlist(std::uint32_t channel) {
    bus_free_[channel] = 0;
    for (std::uint32_t slot = 0; slot < geometry_.dies_per_channel(); ++slot) {
        std::vector<std::uint32_t>& queue = queue_[raw(geometry_.die_at(ChannelId{channel}, slot))];
        if (!queue.empty()) {
            dies_.push_back({&queue, channel});
        }
    }
}

void ExecutionTime::advance(Die& die, const FlashOpList& batch) const {
    die.wants_bus = kNever;
    while (die.next < die.queue->size()) {
        const std::uint32_t index = (*die.queue)[die.next];
        const FlashOp& op = batch[index];
        if (op.kind == FlashOpKind::kErase) {
            die.free += times_.t_bers;
            ++die.next;
            continue;
        }
        if (op.kind == FlashOpKind::kRead) {
            const bool again =
                die.next != 0 && is_in_register(batch[(*die.queue)[die.next - 1]], op);
            die.wants_bus = die.free + (again ? 0 : read_time(op.page));
            return;
        }
        TimePs ready = 0;
        if (from_afar_ && comes_from_afar(op, die_of_[index])) {
            ready = read_done_[static_cast<std::size_t>(op.after)]; // kNever: not yet known
        }
        die.wants_bus = std::max(die.free, ready);
        return;
    }
}

bool ExecutionTime::has_data(const Die& die, const FlashOpList& batch, std::uint32_t index,
                             std::uint32_t unread) const {
    const FlashOp& op = batch[index];
    if (!op.copies || op.after == FlashOp::kNone) {
        return true;
    }
    const auto read = static_cast<std::uint32_t>(op.after);
    return die_of_[read] == die_of_[index] ? read < unread : read_done_[read] <= die.wants_bus;
}

std::size_t ExecutionTime::form_group(const Die& die, const FlashOpList& batch) const {
    std::vector<std::uint32_t>& queue = *die.queue;
    const FlashOp& first = batch[queue[die.next]];
    if (times_.max_group == 1 || first.kind != FlashOpKind::kProgram) {
        return 1;
    }
    const std::uint32_t page = geometry_.nand_page_in_block(first.page);
    const auto plane_of = [this](BlockId block) {
        return std::uint64_t{1} << geometry_.plane_in_die(geometry_.plane_of(block));
    };
    std::uint64_t planes = plane_of(geometry_.block_of(first.page));
    const bool slc = geometry_.is_slc(first.page);
    std::array<BlockId, kSchedulerWindow> passed;
    std::size_t passed_count = 0;
    std::uint32_t unread = ~std::uint32_t{0};
    std::size_t count = 1;
    for (std::size_t at = die.next + 1;
         at < queue.size() && count < times_.max_group && passed_count < kSchedulerWindow; ++at) {
        const std::uint32_t index = queue[at];
        const FlashOp& op = batch[index];
        if (op.kind == FlashOpKind::kRead) {
            unread = std::min(unread, index);
            continue;
        }
        const BlockId block = geometry_.block_of(op.page);
        const auto end = passed.begin() + passed_count;
        if (op.kind == FlashOpKind::kProgram && geometry_.nand_page_in_block(op.page) == page &&
            geometry_.is_slc(block) == slc && (planes & plane_of(block)) == 0 &&
            std::find(passed.begin(), end, block) == end && has_data(die, batch, index, unread)) {
            planes |= plane_of(block);
            const auto start = queue.begin() + static_cast<std::ptrdiff_t>(die.next + count);
            const auto found = queue.begin() + static_cast<std::ptrdiff_t>(at);
            std::rotate(start, found, found + 1);
            ++count;
        } else {
            passed[passed_count++] = block;
        }
    }
    return count;
}

TimePs ExecutionTime::play(const FlashOpList& batch) {
    for (Die& die : dies_) {
        advance(die, batch);
    }
    for (;;) {
        Die* best = nullptr;
        for (Die& die : dies_) {
            if (die.wants_bus != kNever && (best == nullptr || die.wants_bus < best->wants_bus)) {
                best = &die;
            }
        }
        if (best == nullptr) {
            break;
        }
        const std::uint32_t index = (*best->queue)[best->next];
        const std::size_t group = form_group(*best, batch);
        for (std::size_t i = 0; i < group; ++i) {
            if (batch[(*best->queue)[best->next + i]].origin == Origin::kHost) {
                host_starts_.push_back(best->free);
            }
        }
        TimePs& bus_free = bus_free_[best->channel];
        const bool programs = batch[index].kind == FlashOpKind::kProgram;
        const std::size_t units =
            programs ? group * geometry_.units_per_program(batch[index].page) : 1;
        bus_free = std::max(bus_free, best->wants_bus) + units * times_.page_transfer;
        best->free = bus_free + (programs ? program_time(batch[index]) : 0);
        best->next += group;
        advance(*best, batch);
        if (from_afar_ && batch[index].kind == FlashOpKind::kRead) {
            read_done_[index] = bus_free;
            for (Die& die : dies_) {
                if (die.wants_bus == kNever) { // perhaps for this
                    advance(die, batch);
                }
            }
        }
    }
    TimePs end = 0;
    for (const Die& die : dies_) {
        end = std::max(end, die.free);
        die_ends_.push_back(die.free);
        die.queue->clear();
    }
    dies_.clear();
    return end;
}

} // namespace cavern
