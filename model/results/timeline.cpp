#include "results/timeline.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "results/log_words.h"

namespace cavern {
namespace {

using Group = Track::Group;

const std::vector<std::uint64_t> kNoFlows;

/// "write 17": what the host has asked for, and which of its requests that is.
std::string name_of(const DeviceCommand& command) {
    return fmt::format("{} {}", name(command.op), command.request);
}

std::string name_of(const ProcessorWork& work) {
    const bool follows = work.kind == ProcessorWork::Kind::kHandOn;
    return (follows ? "after " : "") + (work.plane
                                            ? fmt::format("maintain plane {}", raw(*work.plane))
                                            : name_of(work.command));
}

/// As mcause numbers them (privileged ISA; those from 16 on are Ibex's).
std::string name_of_interrupt(std::uint32_t number) {
    switch (number) {
    case 0:
        return "exception";
    case 3:
        return "software interrupt";
    case 7:
        return "timer interrupt";
    case 11:
        return "external interrupt";
    default:
        return fmt::format("interrupt {}", number);
    }
}

std::string place_of(const Geometry& geometry, DieId die) {
    return fmt::format("{}.{}", raw(geometry.channel_of(die)), geometry.slot_of(die));
}

} // namespace

Timeline::Timeline(const Geometry& geometry, TimeWindow window, std::uint32_t processors)
    : geometry_(geometry), window_(window), processors_(processors), polls_(geometry.dies()),
      named_polls_(geometry.dies()) {}

void Timeline::write_to(TimelineEncodingIf& encoding) {
    encodings_.push_back(&encoding);
    encoding.name_group(Group::kChannels, "channels");
    encoding.name_group(Group::kDies, "dies");
    for (std::uint32_t channel = 0; channel < geometry_.channels; ++channel) {
        encoding.name_track({Group::kChannels, channel}, fmt::format("channel {}", channel));
    }
    for (std::uint32_t die = 0; die < geometry_.dies(); ++die) {
        encoding.name_track({Group::kDies, die}, "die " + place_of(geometry_, DieId{die}));
    }
    if (processors_ != 0) {
        encoding.name_group(Group::kProcessors, "processors");
    }
    for (std::uint32_t processor = 0; processor < processors_; ++processor) {
        encoding.name_track({Group::kProcessors, processor},
                            fmt::format("processor {}", processor));
    }
    encoding.name_group(Group::kHost, "host");
}

void Timeline::finish() {
    for (std::uint32_t die = 0; die < geometry_.dies(); ++die) {
        write_polls(DieId{die});
    }
}

void Timeline::bus(ChannelId channel, std::uint32_t slot, const char* phase, TimePs start,
                   TimePs duration, const NandExtension& command) {
    const DieId die = geometry_.die_at(channel, slot);
    if (PollWaits::is_poll(phase)) {
        polls_.add(die, start, duration);
        return;
    }
    write_polls(die);
    if (!window_.contains(start)) {
        return;
    }
    const std::vector<std::uint64_t>& requests = requests_of(command);
    for (TimelineEncodingIf* encoding : encodings_) {
        encoding->instant({Group::kChannels, raw(granted_.channel)}, "grant", {}, granted_.at,
                          {{"way", granted_.slot}, {"waited_ns", to_ns(granted_.waited)}});
        encoding->slice({Group::kChannels, raw(channel)}, phase, start, duration,
                        {{"way", slot},
                         {"lpn", static_cast<std::int64_t>(raw(command.lpns[command.out]))},
                         {"origin", name(command.origin)},
                         {"pages", command.count},
                         {"requests", requests}},
                        kNoFlows);
    }
}

void Timeline::grant(ChannelId channel, std::uint32_t slot, TimePs at, TimePs waited) {
    granted_ = {channel, slot, at, waited};
}

void Timeline::write_polls(DieId die) {
    const PollWaits::Wait wait = polls_.take(die);
    if (wait.polls == 0) {
        return;
    }
    const bool named = named_polls_[raw(die)];
    const bool first =
        !named && std::find(named_polls_.begin(), named_polls_.end(), true) == named_polls_.end();
    named_polls_[raw(die)] = true;
    const Track track{Group::kPolls, raw(die)};
    for (TimelineEncodingIf* encoding : encodings_) {
        if (first) {
            encoding->name_group(Group::kPolls, "polls");
        }
        if (!named) {
            encoding->name_track(track, "polls of die " + place_of(geometry_, die));
        }
        if (window_.contains(wait.begin)) {
            encoding->slice(track, "status polls", wait.begin, wait.end - wait.begin,
                            {{"polls", wait.polls}, {"bus_ns", to_ns(wait.bus)}}, kNoFlows);
        }
    }
}

void Timeline::array(DieId die, TimePs start, TimePs duration, const NandExtension& command) {
    if (!window_.contains(start)) {
        return;
    }
    const std::vector<std::uint64_t>& requests = requests_of(command);
    for (TimelineEncodingIf* encoding : encodings_) {
        encoding->slice({Group::kDies, raw(die)}, array_symbol(command), start, duration,
                        {{"channel", raw(geometry_.channel_of(die))},
                         {"way", geometry_.slot_of(die)},
                         {"lpn", static_cast<std::int64_t>(raw(command.lpns[0]))},
                         {"origin", name(command.origin)},
                         {"pages", command.count},
                         {"requests", requests}},
                        requests);
    }
}

const std::vector<std::uint64_t>& Timeline::requests_of(const NandExtension& command) {
    requests_.assign(command.requests.begin(), command.requests.begin() + command.count);
    std::sort(requests_.begin(), requests_.end());
    requests_.erase(std::unique(requests_.begin(), requests_.end()), requests_.end());
    if (!requests_.empty() && requests_.back() == kNoRequest) {
        requests_.pop_back();
    }
    return requests_;
}

void Timeline::completed(const CompletedRequest& done) {
    const HostCommandExtension& where = *done.where;
    const std::uint32_t lane = lanes_.place(where.arrival, done.completed);
    for (; named_lanes_ <= lane; ++named_lanes_) {
        for (TimelineEncodingIf* encoding : encodings_) {
            encoding->name_track({Group::kHost, named_lanes_ + 1},
                                 fmt::format("requests {}", named_lanes_));
        }
    }
    if (!window_.contains(where.arrival)) {
        return;
    }
    requests_.assign(1, where.id);
    const std::string what = fmt::format("{} {}", name(done.request.op), where.id);
    for (TimelineEncodingIf* encoding : encodings_) {
        encoding->slice({Group::kHost, lane + 1}, what, where.arrival,
                        done.completed - where.arrival,
                        {{"request", where.id},
                         {"offset", done.request.offset},
                         {"bytes", done.request.bytes},
                         {"pages", where.pages},
                         {"hits", where.hits}},
                        requests_);
    }
}

void Timeline::counter(std::string_view name, TimePs at, std::uint32_t value) {
    if (window_.contains(at)) {
        for (TimelineEncodingIf* encoding : encodings_) {
            encoding->counter(name, at, value);
        }
    }
}

void Timeline::host_queue(TimePs at, std::uint32_t outstanding) {
    counter("queue depth", at, outstanding);
}

void Timeline::buffer_pages(TimePs at, std::uint32_t resident) {
    counter("buffer pages", at, resident);
}

// ---- processors ---------------------------------------------------------------------------------

void Timeline::busy(const ProcessorWork& work) {
    if (work.kind == ProcessorWork::Kind::kDecide && work.arrived != work.start &&
        window_.contains(work.arrived)) {
        for (TimelineEncodingIf* encoding : encodings_) {
            encoding->wait(work.command.request, name_of(work.command) + " waits", work.arrived,
                           work.start);
        }
    }
    if (!window_.contains(work.start)) {
        functions_.clear(); // of work that began inside, and goes on outside
        return;
    }
    const std::string what = name_of(work);
    const Remark whose =
        work.plane ? Remark("plane", raw(*work.plane)) : Remark("request", work.command.request);
    const auto slice = [&](Remarks remarks) {
        for (TimelineEncodingIf* encoding : encodings_) {
            encoding->slice({Group::kProcessors, work.processor}, what, work.start, work.duration,
                            remarks, kNoFlows);
        }
    };
    switch (work.kind) {
    case ProcessorWork::Kind::kDecide:
        slice({whose,
               {"offset", work.command.offset},
               {"bytes", work.command.bytes},
               {"fua", work.command.fua},
               {"waited_ns", to_ns(work.start - work.arrived)}});
        break;
    case ProcessorWork::Kind::kHandOn:
        slice({whose, {"operations", work.operations}});
        break;
    case ProcessorWork::Kind::kAhead:
        slice({whose});
        break;
    }
    write_functions(work.start + work.duration);
}

void Timeline::write_functions(TimePs end) {
    std::vector<FunctionTime> later;
    for (FunctionTime& function : functions_) {
        const TimePs until = std::min(function.end, end);
        if (function.start < until) {
            for (TimelineEncodingIf* encoding : encodings_) {
                encoding->slice({Group::kProcessors}, function.name, function.start,
                                until - function.start, {{"depth", function.depth}}, kNoFlows);
            }
        }
        if (function.end > end) {
            function.start = std::max(function.start, end);
            later.push_back(std::move(function));
        }
    }
    functions_ = std::move(later);
}

void Timeline::interrupted(std::uint32_t number, TimePs at) {
    mark(name_of_interrupt(number), "interrupt", at);
}

void Timeline::printed(const std::string& line, TimePs at) {
    mark(line, "log", at);
}

void Timeline::mark(std::string_view name, std::string_view category, TimePs at) {
    if (window_.contains(at)) {
        for (TimelineEncodingIf* encoding : encodings_) {
            encoding->instant({Group::kProcessors}, name, category, at, {});
        }
    }
}

} // namespace cavern
