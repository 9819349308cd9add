#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/divisor.h"
#include "core/base/request_op.h"
#include "core/base/ring.h"
#include "core/base/strong_id.h"
#include "core/device/command_pages.h"
#include "core/device/zone_admission.h"
#include "core/drive/drive_core.h"

namespace cavern {

/// A host command inside the device; whoever runs the device numbers them.
enum class CommandId : std::uint32_t {};

/// One page of a read or write, and what of it the command covers.
struct PageAccess {
    Lpn lpn = kNoLpn;
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
    std::uint64_t request = 0; ///< of the command: its number, and where it begins
    std::uint64_t begins = 0;
};

/// Carries out what is decided: one for each fidelity. A batch must have been carried out when the
/// call that brings it returns. Calls may bring new commands (CommandFront::arrive, take_up).
class CommandSinkIf {
  public:
    virtual ~CommandSinkIf() = default;

    /// Whether a command has to wait, although none waits before it. Asked where commands are taken
    /// up in turn.
    [[nodiscard]] virtual bool holds_back() const { return false; }
    /// A command that waited, or might have, is taken up now.
    virtual void on_turn(CommandId /*command*/) {}

    virtual void on_write(CommandId command, const PageAccess& page,
                          const WriteDecision& decision) = 0;
    virtual void on_read(CommandId command, const PageAccess& page,
                         const ReadDecision& decision) = 0;
    /// After every page read or written, where the core works ahead: DriveCore::evict_ahead() as
    /// often as it wants, with the load that only the sink knows. Once, after on_completion(),
    /// where the pages of a command fill NAND pages.
    virtual void evict_ahead() = 0;
    /// All pages that a TRIM covers whole, if any, together.
    virtual void on_trim(CommandId command, const TrimDecision& decision) = 0;
    /// All pages of a TRIM are forgotten.
    virtual void on_trimmed(CommandId /*command*/) {}
    /// The command is decided without a page: the state of its zone forbids it.
    virtual void on_refused(CommandId /*command*/) {}
    /// One batch of a FLUSH.
    virtual void on_flush(CommandId command, const Batch& batch) = 0;
    /// Nothing is dirty any more; the FLUSH is done when all that was evicted so far is in flash.
    virtual void on_flushed(CommandId /*command*/) {}
    /// Programs that fill up the NAND pages of a command written through.
    virtual void on_completion(const Batch& batch) = 0;
    /// What a command that is durable needs in flash before it is answered. Only for a drive that
    /// loses its power (DriveCore::seal); no on_flushed() follows.
    virtual void on_sealed(CommandId /*command*/, const Batch& batch) { on_completion(batch); }
    /// The buffer has another size.
    virtual void on_resize(const Batch& batch) = 0;
    /// The last page of the command has been decided, and what follows from it.
    virtual void on_decided(CommandId command) = 0;
};

/// What commands mean, the same for every fidelity. A command is decided at once and whole:
///   1. it waits in turn, if it must: take_up_next(), take_up_waiting(); while it waits the core
///      knows what it will touch (NCQ pins)
///   2. it is cut into pages, in the order of addresses. A write that must reach the flash (FUA)
///      goes through the buffer, a TRIM forgets the pages that it covers whole, a FLUSH evicts
///      batch by batch
///   3. the request ends: memory may be divided anew between buffer and mapping cache
///   4. the sink has the command decided; its pins are given back
///
/// `Sink` is a CommandSinkIf; a front that knows its final class calls it without a look-up,
/// several times for each page.
template <class Sink = CommandSinkIf>
class CommandFront {
  public:
    CommandFront(DriveCore& core, const Geometry& geometry, Sink& sink)
        : core_(core), sink_(sink), page_bytes_(geometry.page_bytes),
          by_page_bytes_(geometry.page_bytes), works_ahead_(core.works_ahead()),
          tracks_sectors_(core.tracks_sectors()),
          pages_share_programs_(geometry.units_per_program() != 1),
          places_streams_(core.places_streams()), zones_(core.ftl().parts().zones) {}

