#include "results/perfetto_trace.h"

#include <algorithm>

#include <fmt/format.h>

#include "results/log_words.h"

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
constexpr std::uint32_t kUnsigned = 3;
constexpr std::uint32_t kText = 6;
constexpr std::uint32_t kName = 10;
} // namespace annotation_field

constexpr std::uint64_t kSliceBegin = 1;
constexpr std::uint64_t kSliceEnd = 2;
constexpr std::uint64_t kCounterEvent = 4;
constexpr std::uint64_t kOneSequence = 1;

// Tracks: groups, then what is in them.
constexpr std::uint64_t kHost = 1;
constexpr std::uint64_t kChannels = 2;
constexpr std::uint64_t kDies = 3;
constexpr std::uint64_t kQueueDepth = 4;
constexpr std::uint64_t kBufferPages = 5;
constexpr std::uint64_t kPolls = 6;
constexpr std::uint64_t kFirstChannel = 1 << 8;
constexpr std::uint64_t kFirstDie = 1 << 16;
constexpr std::uint64_t kFirstPolls = 1 << 24;
constexpr std::uint64_t kFirstLane = std::uint64_t{1} << 32;

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

void annotate(std::string& out, std::string_view name, std::uint64_t value) {
    std::string annotation;
    put_bytes(annotation, annotation_field::kName, name);
    put_number(annotation, annotation_field::kUnsigned, value);
    put_bytes(out, event_field::kAnnotation, annotation);
}

void annotate(std::string& out, std::string_view name, std::string_view value) {
    std::string annotation;
    put_bytes(annotation, annotation_field::kName, name);
    put_bytes(annotation, annotation_field::kText, value);
    put_bytes(out, event_field::kAnnotation, annotation);
}

} // namespace

PerfettoTrace::PerfettoTrace(const std::string& path, const Geometry& geometry, TimeWindow window)
    : file_(path), geometry_(geometry), window_(window), polls_(geometry.dies()),
      described_polls_(geometry.dies()) {
    describe(kHost, 0, "host", false);
    describe(kQueueDepth, kHost, "queue depth", true);
    describe(kBufferPages, kHost, "buffer pages", true);
    describe(kChannels, 0, "channels", false);
    for (std::uint32_t channel = 0; channel < geometry.channels; ++channel) {
        describe(kFirstChannel + channel, kChannels, fmt::format("channel {}", channel), false);
    }
    describe(kDies, 0, "dies", false);
    for (std::uint32_t die = 0; die < geometry.dies(); ++die) {
        describe(kFirstDie + die, kDies,
                 fmt::format("die {}.{}", raw(geometry.channel_of(DieId{die})),
                             geometry.slot_of(DieId{die})),
                 false);
    }
}

