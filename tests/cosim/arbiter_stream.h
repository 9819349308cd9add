#pragma once

#include <cstdint>

#include "core/arbiter/clocked_arbiter_if.h"
#include "core/base/random.h"

namespace cavern {

/// Constrained-random inputs for an arbiter: requesters that follow the protocol most of the time,
/// and now and then drop a request, change its class, or release a bus that nobody holds. Dense
/// enough that several requests wait at most edges; ages pass small limits; time jumps and wraps.
class ArbiterStream {
  public:
    ArbiterStream(std::uint32_t slots, std::uint64_t seed) : random_(seed), slots_(slots) {
        inputs_.time = 0u - 500'000; // the wrap comes in the middle of a long run
    }

    /// The inputs of the next edge; `outputs` are those after the last one.
    const ArbiterInputs& next(const ArbiterOutputs& outputs) {
        inputs_.request &= one_in(50) ? ~0u : ~outputs.grant;
        inputs_.time += one_in(100) ? 1 + below(1000) : 1;
        inputs_.release = outputs.valid ? one_in(4) : one_in(200);
        for (std::uint32_t slot = 0; slot < slots_; ++slot) {
            const std::uint32_t bit = 1u << slot;
            if ((inputs_.request & bit) == 0 ? one_in(2 * slots_) : one_in(500)) {
                inputs_.request ^= bit;
                inputs_.classes =
                    (inputs_.classes & ~(3u << (2 * slot))) | (below(4) << (2 * slot));
            }
        }
        return inputs_;
    }

  private:
    std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>(random_.below(bound));
    }
    bool one_in(std::uint32_t n) { return random_.below(n) == 0; }

    Random random_;
    std::uint32_t slots_;
    ArbiterInputs inputs_;
};

/// Steps `arbiter` through a stream; returns the number of edges after which the bus was held.
inline std::uint64_t run_stream(ClockedArbiterIf& arbiter, std::uint32_t slots, std::uint64_t seed,
                                std::uint64_t steps) {
    ArbiterStream stream(slots, seed);
    ArbiterOutputs outputs;
    std::uint64_t held = 0;
    for (std::uint64_t n = 0; n < steps; ++n) {
        outputs = arbiter.step(stream.next(outputs));
        held += outputs.valid ? 1 : 0;
    }
    return held;
}

} // namespace cavern
