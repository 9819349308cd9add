#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/die_load.h"
#include "core/base/geometry.h"
#include "core/data/data_path.h"
#include "core/parts/discipline.h"
#include "core/parts/nand_timing.h"
#include "timed/channel/op_queue.h"
#include "timed/channel/page_registers.h"
#include "timed/channel/page_transfers.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern {

class CacheLane;

/// Names an operation, or a unit of one, in the command; of a page of `page_bytes`.
void fill(NandExtension& command, std::uint32_t place, const Op& op, std::uint32_t page_bytes);

/// What the queues of all dies go by. Outlives them.
struct DieRules {
    Geometry geometry;
    Discipline discipline = Discipline::kReadFirst;
    std::array<std::uint32_t, 3> together{1, 1, 1}; ///< operations of a FlashOpKind start as one
    bool column_change = false;
    bool copies_in_die = false;
    NandSuspend suspend;
    NandCache cache;
    TimePs write_limit = 0; ///< see FlashQueues::Params
    DieLoad* load = nullptr;
    DataPath* data = nullptr;

    /// Operations start one by one, and nothing else is to be thought of.
    [[nodiscard]] bool plain() const {
        return together == std::array<std::uint32_t, 3>{1, 1, 1} && geometry.units_per_page == 1 &&
               geometry.word_line_pages == 1 && !column_change && !copies_in_die &&
               !suspend.any() && !cache.any() && load == nullptr && data == nullptr;
    }
    [[nodiscard]] std::uint32_t max_together(FlashOpKind kind) const {
        return together[static_cast<std::size_t>(kind)];
    }
};

/// What a die starts next. Programs and erases start in submission order, but that a program may
/// join the first one of its queue, and any may start before an erase that waits, past others that
/// are not of its block: pages of a block stay in order and a program never starts before the erase
/// of its block completed.
///
/// Reads of the host, and those of its look-ups, start before other reads of their die
/// (Discipline::kReadFirst). Collection goes on when the host stops reading: nothing else keeps its
/// reads back.
///
/// Programs of one page index in several planes of a die, near each other in its queue and with
/// data at hand, start as one multi-plane program; and so do reads, and erases of any blocks.
/// Mapping units of one NAND page (Geometry::units_per_page), and the pages of a word line that is
/// programmed in one shot, are programmed together, when all are decided and their data at hand.
/// With `column_change` a read takes what the page register still holds from there.
///
/// With Discipline::kReadFirst a program or erase in the array makes room for reads of the host, if
/// the part can suspend it: not before the array has worked on it for a while, no oftener than the
/// part allows, and not when it ends about as soon. It goes on when the host waits for no read of
/// the die. Where `write_limit` is given, reads go first only so long: then the next program or
/// erase that is ready has its turn.
class DieQueue {
  public:
    DieQueue(const DieRules& rules, DieId id, OpGraph& graph, PageTransfers& transfers);
    ~DieQueue();

    void connect(FlashChannelIf& channel, std::uint32_t slot);

    void add_read(OpId id) {
        const bool first = graph_[id].urgent && rules_.discipline == Discipline::kReadFirst;
        (first ? host_reads_ : reads_).append(id);
    }
    void add_write(OpId id) {
        writes_.append(id);
        look_again();
    }
    /// Of an operation of the queue of programs and erases: it waits no longer, or has got a unit.
    void look_again() { fetched_from_ = kNoOp; }
    /// The die starts what it can, or makes room for it. Returns whether pages of the SDRAM have
    /// come free for other copies. `kPlain`: DieRules::plain().
    template <bool kPlain>
    bool look();

