#include "timed/tlm/event_queue.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "timed/tlm/time.h"

namespace cavern {

namespace {

/// When the kernel does something next; kNever: nothing is pending there.
TimePs next_in_kernel() {
    const sc_core::sc_simcontext* kernel = sc_core::sc_get_curr_simcontext();
    return sc_core::sc_pending_activity(kernel)
               ? kernel_ps() + to_ps(sc_core::sc_time_to_pending_activity(kernel))
               : kNever;
}

} // namespace

/// Brings the present back to the kernel's, also when what is called throws.
struct EventQueue::BackToKernelTime {
    ~BackToKernelTime() {
        if (LocalTime::offset() != 0) {
            LocalTime::set(0);
        }
    }
};

EventQueue::EventQueue(const sc_core::sc_module_name& name) : sc_module(name) {
    KernelClock::attach();
    firsts_.fill(kNone);
    SC_HAS_PROCESS(EventQueue);
    SC_METHOD(dispatch);
    sensitive << event_;
    dont_initialize();
}

void EventQueue::schedule(TimePs at, EventHandlerIf& who, std::uint64_t what) {
    std::size_t lane = lane_for(at);
    const std::uint64_t sequence = sequence_++;
    const Event event{at, sequence, &who, what};
    bool is_first = false;
    if (lasts_[lane] <= at) {
        lasts_[lane] = at;
        is_first = lanes_[lane].append(event);
    } else {
        // Where the last event is the earliest the fewest have to make room.
        lane = static_cast<std::size_t>(std::min_element(lasts_.begin(), lasts_.end()) -
                                        lasts_.begin());
        is_first = lanes_[lane].insert(event);
    }
    if (is_first) {
        firsts_[lane] = first_of(at, sequence);
        if (firsts_[lane] < first_) {
            first_ = firsts_[lane];
            first_lane_ = lane;
            if (!dispatching_) {
                arm();
            }
        }
    }
}

/// The first lane whose last event does not come behind `at`, else the last lane. As long as none
/// gets empty the lasts descend, so that the first one leaves the most room in the others.
std::size_t EventQueue::lane_for(TimePs at) const {
    std::size_t lane = kLanes - 1;
    for (std::size_t i = kLanes - 1; i-- > 0;) {
        lane = lasts_[i] <= at ? i : lane; // no branch: many would be foretold wrong
    }
    return lane;
}

void EventQueue::remove_first() {
    Lane& lane = lanes_[first_lane_];
    lane.pop();
    if (lane.empty()) {
        firsts_[first_lane_] = kNone;
        lasts_[first_lane_] = 0;
    } else {
        firsts_[first_lane_] = first_of(lane.front().at, lane.front().sequence);
    }
    first_ = firsts_[0];
    first_lane_ = 0;
    for (std::size_t i = 1; i < kLanes; ++i) {
        const bool earlier = firsts_[i] < first_;
        first_lane_ = earlier ? i : first_lane_;
        first_ = earlier ? firsts_[i] : first_;
    }
}

void EventQueue::settle(EventHandlerIf& who, std::uint64_t what) {
    settling_.push_back({&who, what});
    if (!dispatching_) {
        asked_in_ = sc_core::sc_delta_count();
        arm();
    }
}

void EventQueue::arm() {
    arm(settling_.empty() ? next_at() : now_ps());
}

void EventQueue::arm(TimePs at) {
    if (at < armed_at_) {
        armed_at_ = at;
        notify_at(at, event_);
    }
}

void EventQueue::dispatch() {
    dispatching_ = true;
    armed_at_ = kNever;
    if (!settling_.empty() && asked_in_ != sc_core::sc_delta_count()) {
        settle_all();
    }
    const BackToKernelTime back;
    LocalTime::horizon_ = next_in_kernel();
    dispatch_instant();
    while (step_ahead()) {
        dispatch_instant();
    }
    CAVERN_CHECK(now_ps() <= next_in_kernel(),
                 "nothing was pending where the event queue ran ahead");
    dispatching_ = false;
    const TimePs next = settling_.empty() ? next_at() : now_ps();
    // The kernel's time follows even where nothing is left to dispatch.
    arm(next == kNever && LocalTime::offset() != 0 ? now_ps() : next);
}

/// What is due, and what that asks for at this instant.
void EventQueue::dispatch_instant() {
    dispatch_due();
    // With nobody else to run at this instant the next delta cycle would hold just what follows.
    while (!settling_.empty() && !others_now()) {
        settle_all();
        dispatch_due();
    }
}

bool EventQueue::others_now() const {
    return runs_ahead_ ? LocalTime::horizon_ <= now_ps()
                       : sc_core::sc_pending_activity_at_current_time();
}

/// Goes to the next event if the kernel would do nothing else on the way.
bool EventQueue::step_ahead() {
    if (!runs_ahead_ || !settling_.empty() || next_at() == kNever ||
        LocalTime::horizon_ <= next_at()) {
        return false;
    }
    if (next_at() != now_ps()) {
        LocalTime::set(next_at() - kernel_ps());
    }
    return true;
}

void EventQueue::settle_all() {
    if (settling_.empty()) {
        return;
    }
    settled_.swap(settling_);
    while (!settled_.empty()) {
        const Settling last = settled_.back();
        settled_.pop_back();
        last.who->on_event(last.what);
    }
}

void EventQueue::dispatch_due() {
    // Events scheduled by what is called, for this very time, wait for the next delta cycle.
    const First end = first_of(now_ps(), sequence_);
    while (first_ < end) {
        const Event event = lanes_[first_lane_].front();
        remove_first();
        event.who->on_event(event.what);
    }
}

bool EventQueue::Lane::append(const Event& event) {
    if (tail_ - head_ == mask_ + 1) {
        grow();
    }
    events_[tail_ & mask_] = event;
    return tail_++ == head_;
}

bool EventQueue::Lane::insert(const Event& event) {
    append(event);
    std::uint32_t place = tail_ - 1;
    for (; place != head_ && events_[(place - 1) & mask_].at > event.at; --place) {
        events_[place & mask_] = events_[(place - 1) & mask_];
    }
    events_[place & mask_] = event;
    return place == head_;
}

void EventQueue::Lane::grow() {
    std::vector<Event> larger(2 * events_.size());
    const std::uint32_t size = tail_ - head_;
    for (std::uint32_t i = 0; i < size; ++i) {
        larger[i] = events_[(head_ + i) & mask_];
    }
    events_ = std::move(larger);
    mask_ = static_cast<std::uint32_t>(events_.size()) - 1;
    head_ = 0;
    tail_ = size;
}

} // namespace cavern
