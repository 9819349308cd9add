#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/die_load.h"
#include "core/base/divisor.h"
#include "core/base/flat_map.h"
#include "core/base/geometry.h"
#include "core/base/lazy_array.h"
#include "core/data/data_path.h"
#include "core/ftl/flash_op.h"
#include "core/parts/discipline.h"
#include "core/parts/nand_timing.h"
#include "timed/channel/copy_pages.h"
#include "timed/channel/passed_blocks.h"
#include "timed/tlm/event_queue.h"
#include "timed/tlm/flash_client_if.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern {

class Ecc;

/// Holds the operation graph and gives each die its next ready operation. Everything happens inside
/// calls, but that it waits for data whose time is known. Closed hazards:
///   - programs and erases of a die start in submission order, but that a program may join the
///     first one of its queue, and any may start before an erase that waits, past others that are
///     not of its block: pages of a block stay in order and a program never starts before the erase
///     of its block completed;
///   - a read of a page whose program is still pending (pending table) waits for that program, or,
///     if that is a copy, reads the page where the copy comes from;
///   - an erase waits until no read of what its block holds is outstanding, nor the program of what
///     supersedes it, wherever that goes: at every moment some completed operation has put each
///     page somewhere;
///   - a program that records what was decided (FlashOp::records) waits for every program submitted
///     before it, an erase for every such record submitted before it.
///
/// Reads of the host, and those of its look-ups, start before other reads of their die
/// (Discipline::kReadFirst). Collection goes on when the host stops reading: nothing else keeps its
/// reads back.
///
/// Why nobody waits in a circle. An operation waits for operations submitted before it: those ahead
/// of it in its die's queue of programs and erases, the one it names, the program of the page it
/// reads, and, for an erase, those that hold pages of its block. What supersedes a page of a block
/// was decided before the block was given up; its data may wait in the buffer, but there only for
/// frames of pages evicted before it. One kind of holder may be younger than the erase: a read that
/// was sent back to the source of a copy. It has nothing left to wait for but its die, and no read
/// queues behind an erase that waits.
///
/// A read for a copy starts when it has a page of the SDRAM for its data, of those of the program's
/// die; that page is free again when the program starts. They are given in the order of the
/// programs, to all reads of one NAND page together: the oldest program of a die that lacks one
/// waits only for older programs to start. A read waits for its page before it is sent back to the
/// source of another copy, so that it holds no block for which it could wait in a circle. The rest
/// of a page written in part needs none: it joins the page in its frame.
///
/// Programs of one page index in several planes of a die, near each other in its queue and with
/// data at hand, start as one multi-plane program; and so do reads, and erases of any blocks.
///
/// With Discipline::kReadFirst a program or erase in the array makes room for reads of the host, if
/// the part can suspend it: not before the array has worked on it for a while, no oftener than the
/// part allows, and not when it ends about as soon. It goes on when the host waits for no read of
/// the die. Where `write_limit` is given, reads go first only so long: then the next program or
/// erase that is ready has its turn.
///
/// With a cache register the die goes on with reads of the blocks that it reads, and with programs
/// of those that it programs, where nothing else comes first. Such a read passes others of its
/// queue only if it was there when the first one ended in the array: nobody waits without end.
///
/// Mapping units of one NAND page (Geometry::units_per_page) are programmed together, when all are
/// decided and their data at hand. Whoever submits leaves no page open: what a page lacks at the
/// end of a decision is padded. So are the pages of a word line that is programmed in one shot.
/// With `column_change` a read takes what the page register of its die still holds from there.
///
/// With ECC engines a page read is handed over when it is decoded, or read again, and the data of a
/// program are at hand when they are encoded. The die goes on meanwhile.
class FlashScheduler final : public NandClientIf, private EventHandlerIf {
  public:
    static constexpr std::uint32_t kNobody = 0xFFFF'FFFFu;

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
    FlashScheduler(const Geometry& geometry, const Params& params, FlashClientIf& client,
                   EventQueue& events);

    /// Must be called for every channel before the first submission.
    void connect(ChannelId channel, FlashChannelIf& interface);

