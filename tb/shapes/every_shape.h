#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/arbiter/arbiter_rules.h"
#include "core/arbiter/clocked_arbiter_if.h"
#include "tb/channel_allocator_if.h"

namespace cavern {

/// The models of one clock and one reset: those of every_arbiter.sv and every_allocator.sv.
class EveryShapeIf {
  public:
    virtual ~EveryShapeIf() = default;
    /// Resets for `half_clocks`; with 0 it is a pulse between two edges. The other inputs
    /// stay as they are. False, here and below, when a property has failed.
    virtual bool reset(std::uint32_t half_clocks) = 0;
    /// Text of the simulator since the last call: the failed property with its shape.
    virtual std::string take_messages() = 0;
    /// All signals from now on, an edge every ten time steps.
    virtual void open_waves(const std::string& path) = 0;
};

/// An arbiter of each number of ways from 1 to 16; that of n ways has the index n - 1.
class EveryArbiterIf : public EveryShapeIf {
  public:
    static constexpr std::size_t kShapes = kMaxRequesters;
    using Inputs = std::array<ArbiterInputs, kShapes>;
    using Outputs = std::array<ArbiterOutputs, kShapes>;

    /// By BusClass, for the policy weighted-round-robin.
    [[nodiscard]] virtual std::array<std::uint32_t, 3> weights(std::size_t shape) const = 0;
    /// Static: only before a reset.
    virtual void set_age_limit(std::size_t shape, std::uint32_t cycles) = 0;
    virtual bool step(const Inputs& inputs) = 0;
    /// Outputs as they stand, `index` also where the bus is free.
    [[nodiscard]] virtual Outputs outputs() const = 0;
};

class EveryAllocatorIf : public EveryShapeIf {
  public:
    static constexpr std::size_t kShapes = 17;
    using Inputs = std::array<AllocatorInputs, kShapes>;
    using Outputs = std::array<AllocatorOutputs, kShapes>;

    [[nodiscard]] virtual AllocatorShape shape(std::size_t shape) const = 0;
    virtual bool step(const Inputs& inputs) = 0;
    [[nodiscard]] virtual Outputs outputs() const = 0;
};

/// Null where the program was built without: a mutant is tried on the models it concerns. `seed`
/// decides what registers hold before reset.
std::unique_ptr<EveryArbiterIf> make_every_arbiter(ArbiterPolicy policy, std::uint64_t seed);
std::unique_ptr<EveryAllocatorIf> make_every_allocator(std::uint64_t seed);

} // namespace cavern
