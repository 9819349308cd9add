#include "results/timeline_perfetto.h"

#include <algorithm>

namespace cavern {
namespace {

// Numbers of fields, by message.
constexpr std::uint32_t kTracePacket = 1;
namespace packet_field {
constexpr std::uint32_t kTimestamp = 8;
constexpr std::uint32_t kSequence = 10;
constexpr std::uint32_t kTrackEvent = 11;
constexpr std::uint32_t kTrackDescriptor = 60;
} // namespace packet_field
namespace track_field {
constexpr std::uint32_t kUuid = 1;
constexpr std::uint32_t kName = 2;
constexpr std::uint32_t kParent = 5;
constexpr std::uint32_t kCounter = 8;
} // namespace track_field
namespace event_field {
constexpr std::uint32_t kAnnotation = 4;
constexpr std::uint32_t kType = 9;
constexpr std::uint32_t kTrack = 11;
constexpr std::uint32_t kName = 23;
constexpr std::uint32_t kCounterValue = 30;
constexpr std::uint32_t kFlow = 47;
} // namespace event_field
namespace annotation_field {
constexpr std::uint32_t kBoolean = 2;
constexpr std::uint32_t kUnsigned = 3;
constexpr std::uint32_t kSigned = 4;
constexpr std::uint32_t kText = 6;
constexpr std::uint32_t kName = 10;
constexpr std::uint32_t kElement = 12;
} // namespace annotation_field

constexpr std::uint64_t kSliceBegin = 1;
constexpr std::uint64_t kSliceEnd = 2;
constexpr std::uint64_t kInstant = 3;
constexpr std::uint64_t kCounterEvent = 4;
constexpr std::uint64_t kOneSequence = 1;

/// Tracks: a group is its number, and has its own from a multiple of this on.
constexpr std::uint64_t kOfGroup = std::uint64_t{1} << 32;
/// As if it were a group: commands that wait for a processor, and counters.
constexpr std::uint64_t kWaits = 8;
constexpr std::uint64_t kCounters = 9;

std::uint64_t id_of(Track::Group group) {
    return static_cast<std::uint64_t>(group);
}

std::uint64_t id_of(Track track) {
    return id_of(track.group) * kOfGroup + track.number;
}

void put_varint(std::string& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) {
        out += static_cast<char>(value | 0x80);
    }
    out += static_cast<char>(value);
}

void put_number(std::string& out, std::uint32_t field, std::uint64_t value) {
    put_varint(out, std::uint64_t{field} << 3);
    put_varint(out, value);
}

void put_fixed(std::string& out, std::uint32_t field, std::uint64_t value) {
    put_varint(out, std::uint64_t{field} << 3 | 1);
    for (int byte = 0; byte < 8; ++byte) {
        out += static_cast<char>(value >> (8 * byte));
    }
}

void put_bytes(std::string& out, std::uint32_t field, std::string_view bytes) {
    put_varint(out, std::uint64_t{field} << 3 | 2);
    put_varint(out, bytes.size());
    out += bytes;
}

void put_value(std::string& out, std::uint64_t value) {
    put_number(out, annotation_field::kUnsigned, value);
}
void put_value(std::string& out, std::int64_t value) {
    put_number(out, annotation_field::kSigned, static_cast<std::uint64_t>(value));
}
void put_value(std::string& out, bool value) {
    put_number(out, annotation_field::kBoolean, value ? 1 : 0);
}
void put_value(std::string& out, std::string_view value) {
    put_bytes(out, annotation_field::kText, value);
}
void put_value(std::string& out, const std::vector<std::uint64_t>* values) {
    for (const std::uint64_t value : *values) {
        std::string element;
        put_value(element, value);
        put_bytes(out, annotation_field::kElement, element);
    }
}

std::string details_of(std::string_view name, Remarks remarks) {
    std::string details;
    put_bytes(details, event_field::kName, name);
    for (const Remark& remark : remarks) {
        std::string annotation;
        put_bytes(annotation, annotation_field::kName, remark.name);
        std::visit([&annotation](const auto& value) { put_value(annotation, value); },
                   remark.value);
        put_bytes(details, event_field::kAnnotation, annotation);
    }
    return details;
}

} // namespace

