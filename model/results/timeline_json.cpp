#include "results/timeline_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/log_words.h"

namespace cavern {

namespace {

constexpr int kChannelTrack = 1;
constexpr int kDieTrack = 2;
constexpr int kHostTrack = 3;
constexpr int kProcessorTrack = 4;
constexpr int kPollTrack = 5;

double to_us(TimePs time) {
    return static_cast<double>(time) / static_cast<double>(kUs);
}

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

/// Numbers are those of mcause (privileged ISA; those from 16 on are Ibex's).
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

} // namespace

TimelineJson::TimelineJson(const std::string& path, const Geometry& geometry, TimeWindow window,
                           std::uint32_t processors)
    : file_(path), geometry_(geometry), window_(window), polls_(geometry.dies()),
      named_polls_(geometry.dies()) {
    file_.print("{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    const auto process = [this](int pid, const char* label) {
        file_.print(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"{}"}}}},)"
                    "\n",
                    pid, label);
    };
    const auto thread = [this](int pid, std::uint32_t tid, const std::string& label) {
        file_.print(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"{}"}}}},)"
                    "\n",
                    pid, tid, label);
    };
    process(kChannelTrack, "channels");
    process(kDieTrack, "dies");
    for (std::uint32_t channel = 0; channel < geometry.channels; ++channel) {
        thread(kChannelTrack, channel, fmt::format("channel {}", channel));
    }
    for (std::uint32_t die = 0; die < geometry.dies(); ++die) {
        thread(kDieTrack, die,
               fmt::format("die {}.{}", raw(geometry.channel_of(DieId{die})),
                           geometry.slot_of(DieId{die})));
    }
    if (processors != 0) {
        process(kProcessorTrack, "processors");
    }
    for (std::uint32_t processor = 0; processor < processors; ++processor) {
        thread(kProcessorTrack, processor, fmt::format("processor {}", processor));
    }
    // Last, without a comma of its own: every event brings its own in front.
    file_.print(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"host"}}}})",
                kHostTrack);
}

void TimelineJson::finish() {
    for (std::uint32_t die = 0; die < geometry_.dies(); ++die) {
        write_polls(DieId{die});
    }
    file_.print("\n]}}\n");
    file_.finish();
}

void TimelineJson::bus(ChannelId channel, std::uint32_t slot, const char* phase, TimePs start,
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
    write_grant(granted_);
    file_.print(",\n"
                R"({{"ph":"X","pid":{},"tid":{},"name":"{}","ts":{:.6f},"dur":{:.6f},)"
                R"("args":{{"way":{},"lpn":{},"origin":"{}","pages":{},"requests":[{}]}}}})",
                kChannelTrack, raw(channel), phase, to_us(start), to_us(duration), slot,
                static_cast<std::int64_t>(raw(command.lpns[command.out])), name(command.origin),
                command.count, fmt::join(requests_of(command), ","));
}

void TimelineJson::grant(ChannelId channel, std::uint32_t slot, TimePs at, TimePs waited) {
    granted_ = {channel, slot, at, waited};
}

void TimelineJson::write_grant(const Grant& grant) {
    file_.print(",\n"
                R"({{"ph":"i","s":"t","pid":{},"tid":{},"name":"grant","ts":{:.6f},)"
                R"("args":{{"way":{},"waited_ns":{}}}}})",
                kChannelTrack, raw(grant.channel), to_us(grant.at), grant.slot,
                to_ns(grant.waited));
}

void TimelineJson::write_polls(DieId die) {
    const PollWaits::Wait wait = polls_.take(die);
    if (wait.polls == 0) {
        return;
    }
    if (std::find(named_polls_.begin(), named_polls_.end(), true) == named_polls_.end()) {
        file_.print(",\n"
                    R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"polls"}}}})",
                    kPollTrack);
    }
    if (!named_polls_[raw(die)]) {
        named_polls_[raw(die)] = true;
        file_.print(",\n"
                    R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},)"
                    R"("args":{{"name":"polls of die {}.{}"}}}})",
                    kPollTrack, raw(die), raw(geometry_.channel_of(die)), geometry_.slot_of(die));
    }
    if (window_.contains(wait.begin)) {
        file_.print(",\n"
                    R"({{"ph":"X","pid":{},"tid":{},"name":"status polls","ts":{:.6f},)"
                    R"("dur":{:.6f},"args":{{"polls":{},"bus_ns":{}}}}})",
                    kPollTrack, raw(die), to_us(wait.begin), to_us(wait.end - wait.begin),
                    wait.polls, to_ns(wait.bus));
    }
}

void TimelineJson::array(DieId die, TimePs start, TimePs duration, const NandExtension& command) {
    if (!window_.contains(start)) {
        return;
    }
    file_.print(",\n"
                R"({{"ph":"X","pid":{},"tid":{},"name":"{}","ts":{:.6f},"dur":{:.6f},)"
                R"("args":{{"channel":{},"way":{},"lpn":{},"origin":"{}","pages":{},)"
                R"("requests":[{}]}}}})",
                kDieTrack, raw(die), array_symbol(command), to_us(start), to_us(duration),
                raw(geometry_.channel_of(die)), geometry_.slot_of(die),
                static_cast<std::int64_t>(raw(command.lpns[0])), name(command.origin),
                command.count, fmt::join(requests_of(command), ","));
    for (const std::uint64_t request : requests_) {
        flow('t', request, kDieTrack, raw(die), start);
    }
}

