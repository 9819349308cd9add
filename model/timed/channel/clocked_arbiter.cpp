#include "timed/channel/clocked_arbiter.h"

#include <string>
#include <utility>

#include "core/arbiter/arbiter_rules.h"
#include "core/base/check.h"
#include "core/base/error.h"
#include "timed/tlm/time.h"

namespace cavern {

ClockedArbiter::ClockedArbiter(const sc_core::sc_module_name& name,
                               std::unique_ptr<ClockedArbiterIf> model, std::uint32_t slots,
                               TimePs period, bool gated, GrantListenerIf& listener)
    : sc_module(name), model_(std::move(model)), slots_(slots), period_(period), gated_(gated),
      listener_(listener) {
    CAVERN_CHECK(slots >= 1 && slots <= kMaxRequesters, "an arbiter of 1 to 16 slots");
    CAVERN_CHECK(period >= 1, "a clock has a period");
    SC_HAS_PROCESS(ClockedArbiter);
    SC_METHOD(tick);
    sensitive << edge_event_;
    if (gated_) {
        dont_initialize();
    } else {
        scheduled_ = true; // the kernel starts every method at time 0, which is edge 0
    }
    SC_METHOD(release_now);
    sensitive << release_event_;
    dont_initialize();
}

void ClockedArbiter::request(std::uint32_t slot, BusClass bus_class) {
    const std::uint32_t bit = 1u << slot;
    CAVERN_CHECK(slot < slots_ && ((inputs_.request | late_.request) & bit) == 0,
                 "a slot requests once, then waits");
    if (holder_ == slot) {
        release_now(); // due at this instant, but its process may still be to run
    }
    CAVERN_CHECK(!held_ || released_ || holder_ != slot,
                 "the holder releases before it requests again");
    ArbiterInputs& inputs = inputs_to_change();
    inputs.request |= bit;
    inputs.classes = with_class(inputs.classes, slot, static_cast<std::uint32_t>(bus_class));
}

void ClockedArbiter::release(std::uint32_t slot) {
    CAVERN_CHECK(held_ && !released_ && holder_ == slot, "only the holder releases the bus");
    released_ = true;
    release_due_ = kNever;
    inputs_to_change().release = true;
}

void ClockedArbiter::release_at(std::uint32_t slot, TimePs when) {
    CAVERN_CHECK(held_ && !released_ && holder_ == slot, "only the holder releases the bus");
    release_due_ = when;
    if (events_ != nullptr) {
        events_->schedule(when, *this, kRelease);
    } else {
        notify_at(when, release_event_);
    }
}

void ClockedArbiter::release_now() {
    if (release_due_ <= now_ps()) {
        release(holder_);
    }
}

void ClockedArbiter::gate() {
    gated_ = true;
}

ArbiterInputs& ClockedArbiter::inputs_to_change() {
    const TimePs now = now_ps();
    if (!scheduled_) {
        schedule(period_.divide(now) + 1);
    }
    return now < edge_time_ ? inputs_ : late_;
}

void ClockedArbiter::schedule(std::uint64_t edge) {
    edge_ = edge;
    edge_time_ = edge * period_.value();
    scheduled_ = true;
    if (events_ != nullptr) {
        events_->schedule(edge_time_, *this, kEdge);
    } else {
        notify_at(edge_time_, edge_event_);
    }
}

void ClockedArbiter::on_event(std::uint64_t what) {
    if (what == kEdge) {
        tick();
    } else {
        release_now();
    }
}

void ClockedArbiter::tick() {
    // 1. The edge.
    const bool free = !held_ || inputs_.release;
    inputs_.time = static_cast<std::uint32_t>(edge_);
    const ArbiterOutputs outputs = model_->step(inputs_);
    ++edges_;
    check_grant(outputs, free);

    // 2. The requesters' answer: release is a pulse, and a granted request is dropped.
    if (inputs_.release) {
        inputs_.release = false;
        released_ = false;
    }
    held_ = outputs.valid;
    const bool granted = free && outputs.valid;
    if (granted) {
        holder_ = outputs.index;
        inputs_.request &= ~outputs.grant;
    }

    // 3. The next edge, if anything is there to be sampled.
    const bool more = late_.request != 0 || late_.release;
    if (more) {
        merge_late_calls();
    }
    scheduled_ = false;
    if (more || !gated_) {
        schedule(edge_ + 1);
    }

    // 4. Last, because the listener may call back.
    if (granted) {
        listener_.granted(holder_);
    }
}

void ClockedArbiter::merge_late_calls() {
    for_each_slot(late_.request, [&](std::uint32_t slot) {
        inputs_.classes = with_class(inputs_.classes, slot, (late_.classes >> (2 * slot)) & 3u);
    });
    inputs_.request |= late_.request;
    inputs_.release |= late_.release;
    late_ = {};
}

void ClockedArbiter::check_grant(const ArbiterOutputs& outputs, bool free) const {
    const bool sound =
        free ? !outputs.valid || (inputs_.request & outputs.grant) == (1u << outputs.index)
             : outputs.valid && outputs.index == holder_;
    if (!sound) {
        throw ModelError(std::string(name()) + ": the arbiter " +
                         (free ? "granted a slot that does not request" : "moved a held grant") +
                         " at cycle " + std::to_string(edge_));
    }
}

} // namespace cavern
