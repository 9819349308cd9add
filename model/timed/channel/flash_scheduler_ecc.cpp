// Pages on their way through the ECC engines of the channels, and out of these.

#include "timed/channel/ecc.h"
#include "timed/channel/flash_scheduler.h"
#include "timed/tlm/time.h"

namespace cavern {

/// The data of a program are in the channel at `at`. The encoder takes them then, and not before:
/// others may come first.
void FlashScheduler::encode(std::uint32_t index, TimePs at) {
    Op& op = ops_[index];
    if (at > now_ps()) {
        op.data = DataState::kAsked;
        schedule(at, Event::kEncode, index);
        return;
    }
    op.data = DataState::kComing;
    op.data_at = ecc_->encode(geometry_.channel_of(op.die), geometry_.page_bytes, now_ps());
}

/// A page read leaves the channel.
void FlashScheduler::hand_over(std::uint32_t index) {
    let_go(ops_[index].held, ops_[index].held_writer);
    if (ops_[index].feeds != kNil) {
        const OpHandle read{index};
        Op& program = ops_[ops_[index].feeds];
        // What the controller makes anew is not lost: the model keeps the map.
        program.lost = ops_[index].lost && !program.flash.rewrites;
        const TimePs at =
            program.flash.copies
                ? client_.store_copied_page(read, ops_[index].copy_page)
                : client_.store_rest(read, program.context, ops_[index].flash.wanted());
        if (at != kNever) {
            data_stored(read, at);
        }
        return; // completes when the page is stored
    }
    if (ops_[index].host_read) {
        if (data_ != nullptr) {
            data_->stage(index, ops_[index].context, ops_[index].flash.page);
        }
        ops_[index].lost ? client_.host_page_lost(ops_[index].context)
                         : client_.host_page_read(ops_[index].context);
    }
    done(index);
}

/// The page is out.
void FlashScheduler::decode(std::uint32_t index) {
    Op& op = ops_[index];
    const DieState& die = dies_[raw(op.die)];
    Ecc::PageRead page{geometry_.channel_of(op.die), op.flash.page, 0,
                       geometry_.page_bytes,         op.attempt,    false};
    if (column_change_) {
        page.from_register = die.channel->command(die.slot).from_register;
        if (op.bytes != 0) {
            page.offset = op.from;
            page.bytes = op.bytes;
        }
    }
    const Ecc::Outcome outcome = ecc_->read(page, now_ps());
    op.again = outcome.again;
    op.lost = outcome.lost;
    if (outcome.stale) {
        client_.page_is_stale(page.page);
    }
    if (outcome.at == now_ps()) {
        decoded(index);
    } else {
        schedule(outcome.at, Event::kDecoded, index);
    }
}

/// What could not be corrected queues as any read.
void FlashScheduler::decoded(std::uint32_t index) {
    Op& op = ops_[index];
    if (!op.again) {
        hand_over(index);
        return;
    }
    ++op.attempt;
    if (load_ != nullptr) {
        load_->again(op.die, op.flash.origin == Origin::kHost);
    }
    append(reads_for(op), index);
    try_start(op.die);
}

void FlashScheduler::programmed(const Op& op) {
    const bool lost = op.lost || (ecc_->errs() && op.flash.origin == Origin::kHost &&
                                  client_.holds_lost_page(op.context));
    ecc_->programmed(op.flash.page, lost, now_ps());
}

} // namespace cavern