    /// Enqueues what the core decided in one call, in order. `contexts[i]` is the caller's number
    /// for the data of host program i; other entries are ignored.
    /// Returns the last operation; kNoOp of an empty list. `look_up`: a read of the host will wait
    /// for that one, whose reads then go before those of others as well. With `awaited_by` the
    /// client is told of the end of each (operation_done).
    OpHandle submit(const FlashOpList& ops, const std::vector<std::uint32_t>& contexts,
                    bool look_up = false, std::uint32_t awaited_by = kNobody);
    /// Enqueues a host read of a page, which waits for `after`, an operation of the list submitted
    /// at this very moment: the last of its look-up. `bytes` of it `from` there on are
    /// wanted; 0: all.
    void submit_read(Ppn page, Lpn lpn, std::uint32_t context, OpHandle after = kNoOp,
                     PageVersion version = 0, std::uint32_t bytes = 0, std::uint32_t from = 0);

    /// Host reads submitted from now on, those of a command, start together. Calls nest.
    void gather() { ++gathering_; }
    void start_gathered();
    [[nodiscard]] bool gathers() const { return max_read_group_ > 1; }
    struct Pending {
        bool found = false;
        bool host = false; ///< `context` names the frame that still holds the whole page
        std::uint32_t context = 0;
    };
    /// The program that puts the data of `page` into flash, if it is queued or running: of `page`
    /// itself, or of what that is a copy of.
    [[nodiscard]] Pending pending_program(Ppn page) const;

    struct Write {
        FlashOp flash;
        std::uint32_t context = 0; ///< of submit()
    };
    /// Programs and erases that are queued or running, in the order submitted.
    [[nodiscard]] std::vector<Write> writes_under_way() const;

    /// The data of a program, of which the client did not know when it would be at hand, is so at
    /// time `at`, which is not past.
    void data_ready(OpHandle op, TimePs at);
    /// The same of a page read to be copied, which is stored then.
    void data_stored(OpHandle op, TimePs at);
    void operation_finished(DieId die) override;
    void page_out(DieId die, std::uint32_t which) override;
    void operation_latched(DieId die) override;
    void operation_suspended(DieId die) override;
    bool next_read(DieId die) override;
    bool cached_read_out(DieId die) override;
    void cache_free(DieId die) override;
    void program_finished(DieId die) override;

    /// From now on keeps `load`, which may be null, true by the time `clock` gives, and tells the
    /// client of idle dies; call it before anything is submitted.
    void report_to(DieLoad* load, DieLoad::Clock clock);
    /// Operations submitted from now on are of the command of the host that `deciding` names then.
    void attribute_to(const std::uint64_t& deciding) { deciding_ = &deciding; }
    /// From now on pages pass through these engines, which outlive this.
    void use(Ecc& ecc) { ecc_ = &ecc; }
    /// From now on operations move data, by way of this.
    void use(DataPath& data) { data_ = &data; }

    /// Time that the die has had an operation, its bus phases and the wait for them among it; what
    /// runs counts when it ends.
    [[nodiscard]] TimePs occupied(DieId die) const { return dies_[raw(die)].occupied; }
    void reset_statistics();
    [[nodiscard]] std::uint64_t submitted() const { return submitted_; }
    [[nodiscard]] std::uint64_t completed() const { return completed_; }
    /// Operations submitted and not completed.
    [[nodiscard]] std::uint64_t outstanding() const { return submitted_ - completed_; }
    /// Throws ModelError unless every queue and table is empty. Returns facts compared.
    std::uint64_t check_idle() const;

  private:
    static constexpr std::uint32_t kNil = 0xFFFF'FFFFu;
    static constexpr std::uint32_t kNoCopyPage = kNil;
    static constexpr std::uint64_t kNoPage = ~std::uint64_t{0};
    static constexpr std::uint64_t kProgrammed = ~std::uint64_t{0};

    /// Of the data of a program. kComing: at hand at a known time, for which no event is scheduled
    /// as long as the die is busy anyway.
    enum class DataState : std::uint8_t { kNotAsked, kAsked, kComing, kAwaited, kReady };
    enum class Event : std::uint32_t { kDataReady, kDataStored, kMaySuspend, kEncode, kDecoded };

    /// The program of a page at the time somebody looked; none if that page was in flash.
    struct Writer {
        std::uint32_t index = kNil;
        std::uint64_t sequence = 0; ///< an index is used again
    };

