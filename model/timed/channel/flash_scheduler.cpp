#include "timed/channel/flash_scheduler.h"

#include "core/base/check.h"
#include "timed/channel/cache_lane.h"
#include "timed/tlm/time.h"

namespace cavern {

std::uint64_t FlashScheduler::check_idle() const {
    CAVERN_CHECK(outstanding() == 0, "every flash operation submitted has completed");
    return queues_.check_idle();
}

// ---- dies ---------------------------------------------------------------------------------------

void FlashScheduler::operation_finished(DieId id) {
    DieQueue& die = queues_.die(id);
    if (!queues_.plain()) {
        die.ends();
        die.keep_contents(false);
    }
    die.complete_running([this](OpId op) { complete(op); });
    die.ended();
    queues_.look_at(id);
}

void FlashScheduler::page_out(DieId id, std::uint32_t which) {
    // The others are still to come out, so the die stays busy.
    DieQueue& die = queues_.die(id);
    const OpId op = die.take_running(which);
    transfers_.keep(op, die.command().contents[which]);
    complete(op);
}

void FlashScheduler::operation_latched(DieId id) {
    queues_.look_at(id);
}

void FlashScheduler::operation_suspended(DieId id) {
    queues_.die(id).suspended();
    queues_.look_at(id);
}

bool FlashScheduler::next_read(DieId id) {
    return queues_.die(id).cache().next_read();
}

bool FlashScheduler::cached_read_out(DieId id) {
    go_on_behind(id);
    return queues_.die(id).cache().choose_next_read();
}

void FlashScheduler::cache_free(DieId id) {
    queues_.die(id).cache().open();
    queues_.look_at(id);
}

void FlashScheduler::program_finished(DieId id) {
    go_on_behind(id);
    if (rules_.suspend.any()) {
        queues_.look_at(id); // for reads that could not suspend the program before
    }
}

void FlashScheduler::go_on_behind(DieId id) {
    DieQueue& die = queues_.die(id);
    if (rules_.load != nullptr) {
        rules_.load->ended(id);
    }
    die.keep_contents(true);
    die.complete_running([this](OpId op) { complete(op); });
    die.cache().go_on();
}

// ---- completion ---------------------------------------------------------------------------------

/// The array has ended with it; of a read, it is out of the die.
void FlashScheduler::complete(OpId id) {
    const Op& op = graph_[id];
    switch (op.flash.kind) {
    case FlashOpKind::kRead:
        if (queues_.plain() || transfers_.decode(id, queues_.die(op.die).reads_register())) {
            hand_over(id);
        }
        break;
    case FlashOpKind::kProgram:
        programmed(id);
        break;
    case FlashOpKind::kErase:
        transfers_.erased(rules_.geometry.block_of(op.flash.page));
        done(id);
    }
}

void FlashScheduler::programmed(OpId id) {
    if (graph_.end_program(id)) {
        for (std::uint32_t die = 0; die < queues_.dies().size(); ++die) {
            if (DieId{die} != graph_[id].die) { // that one is looked at when it is ready
                queues_.look_at(DieId{die});
            }
        }
    }
    graph_.set_programmed(id);
    if (!queues_.plain()) {
        transfers_.programmed(id);
    }
    if (graph_[id].flash.origin == Origin::kHost) {
        client_.host_page_programmed(graph_[id].context);
    }
    queues_.look_at(graph_.let_go(id));
    if (graph_[id].in_die) {
        const OpId read = graph_[id].source;
        queues_.look_at(graph_.let_go(read));
        done(read);
    }
    done(id);
}

/// A page read leaves the channel; or it is read again, if it could not be corrected.
void FlashScheduler::hand_over(OpId id) {
    if (graph_[id].again) {
        Op& op = graph_[id];
        ++op.attempt;
        if (rules_.load != nullptr) {
            rules_.load->again(op.die, op.flash.origin == Origin::kHost);
        }
        queues_.queue_read(id);
        queues_.look_at(op.die);
        return;
    }
    queues_.look_at(graph_.let_go(id));
    if (graph_[id].feeds != kNoOp) {
        const TimePs at = transfers_.store(id);
        if (at != kNever) {
            data_stored(id, at);
        }
        return; // completes when the page is stored
    }
    if (graph_[id].host_read) {
        transfers_.deliver_to_host(id);
    }
    done(id);
}

void FlashScheduler::done(OpId id) {
    for (OpId next = graph_.free_dependent(id); next != kNoOp; next = graph_.free_dependent(id)) {
        if (graph_[next].flash.kind == FlashOpKind::kRead && !graph_[next].awaits_page) {
            queues_.queue_read(next);
        }
        queues_.die(graph_[next].die).look_again();
        queues_.look_at(graph_[next].die);
    }
    ++completed_;
    const DieId die = graph_[id].die;
    const std::uint32_t awaited_by = graph_[id].awaited_by;
    graph_.remove(id);
    if (rules_.load != nullptr) {
        rules_.load->completed(die);
        if (rules_.load->idle_dies() != 0) {
            client_.die_idle();
        }
    }
    if (awaited_by != kNobody) {
        client_.operation_done(awaited_by);
    }
}

void FlashScheduler::data_stored(OpId op, TimePs at) {
    if (at <= now_ps()) {
        done(op);
    } else {
        transfers_.schedule(at, FlashEvent::kDataStored, raw(op));
    }
}

void FlashScheduler::data_ready(OpId op, TimePs at) {
    transfers_.comes(op, at);
    queues_.look_at(graph_[op].die);
}

void FlashScheduler::on_event(std::uint64_t what) {
    const auto index = static_cast<std::uint32_t>(what);
    switch (static_cast<FlashEvent>(what >> 32)) {
    case FlashEvent::kDataReady:
        graph_[OpId{index}].data = DataState::kReady;
        queues_.look_at(graph_[OpId{index}].die);
        break;
    case FlashEvent::kDataStored:
        done(OpId{index});
        break;
    case FlashEvent::kEncode:
        data_ready(OpId{index}, now_ps());
        break;
    case FlashEvent::kDecoded:
        hand_over(OpId{index});
        break;
    case FlashEvent::kMaySuspend:
        queues_.die(DieId{index}).may_suspend();
        queues_.look_at(DieId{index});
        break;
    }
}

} // namespace cavern
