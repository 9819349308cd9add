#pragma once

#include <cstdint>
#include <vector>

#include "core/base/lazy_array.h"
#include "core/data/data_path.h"
#include "timed/channel/copy_pages.h"
#include "timed/channel/op_graph.h"
#include "timed/tlm/event_queue.h"

namespace cavern {

class Ecc;

/// What the flash scheduler waits for, told to it by an event with an OpId, or a DieId.
enum class FlashEvent : std::uint32_t { kDataReady, kDataStored, kEncode, kDecoded, kMaySuspend };

/// Moves pages between the controller and the channels: asks for the data of programs before these
/// start, hands over what was read, and has the pages of the SDRAM through which copies pass.
///
/// A read for a copy starts when it has a page of the SDRAM for its data, of those of the program's
/// die; that page is free again when the program starts. They are given in the order of the
/// programs, to all reads of one NAND page together: the oldest program of a die that lacks one
/// waits only for older programs to start. A read waits for its page before it is sent back to the
/// source of another copy, so that it holds no block for which it could wait in a circle. The rest
/// of a page written in part needs none: it joins the page in its frame.
///
/// With ECC engines a page read is handed over when it is decoded, or read again, and the data of a
/// program are at hand when they are encoded. The die goes on meanwhile.
class PageTransfers {
  public:
    /// `copy_pages`: of the SDRAM, for each die. `copy_backs`: of a page in a row, in the die.
    /// Events go to `events_of`.
    PageTransfers(OpGraph& graph, const Geometry& geometry, std::uint32_t copy_pages,
                  std::uint32_t copy_backs, FlashClientIf& client, EventQueue& events,
                  EventHandlerIf& events_of);

    void use(Ecc& ecc) { ecc_ = &ecc; }
    void use(DataPath& data) { data_ = &data; }

    /// A program writes the page that a read, which it waits for, is for; or part of it.
    void feed(OpId program, OpId read, bool part_by_part);

    // ---- to the die
    /// Asks for the data of the units of a program as far as that has not been done.
    void fetch(OpId id) {
        for (; id != kNoOp; id = graph_[id].next_unit) {
            if (graph_[id].data == DataState::kNotAsked && !graph_[id].waits) {
                fetch_unit(id);
            }
        }
    }
    /// The program could start but for its data: an event tells when these have come.
    void await(OpId id) {
        for (; id != kNoOp; id = graph_[id].next_unit) {
            if (graph_[id].data == DataState::kComing) {
                await_unit(id);
            }
        }
    }
    /// The data are in the channel at `at`.
    void comes(OpId id, TimePs at) {
        if (ecc_ != nullptr) {
            encode(id, at);
        } else {
            graph_[id].data = DataState::kComing;
            graph_[id].data_at = at;
        }
    }
    /// All units of the NAND page, or word line, are here with their data.
    [[nodiscard]] bool are_ready(const Op& first) const;
    /// The data of the whole page are there, or on their way.
    [[nodiscard]] bool are_coming(const Op& first) const;

    // ---- from the die
    /// Of a page that has come out. True: it leaves the channel now.
    [[nodiscard]] bool decode(OpId id, bool from_register);
    /// It has this in it.
    void keep(OpId id, const PageContent& content) {
        if (data_ != nullptr) {
            data_->out_of_die(raw(id), content);
        }
    }
    /// It is stored for a program at that time, or at one that the client will tell (kNever).
    [[nodiscard]] TimePs store(OpId id);
    void deliver_to_host(OpId id);

    // ---- the end of an operation in the array
    void programmed(OpId id);
    void erased(BlockId block);

    // ---- copies
    /// A program that makes a copy in the die is ready when its turn comes.
    void decide_where_copied(OpId program);
    /// The reads for a program, and for the other units of its NAND page or word line, want pages.
    void want_copy_pages(OpId program);
    /// A read that has a page of those of the die now; kNoOp: nobody waits, or no page is free.
    OpId grant_copy_page(DieId die);
    /// The programs have taken their data. Returns whether they were copies.
    bool give_back_copy_pages(const std::vector<OpId>& programs);

    void schedule(TimePs at, FlashEvent event, std::uint32_t index) {
        events_.schedule(at, events_of_,
                         std::uint64_t{static_cast<std::uint32_t>(event)} << 32 | index);
    }
    /// Every page for copies is free.
    void check_idle() const;

  private:
    void fetch_unit(OpId id);
    void await_unit(OpId id);
    void encode(OpId id, TimePs at);
    [[nodiscard]] bool may_stay_in_die(const Op& copy) const;

    OpGraph& graph_;
    Geometry geometry_;
    FlashClientIf& client_;
    EventQueue& events_;
    EventHandlerIf& events_of_;
    Ecc* ecc_ = nullptr;                ///< null: pages take no time for it
    DataPath* data_ = nullptr;          ///< null: no data are kept
    std::vector<CopyPages> copy_pages_; ///< by die
    std::uint32_t copy_backs_;
    LazyArray<std::uint8_t> copies_in_die_; ///< of a page decided, as NandArray has them
};

} // namespace cavern