    struct Op {
        FlashOp flash; ///< the page of a read: where it is read, once it is routed
        DieId die{};
        std::uint32_t copy_page = kNoCopyPage; ///< of a read for a copy, and of its program
        std::uint64_t sequence = 0;         ///< of submission; kProgrammed when that has happened
        std::uint64_t request = kNoRequest; ///< that brought it
        std::uint32_t context = 0;
        std::uint32_t awaited_by = kNobody;
        std::uint32_t next = kNil;            ///< in its die's queue, or the free list
        std::uint32_t first_dependent = kNil; ///< one that waits for this one
        std::uint32_t next_dependent = kNil;  ///< of those that wait for the same one
        std::uint32_t holders = 0;            ///< of a program: those that hold its page
        std::uint32_t bytes = 0;              ///< of a read: wanted, from there on; 0: all
        std::uint32_t from = 0;
        std::uint32_t attempt = 0;      ///< of a read: it was decoded in vain so often
        std::uint32_t next_unit = kNil; ///< that is programmed with it in its plane
        std::uint32_t last_unit = kNil; ///< of the first one of those
        std::uint32_t units = 1;        ///< likewise: so many are here
        TimePs data_at = 0;             ///< kComing: when
        std::uint32_t source = kNil;    ///< the read for this copy, until that has a page
        std::uint32_t feeds = kNil; ///< of a read: the program that writes its page, or part of it
        DataState data = DataState::kNotAsked;
        bool waits = false;  ///< for another operation
        bool routed = false; ///< a read that knows where its data are
        bool host_read = false;
        bool again = false;  ///< a read that is to be done again
        bool lost = false;   ///< a read that cannot be corrected, a program of what it has read
        bool urgent = false; ///< a read that the host waits for
        bool in_die = false; ///< a copy that the die makes: what `source` names is in it
        bool awaits_page = false; ///< a read for a copy without a page of the SDRAM
        Ppn held = kNoPpn;        ///< the page that it holds
        Writer held_writer;       ///< of that page
    };

    struct Queue {
        std::uint32_t head = kNil;
        std::uint32_t tail = kNil;
    };

    /// Of an operation in its die's queue, and of the one before it, or kNil.
    struct Place {
        std::uint32_t index = kNil;
        std::uint32_t before = kNil;
    };
    struct DieState {
        Queue writes; ///< programs and erases in submission order
        // Reads that wait for nothing.
        Queue host_reads; ///< of the host and its look-ups; unused under Discipline::kFifo
        Queue reads;
        bool busy = false;
        bool suspending = false;     ///< what runs is asked to make room
        bool alarmed = false;        ///< an event will ask whether it may be
        TimePs since = 0;            ///< when it became busy, or the statistics began
        TimePs occupied = 0;         ///< since these began, but for the operation that runs
        TimePs write_since = kNever; ///< when what is ready to be written was first kept waiting
        std::vector<std::uint64_t> page_registers; ///< by plane: the NAND page that it holds
        std::vector<std::uint32_t> running;
        std::vector<std::uint32_t> suspended;
        std::vector<std::uint32_t> behind; ///< go on behind what runs, by way of the cache register
        std::uint64_t reads_since = 0;     ///< submitted before: may go on past others
        bool cache_free = false;           ///< data of a program may come in behind what runs
        std::uint32_t suspensions = 0;     ///< of what runs, or is suspended
        FlashChannelIf* channel = nullptr;
        std::uint32_t slot = 0; ///< on its channel
    };

