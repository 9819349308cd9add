// Data that leave a die, or are at hand in the SDRAM or a channel.

#include "timed/channel/flash_scheduler.h"
#include "timed/tlm/time.h"

namespace cavern {

/// What is left of a read has come out.
void FlashScheduler::take_out(const DieState& die, const NandExtension& command) {
    for (std::size_t i = 0; i < die.running.size(); ++i) {
        if (die.running[i] != kNil && command.kind == FlashOpKind::kRead) {
            data_->out_of_die(die.running[i], command.contents[i]);
        }
    }
}

void FlashScheduler::data_stored(OpHandle op, TimePs at) {
    if (at <= now_ps()) {
        done(raw(op));
    } else {
        schedule(at, Event::kDataStored, raw(op));
    }
}

void FlashScheduler::data_ready(OpHandle op, TimePs at) {
    data_comes(raw(op), at);
    try_start(ops_[raw(op)].die);
}

} // namespace cavern
