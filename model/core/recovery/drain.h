#pragma once

#include <cstdint>

#include "core/base/geometry.h"
#include "core/data/page_contents.h"
#include "core/ftl/flash_op.h"
#include "core/nand/nand_array.h"
#include "core/recovery/drain_costs.h"
#include "core/recovery/mount_time.h"
#include "core/recovery/recovery_counters.h"

namespace cavern {

/// A drive that goes on with stored energy when its power is gone: operations are carried out on
/// the flash as long as the energy suffices, and none after the first for which it does not. A NAND
/// page is paid for with its first mapping unit.
class Drain {
  public:
    /// `contents` of the pages; null: no data are kept.
    Drain(NandArray& array, PageContents* contents, double energy, const DrainCosts& costs)
        : array_(array), contents_(contents), energy_(energy), costs_(costs) {}

    /// An operation that somebody else carries out. False: the energy does not suffice.
    [[nodiscard]] bool pay(const FlashOp& op);
    /// What a die has begun, which is programmed with `content`, or erased. False: the energy does
    /// not suffice.
    [[nodiscard]] bool end(const FlashOp& op, const PageContent& content);
    /// An operation that has been decided; of those that are done already nothing is left to do. A
    /// program that copies takes its data from the page that it supersedes, any other takes
    /// `content`.
    [[nodiscard]] bool carry_out(const FlashOp& op, const PageContent& content);
    /// What a page holds whose data `op` replaces, in part or whole.
    [[nodiscard]] PageContent superseded(const FlashOp& op) const {
        return contents_ != nullptr && op.supersedes != kNoPpn ? contents_->read(op.supersedes)
                                                               : PageContent();
    }

    [[nodiscard]] bool exhausted() const { return exhausted_; }
    /// Adds time and energy of what was done.
    void count(const MountTimes& times, RecoveryCounters& counters) const;

  private:
    void perform(const FlashOp& op, PageContent content);

    NandArray& array_;
    PageContents* contents_;
    double energy_; ///< that is left
    DrainCosts costs_;
    double used_ = 0;
    bool exhausted_ = false;
    FlashOpList ops_; ///< paid for
};

} // namespace cavern
