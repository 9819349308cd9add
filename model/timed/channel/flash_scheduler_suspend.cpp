// Programs and erases that make room for reads of the host.

#include <algorithm>
#include <utility>

#include "timed/channel/flash_scheduler.h"
#include "timed/tlm/time.h"

namespace cavern {

void FlashScheduler::look_while_busy(DieId id) {
    DieState& die = dies_[raw(id)];
    if (die.suspending) {
        return;
    }
    if (die.cache_free) {
        consider_next_program(die);
    }
    // What has come in behind it goes on first: the cache register keeps it.
    if (suspend_.any() && die.host_reads.head != kNil && die.behind.empty()) {
        consider_suspension(id);
    }
}

/// The host waits for a read of a busy die.
void FlashScheduler::consider_suspension(DieId id) {
    DieState& die = dies_[raw(id)];
    const NandExtension& command = die.channel->command(die.slot);
    const bool can = command.kind == FlashOpKind::kProgram ? suspend_.programs
                     : command.kind == FlashOpKind::kErase ? suspend_.erases
                                                           : false;
    // Before the array works on it nobody knows when it may be: operation_latched looks again.
    if (!can || die.suspending || command.ends == 0 ||
        (suspend_.limit != 0 && die.suspensions == suspend_.limit)) {
        return;
    }
    const TimePs earliest = command.began + suspend_.least_run;
    if (std::max(earliest, now_ps()) + suspend_.t_suspend + suspend_.t_resume >= command.ends) {
        return; // it ends about as soon
    }
    if (earliest > now_ps()) {
        if (!std::exchange(die.alarmed, true)) {
            schedule(earliest, Event::kMaySuspend, static_cast<std::uint32_t>(raw(id)));
        }
        return;
    }
    die.suspending = true;
    die.channel->suspend(die.slot);
}

void FlashScheduler::operation_latched(DieId id) {
    look_while_busy(id);
}

void FlashScheduler::operation_suspended(DieId id) {
    DieState& die = dies_[raw(id)];
    if (load_ != nullptr) {
        load_->ended(id);
    }
    ++die.suspensions;
    die.cache_free = false; // until it is resumed
    die.running.swap(die.suspended);
    end_operation(id);
}

void FlashScheduler::resume(DieId id) {
    DieState& die = dies_[raw(id)];
    die.running.swap(die.suspended);
    die.busy = true;
    die.since = now_ps();
    die.write_since = kNever;
    if (load_ != nullptr) {
        load_->started(id, 0, is_collection(ops_[die.running.front()].flash.origin));
    }
    die.channel->resume(die.slot);
}

} // namespace cavern