TimelinePerfetto::TimelinePerfetto(const std::string& path, Timeline& timeline)
    : ResultFile(path), timeline_(timeline) {
    timeline.write_to(*this);
}

void TimelinePerfetto::finish() {
    timeline_.finish();
    file_.finish();
}

void TimelinePerfetto::describe(std::uint64_t track, std::uint64_t parent, std::string_view name,
                                bool counter) {
    std::string descriptor;
    put_number(descriptor, track_field::kUuid, track);
    put_bytes(descriptor, track_field::kName, name);
    if (parent != 0) {
        put_number(descriptor, track_field::kParent, parent);
    }
    if (counter) {
        put_bytes(descriptor, track_field::kCounter, "");
    }
    std::string content;
    put_number(content, packet_field::kSequence, kOneSequence);
    put_bytes(content, packet_field::kTrackDescriptor, descriptor);
    packet(content);
}

void TimelinePerfetto::packet(const std::string& content) {
    std::string whole;
    put_bytes(whole, kTracePacket, content);
    file_.print("{}", whole);
}

void TimelinePerfetto::event(std::uint64_t track, std::uint64_t type, TimePs at,
                             const std::string& details) {
    std::string event;
    put_number(event, event_field::kType, type);
    put_number(event, event_field::kTrack, track);
    event += details;
    std::string content;
    put_number(content, packet_field::kTimestamp, to_ns(at));
    put_number(content, packet_field::kSequence, kOneSequence);
    put_bytes(content, packet_field::kTrackEvent, event);
    packet(content);
}

void TimelinePerfetto::begin_and_end(std::uint64_t track, TimePs start, TimePs duration,
                                     const std::string& details) {
    event(track, kSliceBegin, start, details);
    event(track, kSliceEnd, start + duration, {});
}

void TimelinePerfetto::name_group(Track::Group group, std::string_view name) {
    describe(id_of(group), 0, name);
}

void TimelinePerfetto::name_track(Track track, std::string_view name) {
    describe(id_of(track), id_of(track.group), name);
}

void TimelinePerfetto::slice(Track track, std::string_view name, TimePs start, TimePs duration,
                             Remarks remarks, const std::vector<std::uint64_t>& flows) {
    std::string details = details_of(name, remarks);
    for (const std::uint64_t flow : flows) {
        put_fixed(details, event_field::kFlow, flow + 1); // 0 is none
    }
    begin_and_end(id_of(track), start, duration, details);
}

void TimelinePerfetto::instant(Track track, std::string_view name, std::string_view /*category*/,
                               TimePs at, Remarks remarks) {
    event(id_of(track), kInstant, at, details_of(name, remarks));
}

void TimelinePerfetto::wait(std::uint64_t /*request*/, std::string_view name, TimePs from,
                            TimePs until) {
    const std::uint64_t lane = waits_.place(from, until);
    for (; named_waits_ <= lane; ++named_waits_) {
        describe(kWaits * kOfGroup + named_waits_, id_of(Track::Group::kProcessors), "waits");
    }
    begin_and_end(kWaits * kOfGroup + lane, from, until - from, details_of(name, {}));
}

void TimelinePerfetto::counter(std::string_view name, TimePs at, std::uint64_t value) {
    const auto known = std::find(counters_.begin(), counters_.end(), name);
    const std::uint64_t track =
        kCounters * kOfGroup + static_cast<std::uint64_t>(known - counters_.begin());
    if (known == counters_.end()) {
        counters_.emplace_back(name);
        describe(track, id_of(Track::Group::kHost), name, true);
    }
    std::string details;
    put_number(details, event_field::kCounterValue, value);
    event(track, kCounterEvent, at, details);
}

} // namespace cavern