    std::uint32_t allocate(const FlashOp& flash);
    void release(std::uint32_t index);
    void append(Queue& queue, std::uint32_t index);
    std::uint32_t pop(Queue& queue);
    /// `before` is the one before it, or kNil.
    void remove(Queue& queue, std::uint32_t index, std::uint32_t before);
    void depend(std::uint32_t index, std::uint32_t on);
    void enqueue(std::uint32_t index);
    /// A program of a NAND page, or word line, of which another unit is queued joins that one.
    bool joins_program(std::uint32_t index);
    [[nodiscard]] std::uint64_t nand_page(Ppn page) const { return raw(page) / units_per_page_; }
    [[nodiscard]] Writer writer_of(Ppn page) const;
    [[nodiscard]] bool is_pending(Writer writer) const {
        return writer.index != kNil && ops_[writer.index].sequence == writer.sequence;
    }
    [[nodiscard]] Writer trace_back(Ppn& page, Writer writer) const;
    void hold(Op& op, Ppn page, Writer writer);
    void let_go(Ppn page, Writer writer);
    void route(std::uint32_t index);
    void go_to(Op& op, Ppn page);
    void complete(std::uint32_t index);
    void hand_over(std::uint32_t index);
    void decode(std::uint32_t index);
    void decoded(std::uint32_t index);
    void programmed(const Op& op);
    void encode(std::uint32_t index, TimePs at);
    /// The data of a program are in the channel at `at`.
    void data_comes(std::uint32_t index, TimePs at) {
        if (ecc_ != nullptr) {
            encode(index, at);
        } else {
            ops_[index].data = DataState::kComing;
            ops_[index].data_at = at;
        }
    }
    /// `command` is the one that has run.
    void complete_running(DieState& die, const NandExtension& command) {
        if (data_ != nullptr) {
            take_out(die, command);
        }
        while (!die.running.empty()) {
            const std::uint32_t index = die.running.back();
            die.running.pop_back();
            if (index != kNil) {
                complete(index);
            }
        }
    }
    void take_out(const DieState& die, const NandExtension& command);
    void done(std::uint32_t index);
    void ask_for_copy_pages();
    [[nodiscard]] bool may_stay_in_die(const Op& copy) const;
    void decide_where_copied(std::uint32_t index);
    std::uint32_t grant_copy_page(CopyPages& pages);
    [[nodiscard]] bool have_copy_pages(const std::vector<std::uint32_t>& programs) const;
    void give_back_copy_pages(const std::vector<std::uint32_t>& programs, CopyPages& pages);
    void satisfy_dependents(std::uint32_t index);
    [[nodiscard]] bool write_is_ready(const Op& op) const {
        return !op.waits && !is_held(op) &&
               (op.flash.kind == FlashOpKind::kErase ||
                (op.data == DataState::kReady && (most_together_ == 1 || all_is_ready(op))));
    }
    /// All units of the NAND page, or word line, are here with their data.
    [[nodiscard]] bool all_is_ready(const Op& first) const;
    void await_data(std::uint32_t index) {
        for (; index != kNil; index = ops_[index].next_unit) {
            if (ops_[index].data == DataState::kComing) {
                await_unit(index);
            }
        }
    }
    void await_unit(std::uint32_t index);
    void schedule(TimePs at, Event event, std::uint32_t index);
    void on_event(std::uint64_t what) override;
    /// Asks for the data of what starts next of the programs and erases of a die, and of those near
    /// it; returns that one.
    Place fetch_ahead(DieState& die) {
        const std::uint32_t first = die.writes.head;
        if (first == kNil) {
            return {};
        }
        if (max_group_ == 1 && ops_[first].flash.kind == FlashOpKind::kProgram) {
            fetch(first);
            return {first, kNil};
        }
        return fetch_group_ahead(die);
    }
    Place fetch_group_ahead(DieState& die);
    /// Asks for the data of the units of a program as far as that has not been done.
    void fetch(std::uint32_t index) {
        for (; index != kNil; index = ops_[index].next_unit) {
            if (ops_[index].data == DataState::kNotAsked && !ops_[index].waits) {
                fetch_unit(index);
            }
        }
    }
    void fetch_unit(std::uint32_t index);
    /// How many operations of a kind start as one.
    [[nodiscard]] std::uint32_t max_group(FlashOpKind kind) const {
        return kind == FlashOpKind::kProgram ? max_group_
               : kind == FlashOpKind::kRead  ? max_read_group_
                                             : max_erase_group_;
    }
    template <typename Take>
    void look_for_partners(const Queue& queue, std::uint32_t first, Take take);
    [[nodiscard]] Place next_write(const DieState& die) const;
    [[nodiscard]] bool is_coming(const Op& first) const;
    [[nodiscard]] bool awaits_partners(const DieState& die, std::uint32_t first);
    /// An erase of which pages are still read, or not programmed elsewhere, or that waits for a
    /// record; or a record that waits.
    [[nodiscard]] bool is_held(const Op& op) const {
        if (op.flash.kind != FlashOpKind::kErase) {
            return op.flash.records && awaits_programs(op);
        }
        return holds_[raw(geometry_.block_of(op.flash.page))] != 0 ||
               (!records_.empty() && records_.front().sequence < op.sequence);
    }
    [[nodiscard]] bool awaits_programs(const Op& record) const;
    void add_record(std::uint32_t index);
    void programmed_beside_records(std::uint32_t index);
    void try_start(DieId die);
    [[nodiscard]] Queue& reads_for(const Op& op);
    [[nodiscard]] bool reads_have_had_their_time(DieState& die) const;
    void take_page(DieState& die, std::uint32_t first);
    void start_read(DieState& die, Queue& reads);
    void start_write(DieState& die, const Place& next);
    [[nodiscard]] bool holds_page(const DieState& die, std::uint32_t index) const;
    [[nodiscard]] std::uint32_t plane_of(Ppn page) const;
    void change_column(DieState& die, const std::vector<std::uint32_t>& ops,
                       NandExtension& command) const;
    template <bool kBehind>
    void start(DieState& die);
    /// Reads that wait start before the program or erase that could.
    [[nodiscard]] bool reads_go_first(DieState& die, const Queue& reads, const Place& next) const {
        const bool first = discipline_ == Discipline::kReadFirst && !reads_have_had_their_time(die);
        return first || ops_[reads.head].sequence < ops_[next.index].sequence;
    }
    void consider_next_program(DieState& die);
    bool choose_next_read(DieState& die);
    [[nodiscard]] bool of_blocks(const std::vector<std::uint32_t>& ops, std::uint32_t index) const;
    template <typename Fits>
    [[nodiscard]] bool may_go_on(DieState& die, const Queue& queue, std::uint32_t first, Fits fits);
    template <typename Fits>
    void take_behind(DieState& die, Queue& queue, const Place& first, Fits fits);
    [[nodiscard]] bool goes_out_now(const DieState& die, std::uint32_t index) const;
    [[nodiscard]] Place find_next_read(const DieState& die, const Queue& reads) const;
    std::uint32_t join_reads(DieState& die, Queue& reads, std::uint32_t next);
    [[nodiscard]] bool another_follows(const DieState& die,
                                       const std::vector<std::uint32_t>& ops) const;
    void go_on_behind(DieId id);
    void look_while_busy(DieId id);
    void consider_suspension(DieId id);
    void resume(DieId id);
    void end_operation(DieId id);

