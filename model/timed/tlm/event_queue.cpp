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
    SC_HAS_PROCESS(EventQueue);
    SC_METHOD(dispatch);
    sensitive << event_;
    dont_initialize();
}

void EventQueue::schedule(TimePs at, EventHandlerIf& who, std::uint64_t what) {
    Event& event = free_ != nullptr ? *free_ : *more_events();
    free_ = event.next;
    event = {turn_of(at, sequence_++), &who, what, nullptr};
    const std::uint64_t place = at >> kSlotShift;
    auto slot = static_cast<std::uint32_t>(place % kSlots);
    if ((place >> kPageShift) - (turned_to_ >> kPageShift) < 2 && place >= turned_to_) {
        hang(place, event);
    } else {
        slot = put_aside(event);
    }
    if (event.turn < first_) {
        first_ = event.turn;
        first_slot_ = slot;
        if (!dispatching_) {
            arm();
        }
    }
}

EventQueue::Event* EventQueue::more_events() {
    return &events_.emplace_back();
}

/// What is due later than the wheel reaches; or before what was taken last.
std::uint32_t EventQueue::put_aside(Event& event) {
    const std::uint64_t place = place_of(event);
    if (place < turned_to_) {
        hang(turned_to_, event);
        return static_cast<std::uint32_t>(turned_to_ % kSlots);
    }
    const std::uint64_t page = place >> kPageShift;
    if (page - (turned_to_ >> kPageShift) < kPages) {
        event.next = std::exchange(pages_[page % kPages], &event);
        waits_ |= std::uint64_t{1} << page % kPages;
        return kPage;
    }
    heap_.push(&event);
    heap_first_ = heap_.top()->turn;
    return kHeap;
}

void EventQueue::hang(std::uint64_t place, Event& event) {
    const auto index = static_cast<std::uint32_t>(place % kSlots);
    Slot& slot = slots_[index];
    if (slot.first == nullptr) {
        slot = {&event, &event};
        hangs_[index / kBits] |= std::uint64_t{1} << index % kBits;
        words_ |= std::uint32_t{1} << index / kBits;
    } else if (slot.last->turn < event.turn) {
        slot.last->next = &event;
        slot.last = &event;
    } else {
        Event** before = &slot.first;
        while ((*before)->turn < event.turn) {
            before = &(*before)->next;
        }
        event.next = *before;
        *before = &event;
    }
}

EventQueue::Event* EventQueue::take_from_wheel() {
    Slot& slot = slots_[first_slot_];
    Event* event = slot.first;
    slot.first = event->next;
    if (slot.first == nullptr) {
        const std::uint32_t word = first_slot_ / kBits;
        hangs_[word] &= ~(std::uint64_t{1} << first_slot_ % kBits);
        words_ &= ~(std::uint32_t{hangs_[word] == 0} << word);
    }
    return event;
}

EventQueue::Event* EventQueue::take_from_aside() {
    turn_to(std::max(turned_to_, std::uint64_t{next_at() >> kSlotShift}));
    if (first_slot_ == kPage) {
        first_slot_ = static_cast<std::uint32_t>(turned_to_ % kSlots);
        return take_from_wheel();
    }
    Event* event = heap_.top();
    heap_.pop();
    heap_first_ = heap_.empty() ? kNone : heap_.top()->turn;
    return event;
}

/// What waits in the page that is reached, or in the one behind it, is hung up.
void EventQueue::turn_to(std::uint64_t place) {
    turned_to_ = place;
    hang_page(place >> kPageShift);
    hang_page((place >> kPageShift) + 1);
}

void EventQueue::hang_page(std::uint64_t page) {
    const std::uint64_t bit = std::uint64_t{1} << page % kPages;
    if ((waits_ & bit) == 0) {
        return;
    }
    waits_ &= ~bit;
    Event* event = std::exchange(pages_[page % kPages], nullptr);
    while (event != nullptr) {
        Event* const next = std::exchange(event->next, nullptr);
        hang(place_of(*event), *event);
        event = next;
    }
}

void EventQueue::find_first() {
    first_slot_ = next_slot();
    if (first_slot_ == kHeap) {
        find_first_aside();
        return;
    }
    first_ = slots_[first_slot_].first->turn;
    if (heap_first_ < first_) {
        first_ = heap_first_;
        first_slot_ = kHeap;
    }
}

void EventQueue::find_first_aside() {
    first_ = heap_first_;
    if (waits_ == 0) {
        return;
    }
    // The pages from the one that is reached on, in a circle.
    const std::uint64_t from = (turned_to_ >> kPageShift) % kPages;
    const std::uint64_t behind = waits_ & ~std::uint64_t{0} << from;
    for (const Event* event =
             pages_[static_cast<std::size_t>(__builtin_ctzll(behind != 0 ? behind : waits_))];
         event != nullptr; event = event->next) {
        if (event->turn < first_) {
            first_ = event->turn;
            first_slot_ = kPage;
        }
    }
}

/// The first slot, from that of the last event taken on, in which something hangs; kHeap: none.
std::uint32_t EventQueue::next_slot() const {
    const auto lowest = [this](std::uint32_t word, std::uint64_t bits) {
        return word * kBits + static_cast<std::uint32_t>(__builtin_ctzll(bits));
    };
    const auto from = static_cast<std::uint32_t>(turned_to_ % kSlots);
    const std::uint32_t word = from / kBits;
    const std::uint64_t here = hangs_[word] & ~std::uint64_t{0} << from % kBits;
    if (here != 0) {
        return lowest(word, here);
    }
    if (words_ == 0) {
        return kHeap;
    }
    const std::uint32_t behind = words_ & ~std::uint32_t{0} << word << 1;
    const auto next = static_cast<std::uint32_t>(__builtin_ctz(behind != 0 ? behind : words_));
    return lowest(next, hangs_[next]);
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
    const Turn end = turn_of(now_ps(), sequence_);
    while (first_ < end) {
        Event* const event = first_slot_ < kSlots ? take_from_wheel() : take_from_aside();
        const std::uint64_t place = std::max(turned_to_, place_of(*event));
        if (place >> kPageShift != turned_to_ >> kPageShift) {
            turn_to(place);
        }
        turned_to_ = place;
        event->next = free_;
        free_ = event;
        find_first();
        event->who->on_event(event->what); // what it schedules may take its place
    }
}

} // namespace cavern
