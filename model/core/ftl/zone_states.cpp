#include "core/ftl/zone_states.h"

#include <string>

#include "core/base/check.h"

namespace cavern {

ZoneStates::ZoneStates(const Shape& shape) : shape_(shape), zones_(shape.zones) {
    CAVERN_CHECK(shape.zones >= 1 && shape.capacity >= 1 && shape.capacity <= shape.size,
                 "a zone has a capacity of 1 page to its size");
    CAVERN_CHECK(shape.max_open == 0 || shape.max_active == 0 || shape.max_open <= shape.max_active,
                 "an open zone is active");
}

ZoneStatus ZoneStates::write(std::uint32_t zone, std::uint64_t page, std::uint64_t pages) {
    Zone& of = zones_[zone];
    if (of.state == ZoneState::kFull) {
        return failed(ZoneStatus::kIsFull);
    }
    if (page + pages > shape_.capacity) {
        return failed(ZoneStatus::kBoundaryError);
    }
    if (page != of.pointer) {
        return failed(ZoneStatus::kInvalidWrite);
    }
    return advance(of, pages);
}

ZoneStatus ZoneStates::append(std::uint32_t zone, std::uint64_t pages, std::uint64_t& page) {
    Zone& of = zones_[zone];
    if (of.state == ZoneState::kFull) {
        return failed(ZoneStatus::kIsFull);
    }
    if (of.pointer + pages > shape_.capacity) {
        return failed(ZoneStatus::kBoundaryError);
    }
    page = of.pointer;
    const ZoneStatus status = advance(of, pages);
    counters_.appends += status == ZoneStatus::kSuccess ? 1 : 0;
    return status;
}

ZoneStatus ZoneStates::advance(Zone& zone, std::uint64_t pages) {
    if (!is_open(zone.state)) {
        const ZoneStatus room = make_room(zone);
        if (room != ZoneStatus::kSuccess) {
            return failed(room);
        }
        enter(zone, ZoneState::kImplicitlyOpen);
        ++counters_.implicit_opens;
    }
    zone.used = ++commands_;
    zone.pointer += pages;
    if (zone.pointer == shape_.capacity) {
        enter(zone, ZoneState::kFull);
    }
    return ZoneStatus::kSuccess;
}

ZoneStatus ZoneStates::open(std::uint32_t zone) {
    Zone& of = zones_[zone];
    if (of.state == ZoneState::kFull) {
        return failed(ZoneStatus::kInvalidTransition);
    }
    if (of.state == ZoneState::kExplicitlyOpen) {
        return ZoneStatus::kSuccess;
    }
    if (!is_open(of.state)) {
        const ZoneStatus room = make_room(of);
        if (room != ZoneStatus::kSuccess) {
            return failed(room);
        }
    }
    enter(of, ZoneState::kExplicitlyOpen);
    ++counters_.opens;
    return ZoneStatus::kSuccess;
}

ZoneStatus ZoneStates::close(std::uint32_t zone) {
    Zone& of = zones_[zone];
    if (of.state == ZoneState::kClosed) {
        return ZoneStatus::kSuccess;
    }
    if (!is_open(of.state)) {
        return failed(ZoneStatus::kInvalidTransition);
    }
    enter(of, ZoneState::kClosed);
    ++counters_.closes;
    return ZoneStatus::kSuccess;
}

ZoneStatus ZoneStates::finish(std::uint32_t zone) {
    Zone& of = zones_[zone];
    if (of.state == ZoneState::kFull) {
        return ZoneStatus::kSuccess;
    }
    enter(of, ZoneState::kFull);
    of.pointer = shape_.capacity;
    ++counters_.finishes;
    return ZoneStatus::kSuccess;
}

ZoneStatus ZoneStates::reset(std::uint32_t zone) {
    Zone& of = zones_[zone];
    if (of.state == ZoneState::kEmpty) {
        return ZoneStatus::kSuccess;
    }
    enter(of, ZoneState::kEmpty);
    of.pointer = 0;
    ++counters_.resets;
    return ZoneStatus::kSuccess;
}

void ZoneStates::enter(Zone& zone, ZoneState state) {
    open_ = open_ + (is_open(state) ? 1 : 0) - (is_open(zone.state) ? 1 : 0);
    active_ = active_ + (is_active(state) ? 1 : 0) - (is_active(zone.state) ? 1 : 0);
    zone.state = state;
}

ZoneStatus ZoneStates::make_room(const Zone& zone) {
    if (!is_active(zone.state) && shape_.max_active != 0 && active_ == shape_.max_active) {
        return ZoneStatus::kTooManyActive;
    }
    if (shape_.max_open == 0 || open_ < shape_.max_open) {
        return ZoneStatus::kSuccess;
    }
    Zone* oldest = nullptr;
    for (Zone& other : zones_) {
        if (other.state == ZoneState::kImplicitlyOpen &&
            (oldest == nullptr || other.used < oldest->used)) {
            oldest = &other;
        }
    }
    if (oldest == nullptr) {
        return ZoneStatus::kTooManyOpen;
    }
    enter(*oldest, ZoneState::kClosed);
    ++counters_.implicit_closes;
    return ZoneStatus::kSuccess;
}

ZoneStatus ZoneStates::failed(ZoneStatus status) {
    switch (status) {
    case ZoneStatus::kSuccess:
        break;
    case ZoneStatus::kInvalidField:
        ++counters_.invalid_field;
        break;
    case ZoneStatus::kBoundaryError:
        ++counters_.boundary_error;
        break;
    case ZoneStatus::kIsFull:
        ++counters_.is_full;
        break;
    case ZoneStatus::kInvalidWrite:
        ++counters_.invalid_write;
        break;
    case ZoneStatus::kTooManyActive:
        ++counters_.too_many_active;
        break;
    case ZoneStatus::kTooManyOpen:
        ++counters_.too_many_open;
        break;
    case ZoneStatus::kInvalidTransition:
        ++counters_.invalid_transition;
        break;
    }
    return status;
}

std::uint64_t ZoneStates::check_invariants() const {
    std::uint32_t open = 0;
    std::uint32_t active = 0;
    for (std::uint32_t i = 0; i < shape_.zones; ++i) {
        const Zone& zone = zones_[i];
        const std::string name = "zone " + std::to_string(i);
        open += is_open(zone.state) ? 1 : 0;
        active += is_active(zone.state) ? 1 : 0;
        CAVERN_CHECK(zone.state != ZoneState::kEmpty || zone.pointer == 0,
                     name + " is empty and has been written");
        CAVERN_CHECK((zone.state == ZoneState::kFull) == (zone.pointer == shape_.capacity),
                     name + " is full below its capacity, or the reverse");
    }
    CAVERN_CHECK(open == open_ && active == active_, "the open or active zones are miscounted");
    CAVERN_CHECK(shape_.max_open == 0 || open <= shape_.max_open, "too many zones are open");
    CAVERN_CHECK(shape_.max_active == 0 || active <= shape_.max_active,
                 "too many zones are active");
    return std::uint64_t{shape_.zones} * 2 + 3;
}

} // namespace cavern
