#include "timed/host/nvme_transport.h"

#include <algorithm>

#include "core/base/check.h"

namespace cavern {

NvmeTransport::NvmeTransport(EventQueue& events, const Params& params)
    : events_(events), params_(params), link_(params.link), arbiter_(params.arbiter),
      down_(link_.packet_time(1, params.link.max_payload)), up_(down_) {
    const auto queues = static_cast<std::uint32_t>(params.arbiter.classes.size());
    for (std::uint32_t queue = 0; queue < queues; ++queue) {
        queues_.push_back({SubmissionQueue(params.queue_depth),
                           CompletionQueue(params.queue_depth, params.interrupt_threshold), 0});
    }
    waiting_.assign(queues, 0);
    room_.assign(queues, params.fetch_limit == 0 ? params.slots : params.fetch_limit);
    statistics_.resize(queues);
    fetched_.resize(params.slots + 1);
}

// ---- host: submission ---------------------------------------------------------------------------

bool NvmeTransport::may_issue(const HostRequest&) {
    return turn_to(turn_);
}

void NvmeTransport::issue(tlm::tlm_generic_payload& command, HostCommandExtension& extension) {
    const std::uint32_t queue = turn_;
    QueuePair& pair = queues_[queue];
    extension.queue = queue;
    if (commands_.size() <= extension.tag) {
        commands_.resize(extension.tag + 1);
    }
    commands_[extension.tag] = {&command, &extension, false};
    if (pair.submission.rung()) {
        to_ring_.push_back(queue);
    }
    pair.submission.push(extension.tag);
    ++pair.outstanding;
    find_room();
}

/// The next queue in turn that has room; if none has, the one that makes room first.
void NvmeTransport::find_room() {
    const auto queues = static_cast<std::uint32_t>(queues_.size());
    for (std::uint32_t seen = 0; seen < queues; ++seen) {
        turn_ = turn_ + 1 == queues ? 0 : turn_ + 1;
        if (queues_[turn_].outstanding < params_.queue_depth) {
            return;
        }
    }
}

void NvmeTransport::issued() {
    if (draining_) {
        return; // one doorbell for all that the interrupt brings about
    }
    for (const std::uint32_t queue : to_ring_) {
        SubmissionQueue& submission = queues_[queue].submission;
        submission.ring();
        schedule(send(down_, now_ps() + params_.turnaround, kDoorbellBytes), Event::kDoorbell,
                 queue, submission.tail());
    }
    to_ring_.clear();
}

// ---- controller: fetching -----------------------------------------------------------------------

void NvmeTransport::doorbell_here(std::uint32_t queue, std::uint32_t tail) {
    queues_[queue].submission.told(tail);
    waiting_[queue] = std::min(queues_[queue].submission.waiting(), room_[queue]);
    fetch();
}

void NvmeTransport::fetch() {
    while (slots_used_ < params_.slots) {
        const NvmeArbiter::Choice choice = arbiter_.choose(waiting_, params_.slots - slots_used_);
        if (choice.commands == 0) {
            return;
        }
        const TimePs here = read_from_host(std::uint64_t{choice.commands} * kEntryBytes);
        for (std::uint32_t i = 0; i < choice.commands; ++i) {
            const std::uint32_t tag = queues_[choice.queue].submission.pop();
            fetched_[fetched_tail_] = tag;
            fetched_tail_ = fetched_tail_ + 1 == fetched_.size() ? 0 : fetched_tail_ + 1;
            schedule(here, Event::kFetched, 0, tag);
        }
        waiting_[choice.queue] -= choice.commands;
        room_[choice.queue] -= choice.commands;
        slots_used_ += choice.commands;
    }
}

void NvmeTransport::fetched(std::uint32_t tag) {
    const tlm::tlm_generic_payload& payload = *commands_[tag].payload;
    const RequestOp op = commands_[tag].extension->op;
    std::uint64_t more = 0;
    if (op == RequestOp::kTrim) {
        more =
            kRangeBytes * std::max<std::uint64_t>(
                              1, (commands_[tag].extension->bytes + kMostRange - 1) / kMostRange);
    } else if (moves_data(op)) {
        more = kPrpEntryBytes *
               prp_shape(payload.get_address(), payload.get_data_length(), params_.memory_page)
                   .list_entries;
    }
    if (more != 0) {
        schedule(read_from_host(more), Event::kReady, 0, tag);
        return;
    }
    commands_[tag].ready = true;
    hand_over();
}

/// Commands in the order fetched, so that what the device decides does not depend on their lists.
void NvmeTransport::hand_over() {
    while (fetched_head_ != fetched_tail_ && commands_[fetched_[fetched_head_]].ready) {
        const std::uint32_t tag = fetched_[fetched_head_];
        commands_[tag].ready = false;
        fetched_head_ = fetched_head_ + 1 == fetched_.size() ? 0 : fetched_head_ + 1;
        client_->command_here(*commands_[tag].payload);
    }
}

// ---- the link -----------------------------------------------------------------------------------

/// A write of a few bytes.
TimePs NvmeTransport::send(LinkDirection& direction, TimePs from, std::uint64_t bytes) {
    return direction.control(now_ps(), from, link_.packet_time(1, bytes));
}

/// Entries or lists: when they are in the controller.
TimePs NvmeTransport::read_from_host(std::uint64_t bytes) {
    const TimePs now = now_ps();
    const TimePs asked = up_.control(now, now, link_.request_time(0, bytes));
    return down_.control(now, asked + params_.memory_latency, link_.data_time(0, bytes));
}

TimePs NvmeTransport::move_data(const Transfer& transfer) {
    const TimePs now = now_ps();
    const TimePs taken = link_.data_time(transfer.address, transfer.bytes);
    if (transfer.direction == MoveDirection::kWrite) {
        return up_.data(now, now, taken);
    }
    const TimePs asked =
        up_.control(now, now, link_.request_time(transfer.address, transfer.bytes));
    return down_.data(now, asked + params_.memory_latency, taken);
}

// ---- completion ---------------------------------------------------------------------------------

void NvmeTransport::answered(tlm::tlm_generic_payload&, HostCommandExtension& extension) {
    schedule(send(up_, now_ps(), kCompletionBytes), Event::kPosted, 0, extension.tag);
    --slots_used_;
    const std::uint32_t queue = extension.queue;
    ++room_[queue];
    waiting_[queue] = std::min(queues_[queue].submission.waiting(), room_[queue]);
    fetch();
}

void NvmeTransport::posted(std::uint32_t tag) {
    const std::uint32_t queue = commands_[tag].extension->queue;
    CompletionQueue& completion = queues_[queue].completion;
    switch (completion.post(tag)) {
    case CompletionQueue::Signal::kInterrupt:
        interrupt(queue);
        break;
    case CompletionQueue::Signal::kTimer:
        schedule(now_ps() + params_.interrupt_time, Event::kTimer, queue, completion.aggregation());
        break;
    case CompletionQueue::Signal::kNothing:
        break;
    }
}

void NvmeTransport::interrupt(std::uint32_t queue) {
    schedule(send(up_, now_ps(), kInterruptBytes), Event::kInterrupted, queue, 0);
}

/// The host takes what has been posted; an interrupt may find that one before it has taken all.
void NvmeTransport::interrupted(std::uint32_t queue) {
    QueuePair& pair = queues_[queue];
    if (pair.completion.empty()) {
        return;
    }
    static_cast<void>(send(down_, now_ps(), kDoorbellBytes));
    draining_ = true;
    for (const std::uint32_t tag : pair.completion.take()) {
        const Command& command = commands_[tag];
        const bool was_full = queues_[turn_].outstanding == params_.queue_depth;
        --pair.outstanding;
        if (was_full) {
            turn_ = queue;
        }
        QueueStatistics& statistics = statistics_[queue];
        ++statistics.requests;
        statistics.bytes += command.payload->is_read() || command.payload->is_write()
                                ? command.payload->get_data_length()
                                : 0;
        client_->command_done(*command.payload);
    }
    draining_ = false;
    issued();
}

// ---- events -------------------------------------------------------------------------------------

void NvmeTransport::schedule(TimePs at, Event event, std::uint32_t high, std::uint32_t low) {
    events_.schedule(at, *this,
                     std::uint64_t{static_cast<std::uint8_t>(event)} << 56 |
                         std::uint64_t{high} << 32 | low);
}

void NvmeTransport::on_event(std::uint64_t what) {
    const auto low = static_cast<std::uint32_t>(what);
    const auto high = static_cast<std::uint32_t>(what >> 32 & 0xFF'FFFF);
    switch (static_cast<Event>(what >> 56)) {
    case Event::kDoorbell:
        doorbell_here(high, low);
        break;
    case Event::kFetched:
        fetched(low);
        break;
    case Event::kReady:
        commands_[low].ready = true;
        hand_over();
        break;
    case Event::kPosted:
        posted(low);
        break;
    case Event::kTimer:
        if (queues_[high].completion.time_over(low)) {
            interrupt(high);
        }
        break;
    case Event::kInterrupted:
        interrupted(high);
        break;
    }
}

void NvmeTransport::reset_statistics() {
    std::fill(statistics_.begin(), statistics_.end(), QueueStatistics{});
}

std::uint64_t NvmeTransport::check_idle() const {
    for (const QueuePair& pair : queues_) {
        CAVERN_CHECK(pair.submission.empty() && pair.completion.empty() && pair.outstanding == 0,
                     "every queue pair is empty");
    }
    CAVERN_CHECK(slots_used_ == 0 && fetched_head_ == fetched_tail_,
                 "the controller holds no command");
    return queues_.size() + 1;
}

} // namespace cavern