    // ---- what the channel tells
    /// Calls `complete` with what runs, one by one.
    template <typename Complete>
    void complete_running(Complete complete) {
        while (!running_.empty()) {
            const OpId id = running_.back();
            running_.pop_back();
            if (id != kNoOp) {
                complete(id);
            }
        }
    }
    /// What is left of a read has come out; of what was ahead, if the cache register has it.
    void keep_contents(bool ahead) const;
    /// One of a read of several.
    OpId take_running(std::uint32_t which);
    [[nodiscard]] NandExtension& command() { return channel_->command(slot_); }
    [[nodiscard]] bool reads_register() {
        return registers_ != nullptr && command().what == NandCommand::kRegisterRead;
    }
    /// The array has ended: ended() follows when all is complete. The die stays busy meanwhile:
    /// what becomes ready by one completion must not start, and so be among the running, before the
    /// others are complete.
    void ends();
    void ended();
    void suspended();
    void may_suspend() { alarmed_ = false; }
    /// Only where the part has a cache register.
    [[nodiscard]] CacheLane& cache() { return *cache_; }

    /// See FlashQueues::occupied().
    [[nodiscard]] TimePs occupied() const { return occupied_; }
    void reset_statistics();
    void check_idle() const;

  private:
    friend class CacheLane;
    using Place = OpQueue::Place;

    template <bool kPlain>
    Place fetch_ahead();
    Place fetch_group_ahead();
    [[nodiscard]] Place next_write() const;
    [[nodiscard]] bool write_is_ready(const Op& op) const {
        return !op.waits && !graph_.is_held(op) &&
               (op.flash.kind == FlashOpKind::kErase || transfers_.are_ready(op));
    }
    [[nodiscard]] bool awaits_partners(OpId first);
    bool look_while_busy();
    [[nodiscard]] OpQueue& first_reads() { return host_reads_.empty() ? reads_ : host_reads_; }
    /// Reads that wait start before the program or erase that could.
    [[nodiscard]] bool reads_go_first(const OpQueue& reads, const Place& next) {
        const bool first =
            rules_.discipline == Discipline::kReadFirst && !reads_have_had_their_time();
        return first || graph_[reads.head()].sequence < graph_[next.id].sequence;
    }
    [[nodiscard]] bool reads_have_had_their_time();
    template <typename Take>
    void look_for_partners(const OpQueue& queue, OpId first, Take take) const;
    template <bool kPlain>
    bool start_read(OpQueue& reads);
    template <bool kPlain>
    bool start_write(const Place& next);
    bool start_one(OpId id);
    bool start_running();
    void fill(NandExtension& command, const std::vector<OpId>& ops);
    void note_start(const std::vector<OpId>& ops) const;
    [[nodiscard]] bool register_holds(OpId id) const {
        return registers_ != nullptr && registers_->holds(graph_[id]);
    }
    void append_units(std::vector<OpId>& ops, OpId first) const;
    void consider_suspension();
    void resume();

    const DieRules& rules_;
    OpGraph& graph_;
    PageTransfers& transfers_;
    FlashChannelIf* channel_ = nullptr;
    std::uint32_t slot_ = 0; ///< on its channel
    DieId id_;
    OpQueue writes_; ///< programs and erases in submission order
    /// Its data, and those of what is near it, are asked for, and nothing has changed since.
    OpId fetched_from_ = kNoOp;
    // Reads that wait for nothing.
    OpQueue host_reads_; ///< of the host and its look-ups; unused under Discipline::kFifo
    OpQueue reads_;
    std::vector<OpId> running_;
    bool busy_ = false;
    TimePs since_ = 0;            ///< when it became busy, or the statistics began
    TimePs occupied_ = 0;         ///< since these began, but for the operation that runs
    TimePs write_since_ = kNever; ///< when what is ready to be written was first kept waiting
    std::unique_ptr<PageRegisters> registers_; ///< null: reads do not go by them
    // What runs may be asked to make room.
    std::vector<OpId> suspended_;
    bool suspending_ = false;       ///< that has happened
    bool alarmed_ = false;          ///< an event will ask whether it may be
    std::uint32_t suspensions_ = 0; ///< of what runs, or is suspended
    std::unique_ptr<CacheLane> cache_;
};

} // namespace cavern
