#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/arbiter/clocked_arbiter_if.h"
#include "core/base/random.h"

namespace cavern {

/// How the requesters of a RequestStream behave.
enum class RequestShape : std::uint8_t {
    kBursty,       ///< long pauses, then many requests within a few edges
    kStarving,     ///< slot 0 asks with the least urgent class among others that never stop
    kSimultaneous, ///< all slots at one edge, and again when all have been served
    kBackToBack,   ///< who is granted asks again at once, and holds for one edge
    kLawless,      ///< requests come, go and change class, releases of a free bus, times that jump
};

struct RequestShapeRow {
    RequestShape shape;
    std::string_view name;
};

inline constexpr std::array<RequestShapeRow, 5> kRequestShapes{{
    {RequestShape::kBursty, "bursty"},
    {RequestShape::kStarving, "starving"},
    {RequestShape::kSimultaneous, "simultaneous"},
    {RequestShape::kBackToBack, "back-to-back"},
    {RequestShape::kLawless, "lawless"},
}};

/// Constrained-random inputs for an arbiter, the same for the same seed. Time begins shortly before
/// the 32-bit wrap, or where it is said.
class RequestStream {
  public:
    /// `slots` 1..16.
    RequestStream(RequestShape shape, std::uint32_t slots, std::uint64_t seed,
                  std::uint32_t start = 0u - 5000);

    /// The inputs of the next edge; `outputs` are those after the last one.
    const ArbiterInputs& next(const ArbiterOutputs& outputs);

  private:
    void bursty();
    void starving();
    void lawless(const ArbiterOutputs& outputs);
    void ask(std::uint32_t slot, std::uint32_t bus_class);
    [[nodiscard]] std::uint32_t below(std::uint32_t bound);
    [[nodiscard]] bool one_in(std::uint32_t n) { return below(n) == 0; }

    RequestShape shape_;
    std::uint32_t slots_;
    std::uint32_t all_;
    Random random_;
    ArbiterInputs inputs_;
    std::uint32_t pause_ = 0; ///< edges until the next burst
};

} // namespace cavern
