#pragma once

#include <cstdint>
#include <vector>

#include "core/base/decision_log.h"
#include "core/base/sectors.h"
#include "core/base/strong_id.h"

namespace cavern {

enum class FlashOpKind : std::uint8_t { kRead, kProgram, kErase };

/// One operation of the graph an FTL answers with. Operations of one list are in decision order;
/// programs and erases of one die must start in that order (which keeps pages of a block in order
/// and a program behind the erase of its block), reads may overtake them where no hazard forbids
/// it.
struct FlashOp {
    static constexpr std::int32_t kNone = -1;
    static constexpr std::uint32_t kNoFrame = 0xFFFF'FFFFu;

    FlashOpKind kind = FlashOpKind::kRead;
    Origin origin = Origin::kHost;
    /// Of a program: it writes the data of the read that it follows (`after`).
    bool copies : 1;
    /// Of a program that copies: the controller changes what it has read, so that the page read is
    /// not the same data.
    bool rewrites : 1;
    /// Of a program of host data: it takes what the host did not write from the read that it
    /// follows. Set by the caller of the FTL.
    bool merges : 1;
    /// Of a program: it records what was decided before it. It starts when every program decided
    /// before is done, and no erase decided later starts before it is done. Set by the caller of
    /// the FTL.
    bool records : 1;
    /// Of a read: the sectors of the page that are wanted, see wanted().
    std::uint16_t first_wanted : 6;
    std::uint16_t last_wanted : 6;
    /// Version of the logical page that is read or programmed; set by the caller of the FTL.
    PageVersion version = 0;
    /// Page read or programmed; first page of the block for an erase.
    Ppn page = kNoPpn;
    /// Logical page in the spare area; kNoLpn where there is none.
    Lpn lpn = kNoLpn;
    /// Index in the same list of an operation that must complete before this one starts.
    std::int32_t after = kNone;
    /// Buffer frame whose data a host program writes; set by the caller of the FTL.
    std::uint32_t frame = kNoFrame;
    /// Of a program: the page in flash, or on its way there, whose data it replaces; kNoPpn where
    /// there is none. For a copy it is the page read. That page is not erased before this one is
    /// programmed.
    Ppn supersedes = kNoPpn;

    FlashOp()
        : copies(false), rewrites(false), merges(false), records(false), first_wanted(0),
          last_wanted(kMaxSectors - 1) {}
    FlashOp(FlashOpKind kind_of_op, Origin why, Ppn where, Lpn what = kNoLpn,
            std::int32_t behind = kNone)
        : kind(kind_of_op), origin(why), copies(false), rewrites(false), merges(false),
          records(false), first_wanted(0), last_wanted(kMaxSectors - 1), page(where), lpn(what),
          after(behind) {}

    /// All of its page, unless want() said which.
    [[nodiscard]] SectorSpan wanted() const {
        return {static_cast<std::uint8_t>(first_wanted), static_cast<std::uint8_t>(last_wanted)};
    }
    void want(SectorSpan sectors) {
        first_wanted = sectors.first & (kMaxSectors - 1);
        last_wanted = sectors.last & (kMaxSectors - 1);
    }

    /// A program of a page that the host wrote.
    [[nodiscard]] bool is_hosts() const {
        return kind == FlashOpKind::kProgram && origin == Origin::kHost;
    }
    /// The program that copies what the operation numbered `read` of its list has read.
    [[nodiscard]] static FlashOp copy(Origin origin, Ppn from, Ppn to, Lpn lpn, std::int32_t read) {
        FlashOp op(FlashOpKind::kProgram, origin, to, lpn, read);
        op.copies = true;
        op.supersedes = from;
        return op;
    }
};
static_assert(sizeof(FlashOp) == 40, "lists of operations are walked often");

using FlashOpList = std::vector<FlashOp>;

/// A page is read and programmed elsewhere. Returns the number of the program.
inline std::int32_t push_copy(Origin origin, Ppn from, Ppn to, Lpn lpn, FlashOpList& ops) {
    const auto read = static_cast<std::int32_t>(ops.size());
    ops.push_back({FlashOpKind::kRead, origin, from, lpn});
    ops.push_back(FlashOp::copy(origin, from, to, lpn, read));
    return read + 1;
}

} // namespace cavern