void PerfettoTrace::describe(std::uint64_t track, std::uint64_t parent, const std::string& name,
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

void PerfettoTrace::packet(const std::string& content) {
    std::string whole;
    put_bytes(whole, kTracePacket, content);
    file_.print("{}", whole);
}

void PerfettoTrace::slice(const Slice& what, const std::vector<std::uint64_t>& flows,
                          const std::string& annotations) {
    for (const bool begin : {true, false}) {
        std::string event;
        put_number(event, event_field::kType, begin ? kSliceBegin : kSliceEnd);
        put_number(event, event_field::kTrack, what.track);
        if (begin) {
            put_bytes(event, event_field::kName, what.name);
            for (const std::uint64_t flow : flows) {
                put_fixed(event, event_field::kFlow, flow + 1); // 0 is none
            }
            event += annotations;
        }
        std::string content;
        put_number(content, packet_field::kTimestamp,
                   to_ns(begin ? what.start : what.start + what.duration));
        put_number(content, packet_field::kSequence, kOneSequence);
        put_bytes(content, packet_field::kTrackEvent, event);
        packet(content);
    }
}

/// Each once.
const std::vector<std::uint64_t>& PerfettoTrace::requests_of(const NandExtension& command) {
    requests_.assign(command.requests.begin(), command.requests.begin() + command.count);
    std::sort(requests_.begin(), requests_.end());
    requests_.erase(std::unique(requests_.begin(), requests_.end()), requests_.end());
    if (!requests_.empty() && requests_.back() == kNoRequest) {
        requests_.pop_back();
    }
    return requests_;
}

void PerfettoTrace::finish() {
    for (std::uint32_t die = 0; die < geometry_.dies(); ++die) {
        write_polls(DieId{die});
    }
    file_.finish();
}

void PerfettoTrace::write_polls(DieId die) {
    const PollWaits::Wait wait = polls_.take(die);
    if (wait.polls == 0) {
        return;
    }
    const std::uint64_t track = kFirstPolls + raw(die);
    if (std::find(described_polls_.begin(), described_polls_.end(), true) ==
        described_polls_.end()) {
        describe(kPolls, 0, "polls", false);
    }
    if (!described_polls_[raw(die)]) {
        described_polls_[raw(die)] = true;
        describe(track, kPolls,
                 fmt::format("polls of die {}.{}", raw(geometry_.channel_of(die)),
                             geometry_.slot_of(die)),
                 false);
    }
    if (window_.contains(wait.begin)) {
        std::string annotations;
        annotate(annotations, "polls", wait.polls);
        annotate(annotations, "bus_ns", to_ns(wait.bus));
        slice({track, "status polls", wait.begin, wait.end - wait.begin}, {}, annotations);
    }
}

void PerfettoTrace::bus(ChannelId channel, std::uint32_t slot, const char* phase, TimePs start,
                        TimePs duration, const NandExtension& command) {
    const DieId die = geometry_.die_at(channel, slot);
    if (PollWaits::is_poll(phase)) {
        polls_.add(die, start, duration);
        return;
    }
    write_polls(die);
    if (window_.contains(start)) {
        std::string annotations;
        annotate(annotations, "origin", name(command.origin));
        slice({kFirstChannel + raw(channel), phase, start, duration}, {}, annotations);
    }
}

void PerfettoTrace::array(DieId die, TimePs start, TimePs duration, const NandExtension& command) {
    if (!window_.contains(start)) {
        return;
    }
    std::string annotations;
    annotate(annotations, "origin", name(command.origin));
    annotate(annotations, "pages", command.count);
    if (command.count != 0 && command.lpns[0] != kNoLpn) {
        annotate(annotations, "lpn", raw(command.lpns[0]));
    }
    slice({kFirstDie + raw(die), array_symbol(command), start, duration}, requests_of(command),
          annotations);
}

void PerfettoTrace::completed(const CompletedRequest& done) {
    const HostCommandExtension& where = *done.where;
    const std::uint32_t lane = lanes_.place(where.arrival, done.completed);
    for (; described_lanes_ <= lane; ++described_lanes_) {
        describe(kFirstLane + described_lanes_, kHost, fmt::format("requests {}", described_lanes_),
                 false);
    }
    if (!window_.contains(where.arrival)) {
        return;
    }
    std::string annotations;
    annotate(annotations, "request", where.id);
    annotate(annotations, "offset", done.request.offset);
    annotate(annotations, "bytes", done.request.bytes);
    slice({kFirstLane + lane, fmt::format("{} {}", name(done.request.op), where.id), where.arrival,
           done.completed - where.arrival},
          {where.id}, annotations);
}

void PerfettoTrace::counter(std::uint64_t track, TimePs at, std::uint32_t value) {
    if (!window_.contains(at)) {
        return;
    }
    std::string event;
    put_number(event, event_field::kType, kCounterEvent);
    put_number(event, event_field::kTrack, track);
    put_number(event, event_field::kCounterValue, value);
    std::string content;
    put_number(content, packet_field::kTimestamp, to_ns(at));
    put_number(content, packet_field::kSequence, kOneSequence);
    put_bytes(content, packet_field::kTrackEvent, event);
    packet(content);
}

void PerfettoTrace::host_queue(TimePs at, std::uint32_t outstanding) {
    counter(kQueueDepth, at, outstanding);
}

void PerfettoTrace::buffer_pages(TimePs at, std::uint32_t resident) {
    counter(kBufferPages, at, resident);
}

} // namespace cavern
