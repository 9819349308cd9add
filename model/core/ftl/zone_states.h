#pragma once

#include <cstdint>
#include <vector>

#include "core/base/counter.h"

namespace cavern {

class StateArchive;

/// NVMe Zoned Namespace Command Set 1.1, section 2.3 (zone state machine). Zones that can only be
/// read, or not at all, are not modelled.
enum class ZoneState : std::uint8_t { kEmpty, kImplicitlyOpen, kExplicitlyOpen, kClosed, kFull };

/// How a command on a zone ends, with the status code of the specification (type 1h, command
/// specific; invalid field: type 0h).
enum class ZoneStatus : std::uint8_t {
    kSuccess = 0x00,
    kInvalidField = 0x02,
    kBoundaryError = 0xB8,
    kIsFull = 0xB9,
    kInvalidWrite = 0xBC,
    kTooManyActive = 0xBD,
    kTooManyOpen = 0xBE,
    kInvalidTransition = 0xBF,
};

struct ZoneCounters {
    std::uint64_t appends = 0;
    std::uint64_t resets = 0;
    std::uint64_t finishes = 0;
    std::uint64_t opens = 0;
    std::uint64_t closes = 0;
    std::uint64_t implicit_opens = 0;
    std::uint64_t implicit_closes = 0;
    std::uint64_t invalid_field = 0;
    std::uint64_t boundary_error = 0;
    std::uint64_t is_full = 0;
    std::uint64_t invalid_write = 0;
    std::uint64_t too_many_active = 0;
    std::uint64_t too_many_open = 0;
    std::uint64_t invalid_transition = 0;

    static constexpr auto declared = counters_of(
        counter(&ZoneCounters::appends, "appends", "commands", "Zone appends that were done."),
        counter(&ZoneCounters::resets, "resets", "zones", "Zones that became empty."),
        counter(&ZoneCounters::finishes, "finishes", "zones",
                "Zones that the host made full before their capacity was written."),
        counter(&ZoneCounters::opens, "opens", "zones", "Zones that the host opened explicitly."),
        counter(&ZoneCounters::closes, "closes", "zones", "Zones that the host closed."),
        counter(&ZoneCounters::implicit_opens, "implicit_opens", "zones",
                "Zones that a write or an append opened."),
        counter(&ZoneCounters::implicit_closes, "implicit_closes", "zones",
                "Zones that the controller closed so that another could be opened."),
        counter(&ZoneCounters::invalid_field, "errors.invalid_field", "commands",
                "Commands that do not cover whole pages, or name a place that begins no zone "
                "(status Invalid Field in Command)."),
        counter(&ZoneCounters::boundary_error, "errors.boundary_error", "commands",
                "Writes and appends beyond the capacity of their zone (Zone Boundary Error, B8h)."),
        counter(&ZoneCounters::is_full, "errors.is_full", "commands",
                "Writes and appends to a full zone (Zone Is Full, B9h)."),
        counter(&ZoneCounters::invalid_write, "errors.invalid_write", "commands",
                "Writes that do not begin at the write pointer (Zone Invalid Write, BCh)."),
        counter(&ZoneCounters::too_many_active, "errors.too_many_active", "commands",
                "Commands that needed another active zone (Too Many Active Zones, BDh)."),
        counter(&ZoneCounters::too_many_open, "errors.too_many_open", "commands",
                "Commands that needed another open zone (Too Many Open Zones, BEh)."),
        counter(&ZoneCounters::invalid_transition, "errors.invalid_transition", "commands",
                "Commands that the state of their zone forbids (Invalid Zone State Transition, "
                "BFh)."));
};

/// The zones of a namespace: states, write pointers and limits (NVMe ZNS 1.1, 2.3 and 2.4).
/// Quantities are in pages. A command that fails changes nothing.
class ZoneStates {
  public:
    struct Shape {
        std::uint32_t zones = 1;
        std::uint64_t size = 1;       ///< of a zone, in the address space
        std::uint64_t capacity = 1;   ///< pages of it that can be written
        std::uint32_t max_open = 0;   ///< 0: no limit
        std::uint32_t max_active = 0; ///< open and closed; 0: no limit
    };
    explicit ZoneStates(const Shape& shape);

    /// `page`: in the zone.
    ZoneStatus write(std::uint32_t zone, std::uint64_t page, std::uint64_t pages);
    /// The same where the zone's write pointer is, which is put into `page`.
    ZoneStatus append(std::uint32_t zone, std::uint64_t pages, std::uint64_t& page);
    ZoneStatus open(std::uint32_t zone);
    ZoneStatus close(std::uint32_t zone);
    ZoneStatus finish(std::uint32_t zone);
    ZoneStatus reset(std::uint32_t zone);
    /// A command that does not fit the zones at all.
    ZoneStatus refuse_field() { return failed(ZoneStatus::kInvalidField); }

    [[nodiscard]] const Shape& shape() const { return shape_; }
    [[nodiscard]] ZoneState state(std::uint32_t zone) const { return zones_[zone].state; }
    /// Pages written; of a full zone its capacity.
    [[nodiscard]] std::uint64_t write_pointer(std::uint32_t zone) const {
        return zones_[zone].pointer;
    }
    [[nodiscard]] std::uint32_t open_zones() const { return open_; }
    [[nodiscard]] std::uint32_t active_zones() const { return active_; }
    [[nodiscard]] const ZoneCounters& counters() const { return counters_; }
    void reset_counters() { counters_ = {}; }
    /// Compares states, write pointers and limits; throws ModelError. Returns facts compared.
    [[nodiscard]] std::uint64_t check_invariants() const;
    void serialize(StateArchive& archive);

  private:
    friend struct ZoneStatesProbe; // tests corrupt the state to see check_invariants notice

    struct Zone {
        ZoneState state = ZoneState::kEmpty;
        std::uint64_t pointer = 0;
        std::uint64_t used = 0; ///< when it was written last, by number of command
    };

    [[nodiscard]] static bool is_open(ZoneState state) {
        return state == ZoneState::kImplicitlyOpen || state == ZoneState::kExplicitlyOpen;
    }
    [[nodiscard]] static bool is_active(ZoneState state) {
        return is_open(state) || state == ZoneState::kClosed;
    }
    void enter(Zone& zone, ZoneState state);
    /// Whether there is room for the zone among those that are open; if need be one that was opened
    /// implicitly is closed for it.
    ZoneStatus make_room(const Zone& zone);
    ZoneStatus advance(Zone& zone, std::uint64_t pages);
    ZoneStatus failed(ZoneStatus status);

    Shape shape_;
    std::vector<Zone> zones_;
    std::uint32_t open_ = 0;
    std::uint32_t active_ = 0;
    std::uint64_t commands_ = 0;
    ZoneCounters counters_;
};

} // namespace cavern
