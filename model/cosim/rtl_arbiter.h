#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/arbiter/arbiter_rules.h"
#include "core/arbiter/clocked_arbiter_if.h"
#include "core/base/units.h"
#include "cosim/verilated_model.h"

namespace cavern {

/// rtl/channel_arbiter.sv with its properties, compiled by Verilator. A failing property throws
/// ModelError with the label, the cycle and the property's name. Several may live in one program.
class RtlArbiter final : public ClockedArbiterIf {
  public:
    /// `slots` 1..kMaxRequesters; `period` (ps, at least 4) places edge k at k * period in the
    /// waves; `label` names the channel in errors.
    RtlArbiter(std::unique_ptr<VerilatedModelIf> model, std::uint32_t slots, TimePs period,
               std::string label);
    ~RtlArbiter() override;

    ArbiterOutputs step(const ArbiterInputs& inputs) override;

    /// Writes all signals to an FST file from now on: edges at k * period, inputs a quarter of a
    /// period before. Gated edges are not in it: the clock stays low. Throws UserError when the
    /// file cannot be written.
    void open_waves(const std::string& path);

  private:
    [[nodiscard]] TimePs time_of(std::uint32_t edge);
    [[noreturn]] void report_failure(std::uint32_t edge);

    std::unique_ptr<VerilatedModelIf> model_;
    std::uint32_t lines_;
    std::uint32_t class_lines_;
    TimePs period_;
    std::string label_;
    bool waves_ = false;
    std::uint64_t edge_ = 0; ///< the last one, counted past 2^32
};

/// An RTL arbiter for `slots` dies. `age_limit` in cycles; `seed` decides what registers hold
/// before reset, and must not matter.
std::unique_ptr<RtlArbiter> make_rtl_arbiter(std::uint32_t slots, ArbiterPolicy policy,
                                             std::uint32_t age_limit, std::uint64_t seed,
                                             TimePs period, const std::string& label);

/// Makes the user's RTL arbiter, where the program was built with one (user_models.h). Throws
/// ModelError where it was not, or not with enough ways.
std::unique_ptr<RtlArbiter> make_user_arbiter(std::uint32_t slots, std::uint32_t age_limit,
                                              std::uint64_t seed, TimePs period,
                                              const std::string& label);

} // namespace cavern
