#include "tb/request_stream.h"

#include "core/arbiter/arbiter_rules.h"

namespace cavern {

RequestStream::RequestStream(RequestShape shape, std::uint32_t slots, std::uint64_t seed,
                             std::uint32_t start)
    : shape_(shape), slots_(slots), all_((1u << slots) - 1), random_(seed) {
    inputs_.time = start;
}

const ArbiterInputs& RequestStream::next(const ArbiterOutputs& outputs) {
    ++inputs_.time;
    if (shape_ == RequestShape::kLawless) {
        lawless(outputs);
        return inputs_;
    }
    inputs_.request &= ~outputs.grant; // who has the bus has dropped its request
    switch (shape_) {
    case RequestShape::kBursty:
        inputs_.release = outputs.valid && one_in(3);
        bursty();
        break;
    case RequestShape::kStarving:
        inputs_.release = outputs.valid && !one_in(8);
        starving();
        break;
    case RequestShape::kSimultaneous:
        inputs_.release = outputs.valid && one_in(2);
        if (inputs_.request == 0 && (!outputs.valid || inputs_.release)) {
            for_each_slot(all_, [&](std::uint32_t slot) { ask(slot, below(3)); });
        }
        break;
    default: // back to back: also who held the bus until this edge asks at this edge
        inputs_.release = outputs.valid;
        for_each_slot(all_ & ~inputs_.request, [&](std::uint32_t slot) { ask(slot, below(3)); });
    }
    return inputs_;
}

void RequestStream::bursty() {
    if (pause_ > 0) {
        --pause_;
        return;
    }
    for_each_slot(all_ & ~inputs_.request, [&](std::uint32_t slot) {
        if (one_in(2)) {
            ask(slot, below(3));
        }
    });
    if (one_in(4)) {
        pause_ = below(8 * slots_);
        inputs_.time += below(4) * pause_; // gated: edges without a change are left out
    }
}

void RequestStream::starving() {
    if ((inputs_.request & 1u) == 0) {
        ask(0, 2);
    }
    for_each_slot(all_ & ~1u & ~inputs_.request, [&](std::uint32_t slot) {
        if (!one_in(3)) {
            ask(slot, one_in(16) ? 1 : 0);
        }
    });
}

void RequestStream::lawless(const ArbiterOutputs& outputs) {
    inputs_.request &= one_in(50) ? ~0u : ~outputs.grant;
    inputs_.time += one_in(100) ? below(1000) : 0;
    inputs_.release = outputs.valid ? one_in(4) : one_in(200);
    for (std::uint32_t slot = 0; slot < slots_; ++slot) {
        const bool asks = ((inputs_.request >> slot) & 1u) != 0;
        if (asks ? one_in(500) : one_in(2 * slots_)) {
            inputs_.request ^= 1u << slot;
            inputs_.classes = with_class(inputs_.classes, slot, below(4));
        }
    }
}

void RequestStream::ask(std::uint32_t slot, std::uint32_t bus_class) {
    inputs_.request |= 1u << slot;
    inputs_.classes = with_class(inputs_.classes, slot, bus_class);
}

std::uint32_t RequestStream::below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(random_.below(bound));
}

} // namespace cavern
