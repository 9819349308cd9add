#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/arbiter/clocked_arbiter_if.h"

namespace cavern {

/// Runs two arbiters on the same inputs and compares their outputs after every edge. The first
/// difference throws ModelError with the label, the cycle, the inputs, both outputs and the last 16
/// steps. Drives with the outputs of the first, normally the RTL.
class LockstepArbiter final : public ClockedArbiterIf {
  public:
    LockstepArbiter(std::unique_ptr<ClockedArbiterIf> rtl,
                    std::unique_ptr<ClockedArbiterIf> reference, std::string label);

    ArbiterOutputs step(const ArbiterInputs& inputs) override;

    [[nodiscard]] std::uint64_t compared() const override { return compared_; }
    [[nodiscard]] std::uint64_t mismatches() const override { return mismatches_; }
    /// Edges compared, with or without a grant.
    [[nodiscard]] std::uint64_t steps() const { return steps_; }

  private:
    static constexpr std::size_t kHistory = 16;
    struct Step {
        ArbiterInputs inputs;
        ArbiterOutputs rtl;
        ArbiterOutputs reference;
    };

    [[noreturn]] void report_mismatch(const Step& step) const;

    std::unique_ptr<ClockedArbiterIf> rtl_;
    std::unique_ptr<ClockedArbiterIf> reference_;
    std::string label_;
    bool held_ = false; ///< by the outputs of the step before
    std::uint64_t steps_ = 0;
    std::uint64_t compared_ = 0;
    std::uint64_t mismatches_ = 0;
    std::array<Step, kHistory> history_{}; ///< ring, step n at n % kHistory
};

} // namespace cavern
