#pragma once

#include <cstdint>

#include "core/base/sectors.h"
#include "core/base/strong_id.h"
#include "core/base/units.h"

namespace cavern {

/// An operation of the flash scheduler, from its submission until it is done.
enum class OpId : std::uint32_t {};
inline constexpr OpId kNoOp{0xFFFF'FFFFu};

/// The buffer manager as the flash scheduler sees it: owner of the data that operations move.
/// Contexts are the numbers given at submission. Calls come from SystemC processes at the time the
/// thing happens and may call back into the scheduler.
class FlashClientIf {
  public:
    virtual ~FlashClientIf() = default;
    /// The page of a host program is wanted in the channel's page buffer. Returns when it is there,
    /// which may be now; kNever: the client calls FlashScheduler::data_ready(op) as soon as it
    /// knows.
    virtual TimePs fetch_program_data(OpId op, std::uint32_t context) = 0;
    /// Whether data that were asked for and have not come are on their way, so that they wait for
    /// no program.
    [[nodiscard]] virtual bool data_is_coming(std::uint32_t /*context*/) const { return false; }
    /// The same of a copy, which lies in a page of the SDRAM for copies.
    virtual TimePs fetch_copied_page(OpId op, std::uint32_t copy_page) = 0;
    /// A page read for a copy has arrived in the controller, and goes to a page of the SDRAM for
    /// copies. Returns when it is stored; kNever: the client calls FlashScheduler::data_stored(op)
    /// as soon as it knows.
    virtual TimePs store_copied_page(OpId op, std::uint32_t copy_page) = 0;
    /// The same of a page that the host has written in part: what was read of it joins the data of
    /// the program with this context.
    virtual TimePs store_rest(OpId op, std::uint32_t context, SectorSpan read) = 0;
    /// A host read's page has arrived in the controller.
    virtual void host_page_read(std::uint32_t context) = 0;
    /// The same of a page that cannot be corrected.
    virtual void host_page_lost(std::uint32_t context) { host_page_read(context); }
    /// A page that was read, for any purpose, has so many errors that its block should be moved.
    virtual void page_is_stale(Ppn /*page*/) {}
    /// Whether what a host program has written is such a page, or has a part of one.
    [[nodiscard]] virtual bool holds_lost_page(std::uint32_t /*context*/) const { return false; }
    /// A host program completed: its frame may go.
    virtual void host_page_programmed(std::uint32_t context) = 0;
    /// An operation that somebody waits for has completed. May bring new operations.
    virtual void operation_done(std::uint32_t /*awaited_by*/) {}
    /// An operation has completed, and a die has nothing left to do (where load is reported).
    virtual void die_idle() {}
};

} // namespace cavern
