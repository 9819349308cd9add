#pragma once

#include <cstdint>
#include <vector>

#include "core/base/die_load.h"
#include "core/base/geometry.h"
#include "core/base/units.h"
#include "core/ftl/flash_op.h"

namespace cavern {

class StateArchive;

/// Times that the execution-time measure uses. Indexed by page type as in the part file.
struct ArrayTimes {
    std::vector<TimePs> t_r;
    std::vector<TimePs> t_prog; ///< of word lines that are programmed in one shot, one
    TimePs t_bers = 0;
    TimePs page_transfer = 0; ///< page (mapping unit) and spare bytes on the bus, without cycles
    /// So many programs of one page index in different planes of a die run as one.
    std::uint32_t max_group = 1;
    bool column_change = false; ///< mapping units of one NAND page read in a row take one tR
    TimePs slc_t_r = 0;         ///< of blocks in SLC mode
    TimePs slc_t_prog = 0;
};

/// Execution time in the sense of CAVE (SAC'11, section 5): time the flash array needs for page
/// writes and collection, dies working in parallel and dies of a channel sharing its bus, batches
/// one after the other, buffer time not counted. A batch is what the core decided in one eviction
/// event. Independent of the timed shell: a mini-schedule on an idle array, in which a channel's
/// bus always goes to the die that can use it first, and a die does its part in the order decided.
/// Example, 8 channels x 4 ways, tPROG 200 us, transfer 63.36 us: 32 single pages on 32 dies take
/// 4 * 63.36 + 200 = 453.44 us.
///
/// On drives with multi-plane programs, programs of one page index in different planes run as one,
/// their data one after the other, and the copy of a page from another die waits for its read. The
/// paper's measure, of drives without, knows neither. A group is found as the flash scheduler finds
/// it: a program passes up to 16 programs and erases of its die, none of its block, and reads but
/// its own.
class ExecutionTime {
  public:
    ExecutionTime(const Geometry& geometry, ArrayTimes times);

    void add(const FlashOpList& batch) {
        if (batch.size() == 1 && only_program_ != 0 && is_host_program(batch.front())) {
            write_ += only_program_;
            total_ += only_program_;
        } else {
            add_any(batch);
        }
    }

    [[nodiscard]] TimePs write_time() const { return write_; } ///< host programs alone
    [[nodiscard]] TimePs gc_time() const { return total_ - write_; }
    [[nodiscard]] TimePs total() const { return total_; }
    /// All that are not host programs, each by the time it takes on a die alone, added up: what
    /// they would take if none ran beside another. So CAVE counts collection (Figure 2): a copy by
    /// tR, tPROG and two transfers, an erase by tBERS.
    [[nodiscard]] TimePs gc_time_sum() const { return gc_sum_; }
    void reset() { write_ = total_ = gc_sum_ = 0; }

    /// What the batch costs by the measure of StripeCosts, in the same mini-schedule. A host page
    /// waits for its die until that has finished what lies before the page, and a die is idle when
    /// it has finished its part of the batch.
    [[nodiscard]] StripeCosts costs(const FlashOpList& batch);
    void serialize(StateArchive& archive);

  private:
    void add_any(const FlashOpList& batch);
    [[nodiscard]] static bool is_host_program(const FlashOp& op) {
        return op.kind == FlashOpKind::kProgram && op.origin == Origin::kHost;
    }
    [[nodiscard]] TimePs read_time(Ppn page) const;
    [[nodiscard]] TimePs program_time(const FlashOp& op) const;
    /// The operation is of the last mapping unit of its NAND page, or word line.
    [[nodiscard]] bool completes_page(const FlashOp& op) const {
        return (raw(op.page) + 1) % geometry_.units_per_program(op.page) == 0;
    }
    /// What the read would wait for is in the page register.
    [[nodiscard]] bool is_in_register(const FlashOp& before, const FlashOp& read) const {
        return times_.column_change && before.kind == FlashOpKind::kRead &&
               raw(before.page) / geometry_.units_per_page ==
                   raw(read.page) / geometry_.units_per_page;
    }
    [[nodiscard]] TimePs time_on_die(const FlashOp& op) const;
    /// What every program takes on a die alone; 0 where that depends on the page.
    [[nodiscard]] TimePs same_for_all_programs() const;
    [[nodiscard]] TimePs makespan(const FlashOpList& batch, bool host_only);
    /// A die with its part of the batch.
    struct Die {
        std::vector<std::uint32_t>* queue; ///< indices into the batch
        std::uint32_t channel;
        std::size_t next = 0;
        TimePs free = 0;
        TimePs wants_bus = kNever;
    };
    /// Appends the dies of a channel that have work.
    void enlist(std::uint32_t channel);
    /// Plays the dies enlisted and takes them off the list; returns when the last is done.
    [[nodiscard]] TimePs play(const FlashOpList& batch);
    /// Runs a die up to its next need of the bus.
    void advance(Die& die, const FlashOpList& batch) const;
    /// Whether the operation is a copy from another die.
    [[nodiscard]] bool comes_from_afar(const FlashOp& op, DieId die) const {
        return op.copies && op.after != FlashOp::kNone &&
               die_of_[static_cast<std::size_t>(op.after)] != die;
    }
    /// Moves the programs that run with the die's next one up behind it; returns how many run.
    std::size_t form_group(const Die& die, const FlashOpList& batch) const;
    /// Whether a program's data are there when the die has the bus; reads of the die from number
    /// `unread` of the batch on are still to come.
    [[nodiscard]] bool has_data(const Die& die, const FlashOpList& batch, std::uint32_t index,
                                std::uint32_t unread) const;

    Geometry geometry_;
    ArrayTimes times_;
    TimePs only_program_;
    TimePs write_ = 0;
    TimePs total_ = 0;
    TimePs gc_sum_ = 0;
    std::vector<std::vector<std::uint32_t>> queue_; ///< scratch, per die
    std::vector<std::uint32_t> channels_used_;
    std::vector<bool> channel_seen_;
    std::vector<DieId> die_of_;     ///< by operation of the batch
    std::vector<TimePs> read_done_; ///< by operation; kept where copies come from afar
    bool from_afar_ = false;
    std::vector<Die> dies_;
    std::vector<TimePs> bus_free_;    ///< per channel
    std::vector<TimePs> host_starts_; ///< of the latest makespan(): host pages, their die free
    std::vector<TimePs> die_ends_;    ///< of it: dies with work
};

} // namespace cavern