    Geometry geometry_;
    Divisor by_pages_per_die_;
    Discipline discipline_;
    std::uint32_t max_group_; ///< programs
    std::uint32_t max_read_group_;
    std::uint32_t max_erase_group_;
    std::uint32_t units_per_page_;
    std::uint32_t most_together_; ///< mapping units that are programmed as one in a plane
    bool column_change_;
    NandSuspend suspend_;
    TimePs write_limit_;
    NandCache cache_;
    std::uint32_t copy_backs_;
    LazyArray<std::uint8_t> copies_in_die_; ///< of a page decided, as NandArray has them
    bool looks_while_busy_;                 ///< something may happen to what runs, or behind it
    const std::uint64_t* deciding_ = &kNoRequest;
    FlashClientIf& client_;
    EventQueue& events_;
    DieLoad* load_ = nullptr;
    Ecc* ecc_ = nullptr;                ///< null: pages take no time for it
    DataPath* data_ = nullptr;          ///< null: no data are kept
    std::vector<CopyPages> copy_pages_; ///< by die
    std::vector<Op> ops_;
    std::uint32_t free_ops_ = kNil;
    std::vector<DieState> dies_;
    FlatMap pending_programs_;         ///< physical page -> op index
    std::vector<std::uint32_t> holds_; ///< pages in flash that are held, per block
    std::vector<std::uint32_t> batch_; ///< scratch: indices of the list being submitted
    std::uint32_t gathering_ = 0;      ///< calls of gather() not ended
    std::vector<DieId> gathered_;      ///< dies of the reads that wait for that
    struct Record {
        std::uint64_t sequence;
        std::uint32_t before; ///< programs submitted before it and not done
    };
    std::vector<Record> records_;           ///< programs that record, in the order submitted
    std::vector<std::uint32_t> open_pages_; ///< first units of programs that lack some
    std::uint64_t submitted_ = 0;
    std::uint64_t completed_ = 0;
    std::uint64_t sequence_ = 0;
};

} // namespace cavern
