#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/base/divisor.h"
#include "core/base/flat_map.h"
#include "core/base/geometry.h"
#include "core/ftl/flash_op.h"
#include "timed/tlm/flash_client_if.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern {

inline constexpr std::uint32_t kNobody = 0xFFFF'FFFFu;
inline constexpr std::uint32_t kNoCopyPage = 0xFFFF'FFFFu;
inline constexpr DieId kNoDie{0xFFFF'FFFFu};

/// The program of a page at the time somebody looked; none if that page was in flash.
struct Writer {
    OpId id = kNoOp;
    std::uint64_t sequence = 0; ///< an OpId is used again
};

/// Of the data of a program. kComing: at hand at a known time, for which no event is scheduled as
/// long as the die is busy anyway.
enum class DataState : std::uint8_t { kNotAsked, kAsked, kComing, kAwaited, kReady };

/// An operation that is not done.
struct Op {
    // Who waits for whom (OpGraph).
    FlashOp flash; ///< the page of a read: where it is read, once it is routed
    DieId die{};
    bool waits = false;         ///< for another operation
    bool routed = false;        ///< a read that knows where its data are
    std::uint64_t sequence = 0; ///< of submission; OpGraph::kProgrammed when that has happened
    OpId first_dependent = kNoOp;
    OpId next_dependent = kNoOp; ///< of those that wait for the same one
    Ppn held = kNoPpn;           ///< the page that it holds
    Writer held_writer;          ///< of that page
    std::uint32_t holders = 0;   ///< of a program: those that hold its page
    std::uint32_t lacks = 0;     ///< units of its NAND page, or word line, that are not here
    bool joined = false;         ///< a unit that is not the first one of those
    OpId next_unit = kNoOp;      ///< that is programmed with it in its plane
    OpId last_unit = kNoOp;      ///< of the first one of those

    // What its die starts next (DieQueue).
    OpId next = kNoOp;                  ///< in its queue, or the free list
    std::uint64_t request = kNoRequest; ///< that brought it
    bool urgent = false;                ///< a read that the host waits for
    bool in_die = false;                ///< a copy that the die makes: what `source` names is in it

    // Where its data are (PageTransfers).
    bool host_read = false;
    bool again = false;       ///< a read that is to be done again
    bool lost = false;        ///< a read that cannot be corrected, a program of what it has read
    bool awaits_page = false; ///< a read for a copy without a page of the SDRAM
    DataState data = DataState::kNotAsked;
    std::uint32_t context = 0; ///< the client's number
    std::uint32_t awaited_by = kNobody;
    std::uint32_t copy_page = kNoCopyPage; ///< of a read for a copy, and of its program
    TimePs data_at = 0;                    ///< kComing: when
    std::uint32_t bytes = 0;               ///< of a read: wanted, from there on; 0: all
    std::uint32_t from = 0;
    std::uint32_t attempt = 0; ///< of a read: it was decoded in vain so often
    OpId source = kNoOp;       ///< the read for this copy, until that has a page
    OpId feeds = kNoOp;        ///< of a read: the program that writes its page, or part of it
};

/// Who waits for whom. Closed hazards:
///   - a read of a page whose program is still pending waits for that program, or, if that is a
///     copy, reads the page where the copy comes from;
///   - an erase waits until no read of what its block holds is outstanding, nor the program of what
///     supersedes it, wherever that goes: at every moment some completed operation has put each
///     page somewhere;
///   - a program that records what was decided (FlashOp::records) waits for every program submitted
///     before it, an erase for every such record submitted before it.
///
/// Why nobody waits in a circle. An operation waits for operations submitted before it: those ahead
/// of it in its die's queue of programs and erases, the one it names, the program of the page it
/// reads, and, for an erase, those that hold pages of its block. What supersedes a page of a block
/// was decided before the block was given up; its data may wait in the buffer, but there only for
/// frames of pages evicted before it. One kind of holder may be younger than the erase: a read that
/// was sent back to the source of a copy. It has nothing left to wait for but its die, and no read
/// queues behind an erase that waits.
///
/// Starts nothing: it says which die is to be looked at.
class OpGraph {
  public:
    static constexpr std::uint64_t kProgrammed = ~std::uint64_t{0};

    explicit OpGraph(const Geometry& geometry);

    [[nodiscard]] Op& operator[](OpId id) { return ops_[raw(id)]; }
    [[nodiscard]] const Op& operator[](OpId id) const { return ops_[raw(id)]; }

    /// What is added from now on is decided together.
    void begin_list() { list_from_ = sequence_; }
    OpId add(const FlashOp& flash, std::uint64_t request);
    void remove(OpId id);
    /// `id` waits for `on`, and for no other one.
    void depend(OpId id, OpId on);
    /// One of those that wait for `id`, and now do no longer; kNoOp: there are none.
    OpId free_dependent(OpId id);

    /// The page of a read is not erased until let_go().
    void hold_page_of(OpId read);
    /// A read that waits for nothing else goes to where its data are. False: it waits for them.
    [[nodiscard]] bool route(OpId read);
    /// What the operation holds. Returns the die of an erase that waited for that, or kNoDie.
    [[nodiscard]] DieId let_go(OpId id);

    void add_program(OpId id);
    /// Where several mapping units are programmed as one (Geometry::units_per_program): whether it
    /// has joined another of its NAND page, or word line.
    bool joins_program(OpId id);
    /// A program is about to be done. True: every die is to be looked at, as a record is done, or
    /// waits for no program any more.
    [[nodiscard]] bool end_program(OpId id);
    /// Then its page is in flash.
    void set_programmed(OpId id);

    /// An erase of which pages are still read, or not programmed elsewhere, or that waits for a
    /// record; or a record that waits.
    [[nodiscard]] bool is_held(const Op& op) const {
        if (op.flash.kind != FlashOpKind::kErase) {
            return op.flash.records && awaits_programs(op);
        }
        return holds_[raw(geometry_.block_of(op.flash.page))] != 0 ||
               (!records_.empty() && records_.front().sequence < op.sequence);
    }
    [[nodiscard]] bool is_pending(Writer writer) const {
        return writer.id != kNoOp && ops_[raw(writer.id)].sequence == writer.sequence;
    }
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
        std::uint32_t context = 0;
    };
    /// Programs and erases that are queued or running, in the order submitted.
    [[nodiscard]] std::vector<Write> writes_under_way() const;

    /// Throws ModelError where a copy is programmed with units that are not decided.
    void check_copies_are_whole() const;
    /// The number of the next operation.
    [[nodiscard]] std::uint64_t sequence() const { return sequence_; }
    /// Throws ModelError unless every table is empty. Returns facts compared.
    std::uint64_t check_idle() const;

  private:
    struct Record {
        std::uint64_t sequence;
        std::uint32_t before; ///< programs submitted since the record before it, and not done
    };

    void hold(Op& op, Ppn page, Writer writer);
    [[nodiscard]] DieId let_go(Ppn page, Writer writer);
    [[nodiscard]] Writer writer_of(Ppn page) const;
    [[nodiscard]] Writer trace_back(Ppn& page, Writer writer) const;
    /// The record before it is a program that it waits for: only the first one can start.
    [[nodiscard]] bool awaits_programs(const Op& record) const {
        return records_.front().sequence != record.sequence || records_.front().before != 0;
    }
    bool end_beside_records(const Op& op);

    Geometry geometry_;
    Divisor by_pages_per_die_;
    std::vector<Op> ops_;
    OpId free_ = kNoOp;
    FlatMap pending_programs_;         ///< physical page -> OpId
    std::vector<std::uint32_t> holds_; ///< pages in flash that are held, per block
    std::deque<Record> records_;       ///< programs that record, in the order submitted
    std::uint32_t unrecorded_ = 0;     ///< programs submitted since the last of these, not done
    std::vector<OpId> open_pages_;     ///< first units of programs that lack some
    std::uint64_t sequence_ = 0;
    std::uint64_t list_from_ = 0;
};

} // namespace cavern
