#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "timed/channel/die_queue.h"

namespace cavern {

/// What the dies have to do. Operations come in, each into the graph of what waits for what
/// (OpGraph), with its data (PageTransfers), and into the queue of its die (DieQueue), which do not
/// know each other's callers: whoever makes an operation ready says which die is to be looked at,
/// and this class looks. What follows from the end of an operation is FlashScheduler's.
class FlashQueues {
  public:
    struct Params {
        Discipline discipline = Discipline::kReadFirst;
        bool multi_plane = false; ///< programs
        bool column_change = false;
        /// Of the SDRAM, for each die; at least Geometry::units_per_program().
        std::uint32_t copy_pages = 0;
        bool multi_plane_read = false;
        bool multi_plane_erase = false;
        NandSuspend suspend = {};
        /// How long what is ready to be written waits for reads; 0: as long as there are some.
        TimePs write_limit = 0;
        NandCache cache = {};
        std::uint32_t copy_backs = 0; ///< of a page in a row, in the die; 0: none
    };
    /// `owner` is told when data whose time is known are there.
    FlashQueues(const Geometry& geometry, const Params& params, FlashClientIf& client,
                EventQueue& events, EventHandlerIf& owner);

    /// Must be called for every channel before the first submission.
    void connect(ChannelId channel, FlashChannelIf& interface);
    // These before anything is submitted, too.
    /// From now on keeps `load`, which may be null, true by the time `clock` gives, and tells the
    /// client of idle dies.
    void report_to(DieLoad* load, DieLoad::Clock clock);
    /// Operations submitted from now on are of the command of the host that `deciding` names then.
    void attribute_to(const std::uint64_t& deciding) { deciding_ = &deciding; }
    /// From now on pages pass through these engines, which outlive this.
    void use(Ecc& ecc);
    /// From now on operations move data, by way of this.
    void use(DataPath& data);

    /// Enqueues what the core decided in one call, in order. `contexts[i]` is the caller's number
    /// for the data of host program i; other entries are ignored. Whoever submits leaves no NAND
    /// page or word line open: what it lacks at the end of a decision is padded.
    /// Returns the last operation; kNoOp of an empty list. `look_up`: a read of the host will wait
    /// for that one, whose reads then go before those of others as well. With `awaited_by` the
    /// client is told of the end of each (operation_done).
    OpId submit(const FlashOpList& ops, const std::vector<std::uint32_t>& contexts,
                bool look_up = false, std::uint32_t awaited_by = kNobody);
    /// Enqueues a host read of a page, which waits for `after`, an operation of the list submitted
    /// at this very moment: the last of its look-up. `bytes` of it `from` there on are
    /// wanted; 0: all.
    void submit_read(Ppn page, Lpn lpn, std::uint32_t context, OpId after = kNoOp,
                     PageVersion version = 0, std::uint32_t bytes = 0, std::uint32_t from = 0);

    /// Host reads submitted from now on, those of a command, start together. Calls nest.
    void gather() { ++gathering_; }
    void start_gathered();
    [[nodiscard]] bool gathers() const { return rules_.max_together(FlashOpKind::kRead) > 1; }
    /// Pending programs, and writes that are under way.
    [[nodiscard]] const OpGraph& graph() const { return graph_; }
    /// Time that the die has had an operation, its bus phases and the wait for them among it; what
    /// runs counts when it ends.
    [[nodiscard]] TimePs occupied(DieId die) const { return dies_[raw(die)]->occupied(); }
    void reset_statistics();
    [[nodiscard]] std::uint64_t submitted() const { return submitted_; }
    /// Throws ModelError unless every queue and table is empty. Returns facts compared.
    std::uint64_t check_idle() const;

    // For whoever ends operations.
    [[nodiscard]] const DieRules& rules() const { return rules_; }
    /// Dies do nothing that a rule could forbid (DieRules::plain), and nobody looks at what they
    /// do.
    [[nodiscard]] bool plain() const { return plain_; }
    [[nodiscard]] OpGraph& graph() { return graph_; }
    [[nodiscard]] PageTransfers& transfers() { return transfers_; }
    [[nodiscard]] const std::vector<std::unique_ptr<DieQueue>>& dies() const { return dies_; }
    [[nodiscard]] DieQueue& die(DieId id) { return *dies_[raw(id)]; }
    void queue_read(OpId id);
    /// Looks at a die, and at what gets a page of the SDRAM by what that starts. kNoDie: at none.
    void look_at(DieId die);

  private:
    OpId add(const FlashOp& flash);
    void enqueue(OpId id);
    [[nodiscard]] bool look(DieId id) {
        DieQueue& die = *dies_[raw(id)];
        return plain_ ? die.look<true>() : die.look<false>();
    }
    void grant_copy_pages(DieId die);
    OpId grant_copy_page(DieId die);

    DieRules rules_;
    bool plain_;
    OpGraph graph_;
    PageTransfers transfers_;
    std::vector<std::unique_ptr<DieQueue>> dies_;
    const std::uint64_t* deciding_ = &kNoRequest;
    std::vector<OpId> batch_;     ///< scratch: the list being submitted
    std::uint32_t gathering_ = 0; ///< calls of gather() not ended
    std::vector<DieId> gathered_; ///< dies of the reads that wait for that
    std::vector<DieId> giving_;   ///< dies whose pages of the SDRAM are given to other copies
    std::uint64_t submitted_ = 0;
};

} // namespace cavern
