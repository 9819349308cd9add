#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/run.h"
#include "config/resolved_config.h"
#include "state/saved_drive.h"

namespace cavern {

/// The saved states that a run begins with and leaves (--load-state, --save-state, --state-cache).
class RunStates {
  public:
    /// Throws UserError where the drive has what is not saved, or a file cannot be written.
    RunStates(const RunOptions& options, const ResolvedConfig& resolved, RunObserverIf* observer);

    /// Null: the drive begins as configured.
    [[nodiscard]] DriveBeginningIf* beginning() { return beginning_.get(); }
    /// Nothing of `drive` is under way.
    template <typename Drive>
    void save(const Drive& drive, StateKind kind = StateKind::kPlayed) {
        if (saver_) {
            saver_->save(drive.core(), drive.array(), drive.data(), drive.preconditioned(), kind);
        }
    }
    void commit() {
        if (saver_) {
            saver_->commit();
        }
    }

  private:
    std::unique_ptr<DriveBeginningIf> beginning_;
    std::optional<DriveSaver> saver_;
};

/// A run without a workload: the drive is preconditioned and saved.
[[nodiscard]] bool only_saves_state(const RunOptions& options);
int save_preconditioned(const RunOptions& options, const ResolvedConfig& resolved);

} // namespace cavern
