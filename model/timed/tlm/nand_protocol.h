#pragma once

#include <array>
#include <cstdint>
#include <tlm>

#include "core/base/geometry.h"
#include "core/base/strong_id.h"
#include "core/base/units.h"
#include "core/data/page_content.h"
#include "core/ftl/flash_op.h"
#include "core/parts/nand_commands.h"

namespace cavern {

/// Protocol between a channel and its dies: the generic payload with a NandExtension, and four
/// phases of its own. All calls return TLM_ACCEPTED.
///   NAND_LATCH    channel -> die, at the grant: a step of the command, named in `step`. The
///                 annotated delay is how long command, address and data take on the bus; what the
///                 array does starts after it. With data out nothing starts: without another step
///                 before it, what the page register still holds is read again.
///   NAND_READY    die -> channel, at the moment R/B# rises: what the array did for the payload is
///                 done; or, of a cache read, it can be moved out; or, at the end of a status
///                 poll, the array had ended when the status byte began. Parts that are polled are
///                 never ready without.
///   NAND_BUSY     die -> channel: a poll has found the array busy. Or the array has taken the data
///                 of a cached program (15h): the next one may be latched from now on until that
///                 one is ready.
///   NAND_SUSPEND  channel -> die, at the grant: the program or erase that runs is suspended. Ready
///                 follows when the die takes a read, with `suspended` of its command set; or ready
///                 of the operation, if that ends before the command does.
struct NandProtocol {
    using tlm_payload_type = tlm::tlm_generic_payload;
    using tlm_phase_type = tlm::tlm_phase;
};

TLM_DECLARE_EXTENDED_PHASE(NAND_LATCH);
TLM_DECLARE_EXTENDED_PHASE(NAND_READY);
TLM_DECLARE_EXTENDED_PHASE(NAND_BUSY);
TLM_DECLARE_EXTENDED_PHASE(NAND_SUSPEND);

inline constexpr std::uint32_t kMaxPlanes = 8;
/// Of an operation that no command of the host has brought.
inline constexpr std::uint64_t kNoRequest = ~std::uint64_t{0};

/// The NAND command a payload carries. Written by the flash scheduler before the channel takes it,
/// read by channel and die; unchanged until the operation is finished. Reads, programs and erases
/// may name several NAND pages, one per plane, those of reads and programs with the same page index
/// (multi-plane operation); programs name of each all mapping units, one NAND page behind the
/// other; and of each plane all pages of a word line, where that is programmed in one shot.
struct NandExtension final : tlm::tlm_extension<NandExtension> {
    static constexpr std::size_t kMost = std::size_t{kMaxPlanes} * kMaxUnits;

    FlashOpKind kind = FlashOpKind::kRead;
    NandCommand what = NandCommand::kRead;
    NandStep step = NandStep::kRead; ///< on the bus; set by the channel
    Origin origin = Origin::kHost;   ///< of the first page
    bool from_cache = false;         ///< a read whose pages go out of the cache register
    Ppn source = kNoPpn;             ///< of a copy-back alone: what it copies
    std::uint32_t count = 0;         ///< pages, or parts of NAND pages (Geometry::units_per_page)
    /// So many NAND pages are they. Reads may name parts of these once more behind the first ones,
    /// where all goes out of the cache register.
    std::uint32_t nand_pages = 0;
    std::uint32_t out = 0;  ///< of a read: which page is moved out
    bool suspended = false; ///< set by the die
    TimePs began = 0;       ///< set by the die: the array works on it since then,
    TimePs ends = 0;        ///< and until then; 0: it has not been latched, or resumed
    /// Of each page of a read: moved out, without their share of the spare area.
    std::array<std::uint32_t, kMost> data_bytes{};
    std::array<Ppn, kMost> pages{};
    std::array<Lpn, kMost> lpns{};
    std::array<Origin, kMost> origins{};       ///< of each page of a read
    std::array<PageVersion, kMost> versions{}; ///< of those logical pages
    /// What the pages hold, where data are kept: of a program what crosses the bus, of a read what
    /// the page register has since the array read it.
    std::array<PageContent, kMost> contents{};
    /// Which command of the host brought each page's operation (position in the workload), or
    /// kNoRequest. Only where somebody listens to activities.
    std::array<std::uint64_t, kMost> requests{};