/// Each once.
const std::vector<std::uint64_t>& TimelineJson::requests_of(const NandExtension& command) {
    requests_.assign(command.requests.begin(), command.requests.begin() + command.count);
    std::sort(requests_.begin(), requests_.end());
    requests_.erase(std::unique(requests_.begin(), requests_.end()), requests_.end());
    if (!requests_.empty() && requests_.back() == kNoRequest) {
        requests_.pop_back();
    }
    return requests_;
}

/// An arrow goes from the request ('s') to each of its operations ('t') in turn.
void TimelineJson::flow(char phase, std::uint64_t request, int process, std::uint64_t track,
                        TimePs at) {
    file_.print(
        ",\n"
        R"({{"ph":"{}","bp":"e","cat":"request","name":"request","id":{},"pid":{},"tid":{},)"
        R"("ts":{:.6f}}})",
        phase, request, process, track, to_us(at));
}

void TimelineJson::completed(const CompletedRequest& done) {
    const HostCommandExtension& where = *done.where;
    const std::uint32_t lane = lanes_.place(where.arrival, done.completed);
    for (; named_lanes_ <= lane; ++named_lanes_) {
        file_.print(",\n"
                    R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},)"
                    R"("args":{{"name":"requests {}"}}}})",
                    kHostTrack, named_lanes_ + 1, named_lanes_);
    }
    if (!window_.contains(where.arrival)) {
        return;
    }
    file_.print(",\n"
                R"({{"ph":"X","pid":{},"tid":{},"name":"{} {}","ts":{:.6f},"dur":{:.6f},)"
                R"("args":{{"request":{},"offset":{},"bytes":{},"pages":{},"hits":{}}}}})",
                kHostTrack, lane + 1, name(done.request.op), where.id, to_us(where.arrival),
                to_us(done.completed - where.arrival), where.id, done.request.offset,
                done.request.bytes, where.pages, where.hits);
    flow('s', where.id, kHostTrack, lane + 1, where.arrival);
}

void TimelineJson::counter(const char* label, TimePs at, std::uint32_t value) {
    if (!window_.contains(at)) {
        return;
    }
    file_.print(",\n"
                R"({{"ph":"C","pid":{},"name":"{}","ts":{:.6f},"args":{{"value":{}}}}})",
                kHostTrack, label, to_us(at), value);
}

void TimelineJson::host_queue(TimePs at, std::uint32_t outstanding) {
    counter("queue depth", at, outstanding);
}

void TimelineJson::buffer_pages(TimePs at, std::uint32_t resident) {
    counter("buffer pages", at, resident);
}

// ---- processors ---------------------------------------------------------------------------------

void TimelineJson::busy(const ProcessorWork& work) {
    if (work.kind == ProcessorWork::Kind::kDecide && work.arrived != work.start) {
        waits(work.command, work.arrived, work.start);
    }
    if (!window_.contains(work.start)) {
        functions_.clear(); // of work that began inside, and goes on outside
        return;
    }
    file_.print(",\n"
                R"({{"ph":"X","pid":{},"tid":{},"name":"{}","ts":{:.6f},"dur":{:.6f},"args":{{)",
                kProcessorTrack, work.processor, name_of(work), to_us(work.start),
                to_us(work.duration));
    if (work.plane) {
        file_.print(R"("plane":{})", raw(*work.plane));
    } else {
        file_.print(R"("request":{})", work.command.request);
    }
    if (work.kind == ProcessorWork::Kind::kDecide) {
        file_.print(R"(,"offset":{},"bytes":{},"fua":{},"waited_ns":{})", work.command.offset,
                    work.command.bytes, work.command.fua, to_ns(work.start - work.arrived));
    } else if (work.kind == ProcessorWork::Kind::kHandOn) {
        file_.print(R"(,"operations":{})", work.operations);
    }
    file_.print("}}}}");
    write_functions(work.start + work.duration);
}

void TimelineJson::write_functions(TimePs end) {
    std::vector<FunctionTime> later;
    for (FunctionTime& function : functions_) {
        const TimePs until = std::min(function.end, end);
        if (function.start < until) {
            file_.print(",\n"
                        R"({{"ph":"X","pid":{},"tid":0,"name":"{}","ts":{:.6f},"dur":{:.6f},)"
                        R"("args":{{"depth":{}}}}})",
                        kProcessorTrack, function.name, to_us(function.start),
                        to_us(until - function.start), function.depth);
        }
        if (function.end > end) {
            function.start = std::max(function.start, end);
            later.push_back(std::move(function));
        }
    }
    functions_ = std::move(later);
}

void TimelineJson::interrupted(std::uint32_t number, TimePs at) {
    mark(fmt::format("\"{}\"", name_of_interrupt(number)), "interrupt", at);
}

void TimelineJson::printed(const std::string& line, TimePs at) {
    using Json = nlohmann::json;
    mark(Json(line).dump(-1, ' ', true, Json::error_handler_t::replace), "log", at);
}

void TimelineJson::mark(const std::string& label, const char* category, TimePs at) {
    if (window_.contains(at)) {
        file_.print(",\n"
                    R"({{"ph":"i","s":"t","cat":"{}","pid":{},"tid":0,"name":{},"ts":{:.6f}}})",
                    category, kProcessorTrack, label, to_us(at));
    }
}

void TimelineJson::waits(const DeviceCommand& command, TimePs from, TimePs until) {
    if (!window_.contains(from)) {
        return;
    }
    for (const auto& [phase, at] : {std::pair{'b', from}, std::pair{'e', until}}) {
        file_.print(",\n"
                    R"({{"ph":"{}","cat":"wait","id":{},"pid":{},"tid":0,"name":"{} waits",)"
                    R"("ts":{:.6f}}})",
                    phase, command.request, kProcessorTrack, name_of(command), to_us(at));
    }
}

} // namespace cavern