    /// Decides the command now.
    void take_up(CommandId id, const DeviceCommand& command);

    /// The command joins those that wait, in the order of arrival.
    void arrive(CommandId id, const DeviceCommand& command);
    /// Decides the first of those that wait.
    void take_up_next();
    /// Decides those that wait until the sink holds one back.
    void take_up_waiting();
    [[nodiscard]] bool someone_waits() const { return !waiting_.empty(); }

  private:
    struct Waiting {
        CommandId id{};
        std::uint32_t pins = NcqAware::kNoPins;
        DeviceCommand command;
    };

    [[nodiscard]] std::uint64_t pages_in(std::uint64_t bytes) const {
        return by_page_bytes_.divide(bytes);
    }
    [[nodiscard]] std::uint32_t pin(const DeviceCommand& command);
    [[nodiscard]] SectorMask sectors_of(const PageAccess& page) const {
        return sectors_touched(
            static_cast<std::uint32_t>(page.offset - raw(page.lpn) * page_bytes_), page.bytes);
    }
    void decide(CommandId id, const DeviceCommand& command);
    void decide_in_zone(CommandId id, const DeviceCommand& command);
    void decide_pages(CommandId id, const DeviceCommand& command);
    void trim_pages(CommandId id, const DeviceCommand& command);
    bool seal(CommandId id);