    /// The page that is moved out next needs a change of column. Data out of the cache register
    /// begin with the first column (ONFI 5.0, READ CACHE).
    [[nodiscard]] bool changes_column(const Geometry& geometry) const {
        return what == NandCommand::kRegisterRead ||
               (from_cache && nand_pages == 1 &&
                data_bytes[out] != std::uint64_t{geometry.page_bytes} * geometry.units_per_page);
    }

    tlm::tlm_extension_base* clone() const override;
    void copy_from(const tlm::tlm_extension_base& other) override;
    /// The extension of a payload that must have one; throws ModelError otherwise.
    static NandExtension& get(const tlm::tlm_generic_payload& payload);
};

/// The command that does an operation, where nothing else is there to do it.
[[nodiscard]] constexpr NandCommand command_of(FlashOpKind kind) {
    return NandCommand{static_cast<std::uint8_t>(kind)};
}

/// Told by a channel that the operation it was given is finished: after the array operation of a
/// program or erase, after the read-out of a read.
class NandClientIf {
  public:
    virtual ~NandClientIf() = default;
    virtual void operation_finished(DieId die) = 0;
    /// Page `which` of a read of several is out, and another follows.
    virtual void page_out(DieId die, std::uint32_t which) = 0;
    /// The operation may be suspended from now on; only where parts can do so.
    virtual void operation_latched(DieId die) = 0;
    /// The die takes reads; or operation_finished, if the command to suspend was too late.
    virtual void operation_suspended(DieId die) = 0;
    /// The array has read the pages of a read; only where parts have cache reads. True: the next
    /// ones, of the same blocks, are in next_command(), and are read while these are moved out.
    virtual bool next_read(DieId die) = 0;
    /// The last page of a read is out, and the array reads on. True as above.
    virtual bool cached_read_out(DieId die) = 0;
    /// The data of a program in the array may come with start_next(); only where parts have cache
    /// programs.
    virtual void cache_free(DieId die) = 0;
    /// A program is finished, and what start_next() was called for goes on.
    virtual void program_finished(DieId die) = 0;
};

/// A channel as the flash scheduler sees it: takes one operation per die at a time.
class FlashChannelIf {
  public:
    virtual ~FlashChannelIf() = default;
    /// The command the next start() of this slot executes; the caller fills it while the slot is
    /// idle.
    [[nodiscard]] virtual NandExtension& command(std::uint32_t slot) = 0;
    virtual void start(std::uint32_t slot) = 0;
    /// The program or erase of the slot, which is in the array, makes room for reads: command()
    /// and start() mean those until it is resumed.
    virtual void suspend(std::uint32_t slot) = 0;
    virtual void resume(std::uint32_t slot) = 0;
    /// The command that goes on behind the one of the slot.
    [[nodiscard]] virtual NandExtension& next_command(std::uint32_t slot) = 0;
    /// Programs that while the one of the slot, which is cached, is still in the array. From now on
    /// command() is this one.
    virtual void start_next(std::uint32_t slot) = 0;
};

/// Observes what happens on buses and dies, for timelines. Null when nobody listens. Must not
/// change the model or notify events.
class ActivityLogIf {
  public:
    virtual ~ActivityLogIf() = default;
    virtual void bus(ChannelId channel, std::uint32_t slot, const char* phase, TimePs start,
                     TimePs duration, const NandExtension& command) = 0;
    virtual void grant(ChannelId channel, std::uint32_t slot, TimePs at, TimePs waited) = 0;
    /// Where parts can suspend operations, they are told as they end, piece by piece: one that
    /// goes on later is `suspended`.
    virtual void array(DieId die, TimePs start, TimePs duration, const NandExtension& command) = 0;
    virtual void host_queue(TimePs at, std::uint32_t outstanding) = 0;
    virtual void buffer_pages(TimePs at, std::uint32_t resident) = 0;
};

} // namespace cavern
