#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/arbiter/arbiter_rules.h"
#include "core/arbiter/clocked_arbiter_if.h"
#include "tb/channel_allocator_if.h"

namespace cavern {

/// A functional coverage point: something that a run is worth nothing without.
struct CoverPoint {
    std::string_view name;
    bool possible = true; ///< for this shape and policy
    std::uint64_t hits = 0;
};

/// Counts what happens to one arbiter, from its ports alone.
class ArbiterCoverage {
  public:
    ArbiterCoverage(std::uint32_t ways, ArbiterPolicy policy);

    /// A life begins: out of reset, with this age limit.
    void begin(std::uint32_t age_limit);
    /// An edge with what stood before it and after it.
    void edge(const ArbiterInputs& inputs, const ArbiterOutputs& before,
              const ArbiterOutputs& after);
    /// The life ends with a reset after the last edge.
    void reset();
    [[nodiscard]] const std::vector<CoverPoint>& points() const { return points_; }

  private:
    void grant(const ArbiterInputs& inputs, const ArbiterOutputs& before,
               const ArbiterOutputs& after);
    void hit(std::size_t point, bool happened) { points_[point].hits += happened ? 1 : 0; }
    [[nodiscard]] bool waits(std::uint32_t slot) const { return ((waiting_ >> slot) & 1u) != 0; }

    std::uint32_t ways_;
    std::vector<CoverPoint> points_;
    std::uint32_t age_limit_ = 0;
    std::uint32_t last_ = 0; ///< way granted last
    std::uint32_t waiting_ = 0;
    std::array<std::uint32_t, kMaxRequesters> since_{};
    std::uint32_t time_ = 0; ///< of the edge before
    bool held_ = false;
    bool granted_ = false; ///< ever, in this life
};

/// Coverage of an allocator.
class AllocatorCoverage {
  public:
    explicit AllocatorCoverage(const AllocatorShape& shape);

    void begin() { last_ = {}; }
    void edge(const AllocatorInputs& inputs, const AllocatorOutputs& before,
              const AllocatorOutputs& after);
    void reset();
    [[nodiscard]] const std::vector<CoverPoint>& points() const { return points_; }

  private:
    void hit(std::size_t point, bool happened) { points_[point].hits += happened ? 1 : 0; }

    AllocatorShape shape_;
    std::vector<CoverPoint> points_;
    AllocatorOutputs last_; ///< the last that handed out
    bool ready_ = true;
    bool moved_ = false; ///< the pointer does not stand where reset puts it
};

} // namespace cavern
