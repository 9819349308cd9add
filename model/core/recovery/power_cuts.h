#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "core/base/random.h"
#include "core/base/request_op.h"
#include "core/drive/drive_core.h"
#include "core/nand/nand_array.h"
#include "core/recovery/drain.h"
#include "core/recovery/pending_operations.h"
#include "core/recovery/recover.h"
#include "core/recovery/recovery_counters.h"
#include "core/recovery/torn.h"
#include "core/recovery/version_oracle.h"

namespace cavern {

/// Cuts the power of a drive without time, as often as one likes. It keeps the last operations that
/// the drive has decided under way (PendingOperations), so that a cut finds dies at work, and
/// answers the host when what was asked is done. After a cut a new core is built from the flash,
/// and an oracle compares what the host finds.
///
/// Virtual functions make the parts that a test breaks to see that the oracle notices.
class PowerCuts {
  public:
    struct Params {
        RecoveryParams recovery;
        std::uint32_t word_line = 1; ///< pages that share cells
        std::size_t under_way = 64;  ///< programs and erases not done, at most
        /// Stored energy ends what dies have begun, so that no page of a word line is lost.
        bool ends_programs = false;
        /// It also does what was decided, and drains the write buffer.
        bool drains = false;
        double energy = 0;               ///< for that, in joules
        DrainCosts costs;                ///< of what it does
        std::uint64_t cuts_in_mount = 0; ///< at most, while a drive comes back
        std::uint64_t seed = 1;
    };
    /// Builds a core like the one before, with the records that flash holds.
    using MakeCore = Comeback::MakeCore;

    /// The flash of the drive; it outlives this.
    PowerCuts(NandArray& array, const Params& params);
    virtual ~PowerCuts() = default;
    PowerCuts(const PowerCuts&) = delete;
    PowerCuts& operator=(const PowerCuts&) = delete;

    /// Pages have data, which outlive this. Before start().
    void keep(UntimedData& data) { data_ = &data; }
    /// The drive is as it will be at the first request.
    void start(DriveCore& core);
    /// Operations that the drive has decided.
    void add(const FlashOpList& ops) { pending_->add(ops); }
    /// A read finds the page in flash, unless its program is still under way.
    void read(Lpn lpn, Ppn page, PageVersion version);
    /// A request of the host is decided, numbered as the core was told.
    void decided(const DriveCore& core, std::uint64_t request, RequestOp op, bool fua);
    /// After a request: whether the power is to be cut now, of `most` cuts with `gap` requests
    /// between two of them in the mean.
    [[nodiscard]] bool is_due(std::uint64_t most, std::uint64_t gap) {
        return counters_.cuts < most && random_.below(gap) == 0;
    }
    /// Lets operations go on, down to the number that may be under way.
    void settle();
    /// All of them.
    void finish();
    /// The power goes, at some moment of what is under way, and comes back: the core that recovery
    /// has built and checked. Throws ModelError where it is not consistent.
    [[nodiscard]] std::unique_ptr<DriveCore> cut(DriveCore& core, const MakeCore& make_core);

    [[nodiscard]] const RecoveryCounters& counters() const { return counters_; }
    [[nodiscard]] const VersionOracle& oracle() const { return oracle_; }

  protected:
    [[nodiscard]] virtual std::unique_ptr<PendingOperations>
    make_pending(NandArray& array, std::uint32_t word_line, std::uint64_t seed) const;
    [[nodiscard]] virtual std::unique_ptr<SpareScan> make_scan(const NandArray& array,
                                                               std::uint64_t numbers) const;
    /// Whether a FLUSH is answered only when everything decided before it is done.
    [[nodiscard]] virtual bool flush_waits() const { return true; }

  private:
    /// A request that is answered when every operation with a smaller number is done.
    struct Answer {
        std::uint64_t request;
        std::uint64_t until;
        RequestOp op;
        bool durable;
    };
    void answer();
    [[nodiscard]] std::uint64_t may_be_missing() const {
        return pending_->size() + pages_torn_along(array_.geometry(), params_.word_line);
    }
    void count_log();
    /// Ends or tears what is under way, and drains the buffer.
    void lose_power(DriveCore& core);

    NandArray& array_;
    Params params_;
    UntimedData* data_ = nullptr; ///< null: none are kept
    Random random_;
    Random mounts_; ///< cuts in them
    std::unique_ptr<PendingOperations> pending_;
    VersionOracle oracle_;
    std::deque<Answer> answers_;
    RecoveryCounters counters_;
    std::shared_ptr<const MapLogContents> log_; ///< null: nothing is written of the map
};

} // namespace cavern
