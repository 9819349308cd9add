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
        const Op& program = ops_[ops_[index].feeds];
        const TimePs at = program.flash.copies
                              ? client_.store_copied_page(read, ops_[index].copy_page)
                              : client_.store_rest(read, program.context);
        if (at != kNever) {
            data_stored(read, at);
        }
        return; // completes when the page is stored
    }
    if (ops_[index].host_read) {
        client_.host_page_read(ops_[index].context);
    }
    done(index);
}

/// The page is out.
void FlashScheduler::decode(std::uint32_t index) {
    const Op& op = ops_[index];
    const std::uint32_t bytes = column_change_ && op.bytes != 0 ? op.bytes : geometry_.page_bytes;
    const TimePs at = ecc_->decode(geometry_.channel_of(op.die), bytes, now_ps());
    if (at == now_ps()) {
        hand_over(index);
    } else {
        schedule(at, Event::kDecoded, index);
    }
}

} // namespace cavern