    DriveCore& core_;
    Sink& sink_;
    std::uint32_t page_bytes_;
    WideDivisor by_page_bytes_;
    bool works_ahead_; ///< units may leave before the buffer is full
    bool tracks_sectors_;
    bool pages_share_programs_; ///< several are programmed as one
    bool places_streams_;
    ZoneStates* zones_; ///< null: any page can be written at any time
    Ring<Waiting> waiting_;
    bool taking_up_ = false;
};

// ---- 1: in turn ---------------------------------------------------------------------------------

/// A command that finds none before it and is not held back has not waited: it pins nothing.
template <class Sink>
void CommandFront<Sink>::arrive(CommandId id, const DeviceCommand& command) {
    const bool waits = !waiting_.empty() || sink_.holds_back();
    waiting_.push({id, waits ? pin(command) : NcqAware::kNoPins, command});
}

template <class Sink>
std::uint32_t CommandFront<Sink>::pin(const DeviceCommand& command) {
    if (core_.queue_pins() == nullptr || !moves_data(command.op) || command.bytes == 0) {
        return NcqAware::kNoPins;
    }
    return core_.queue_pins()->on_arrival(
        Lpn{by_page_bytes_.divide(command.offset)},
        Lpn{by_page_bytes_.divide(command.offset + command.bytes - 1)});
}

template <class Sink>
void CommandFront<Sink>::take_up_next() {
    const Waiting first = waiting_.pop();
    sink_.on_turn(first.id);
    take_up(first.id, first.command);
    if (core_.queue_pins() != nullptr) {
        core_.queue_pins()->on_served(first.pins);
    }
}

template <class Sink>
void CommandFront<Sink>::take_up_waiting() {
    if (taking_up_) {
        return;
    }
    taking_up_ = true; // deciding may bring commands, and what they waited for
    while (!waiting_.empty() && !sink_.holds_back()) {
        take_up_next();
    }
    taking_up_ = false;
}

// ---- 2 to 4: pages, end of the request ----------------------------------------------------------

template <class Sink>
void CommandFront<Sink>::take_up(CommandId id, const DeviceCommand& command) {
    core_.begin_request(command.request);
    zones_ == nullptr ? decide(id, command) : decide_in_zone(id, command);
    if (const Batch* batch = core_.end_request()) {
        sink_.on_resize(*batch);
    }
    sink_.on_decided(id);
}

/// A write goes where its zone is written next; a TRIM is a hint that zones do not take.
template <class Sink>
void CommandFront<Sink>::decide_in_zone(CommandId id, const DeviceCommand& command) {
    DeviceCommand placed = command;
    const ZoneAdmission admission = admit_to_zone(*zones_, placed, page_bytes_);
    if (admission.status != ZoneStatus::kSuccess) {
        sink_.on_refused(id);
    } else if (admission.empties) {
        const std::uint64_t pages = zones_->shape().size;
        sink_.on_trim(id, core_.trim(Lpn{admission.zone * pages}, pages));
        sink_.on_trimmed(id);
    } else if (command.op != RequestOp::kTrim) {
        decide(id, placed);
    }
}

template <class Sink>
void CommandFront<Sink>::decide(CommandId id, const DeviceCommand& command) {
    switch (command.op) {
    case RequestOp::kRead:
    case RequestOp::kWrite:
        decide_pages(id, command);
        break;
    case RequestOp::kTrim:
        trim_pages(id, command);
        break;
    case RequestOp::kFlush:
        while (const Batch* batch = core_.flush_step()) {
            sink_.on_flush(id, *batch);
        }
        if (!seal(id)) {
            sink_.on_flushed(id);
        }
        break;
    case RequestOp::kZone:
        break;
    }
}

template <class Sink>
void CommandFront<Sink>::decide_pages(CommandId id, const DeviceCommand& command) {
    const std::uint64_t end = command.offset + command.bytes;
    const std::uint64_t first = pages_in(command.offset);
    const std::uint64_t covered = end - first * page_bytes_;
    const auto pages = static_cast<std::uint32_t>(
        covered <= page_bytes_ ? 1 : pages_in(covered + page_bytes_ - 1));
    PageAccess page{Lpn{first}, command.offset, 0, command.request, command.offset};
    // What leaves the buffer meanwhile would get into the NAND page that its pages have begun.
    const bool fills_pages = pages_share_programs_ && command.op == RequestOp::kWrite &&
                             (command.fua || core_.buffer() == nullptr);
    if (places_streams_ && command.op == RequestOp::kWrite) {
        core_.begin_write(command.stream);
    }
    while (page.offset < end) {
        const std::uint64_t next = std::min(end, (raw(page.lpn) + 1) * page_bytes_);
        page.bytes = static_cast<std::uint32_t>(next - page.offset);
        const SectorMask sectors = tracks_sectors_ ? sectors_of(page) : kAllSectors;
        if (command.op == RequestOp::kRead) {
            sink_.on_read(id, page, core_.read(page.lpn, sectors));
        } else {
            sink_.on_write(id, page,
                           command.fua ? core_.write_through(page.lpn, pages, sectors)
                                       : core_.write(page.lpn, pages, sectors));
        }
        if (works_ahead_ && !fills_pages) {
            sink_.evict_ahead();
        }
        page.lpn = Lpn{raw(page.lpn) + 1};
        page.offset = next;
    }
    if (fills_pages) {
        if (const Batch* batch = core_.complete_pages()) {
            sink_.on_completion(*batch);
        }
        if (works_ahead_) {
            sink_.evict_ahead();
        }
    }
    if (command.fua && command.op == RequestOp::kWrite) {
        (void)seal(id);
    }
}

template <class Sink>
bool CommandFront<Sink>::seal(CommandId id) {
    const Batch* batch = core_.seal();
    if (batch != nullptr) {
        sink_.on_sealed(id, *batch);
    }
    return batch != nullptr;
}

template <class Sink>
void CommandFront<Sink>::trim_pages(CommandId id, const DeviceCommand& command) {
    const CommandPages whole =
        whole_pages(command, page_bytes_, [this](std::uint64_t bytes) { return pages_in(bytes); });
    if (whole.count() != 0 && !core_.ignores_trims()) {
        sink_.on_trim(id, core_.trim(Lpn{whole.first}, whole.count()));
        (void)seal(id);
    }
    sink_.on_trimmed(id);
}

extern template class CommandFront<CommandSinkIf>;

} // namespace cavern
