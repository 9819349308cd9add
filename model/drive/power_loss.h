#pragma once

#include "config/drive_plan.h"
#include "core/recovery/power_cuts.h"
#include "timed/host/host_interface.h"

namespace cavern {

/// What recovery of this drive goes by.
[[nodiscard]] RecoveryParams recovery_params(const DrivePlan& config);
/// Cuts of a run without time (power_loss.cuts).
[[nodiscard]] PowerCuts::Params power_cut_params(const DrivePlan& config);

/// Tells the oracle of each answer, in a run with time.
class AnswerLog final : public RequestLogIf {
  public:
    /// `next`, which may be null, hears of them as well. `buffered`: the drive has a write buffer.
    AnswerLog(VersionOracle& oracle, bool buffered, RequestLogIf* next)
        : oracle_(oracle), buffered_(buffered), next_(next) {}
    void completed(const CompletedRequest& request) override;
    void statistics_restarted() override {
        if (next_ != nullptr) {
            next_->statistics_restarted();
        }
    }

  private:
    VersionOracle& oracle_;
    bool buffered_;
    RequestLogIf* next_;
};

} // namespace cavern
