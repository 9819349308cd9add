#include "results/timeline_json.h"

#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include <fmt/ranges.h>

namespace cavern {
namespace {

double to_us(TimePs time) {
    return static_cast<double>(time) / static_cast<double>(kUs);
}

int pid_of(Track::Group group) {
    return static_cast<int>(group);
}

} // namespace

TimelineJson::TimelineJson(const std::string& path, Timeline& timeline)
    : ResultFile(path), timeline_(timeline) {
    file_.print("{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    timeline.write_to(*this);
}

void TimelineJson::finish() {
    timeline_.finish();
    file_.print("\n]}}\n");
    file_.finish();
}

template <typename... Args>
void TimelineJson::event(fmt::format_string<Args...> format, Args&&... args) {
    file_.print("{}", std::exchange(is_first_, false) ? "\n" : ",\n");
    file_.print(format, std::forward<Args>(args)...);
}

std::string_view TimelineJson::text_of(Remarks remarks) {
    text_.clear();
    for (const Remark& remark : remarks) {
        const auto add = [&](const auto& value) {
            using T = std::decay_t<decltype(value)>;
            const auto out = std::back_inserter(text_);
            if constexpr (std::is_same_v<T, std::string_view>) {
                fmt::format_to(out, R"("{}")", value);
            } else if constexpr (std::is_pointer_v<T>) {
                fmt::format_to(out, "[{}]", fmt::join(*value, ","));
            } else {
                fmt::format_to(out, "{}", value);
            }
        };
        fmt::format_to(std::back_inserter(text_), R"({}"{}":)", text_.size() == 0 ? "" : ",",
                       remark.name);
        std::visit(add, remark.value);
    }
    return {text_.data(), text_.size()};
}

void TimelineJson::name_group(Track::Group group, std::string_view name) {
    event(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"{}"}}}})", pid_of(group),
          name);
}

void TimelineJson::name_track(Track track, std::string_view name) {
    event(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"{}"}}}})",
          pid_of(track.group), track.number, name);
}

void TimelineJson::slice(Track track, std::string_view name, TimePs start, TimePs duration,
                         Remarks remarks, const std::vector<std::uint64_t>& flows) {
    event(R"({{"ph":"X","pid":{},"tid":{},"name":"{}","ts":{:.6f},"dur":{:.6f},"args":{{{}}}}})",
          pid_of(track.group), track.number, name, to_us(start), to_us(duration), text_of(remarks));
    for (const std::uint64_t request : flows) {
        event(R"({{"ph":"{}","bp":"e","cat":"request","name":"request","id":{},"pid":{},"tid":{},)"
              R"("ts":{:.6f}}})",
              track.group == Track::Group::kHost ? 's' : 't', request, pid_of(track.group),
              track.number, to_us(start));
    }
}

void TimelineJson::instant(Track track, std::string_view name, std::string_view category, TimePs at,
                           Remarks remarks) {
    using Json = nlohmann::json;
    if (category.empty()) {
        event(R"({{"ph":"i","s":"t","pid":{},"tid":{},"name":"{}","ts":{:.6f},"args":{{{}}}}})",
              pid_of(track.group), track.number, name, to_us(at), text_of(remarks));
    } else { // a line of a log may hold anything
        event(R"({{"ph":"i","s":"t","cat":"{}","pid":{},"tid":{},"name":{},"ts":{:.6f}}})",
              category, pid_of(track.group), track.number,
              Json(name).dump(-1, ' ', true, Json::error_handler_t::replace), to_us(at));
    }
}

void TimelineJson::wait(std::uint64_t request, std::string_view name, TimePs from, TimePs until) {
    for (const auto& [phase, at] : {std::pair{'b', from}, std::pair{'e', until}}) {
        event(R"({{"ph":"{}","cat":"wait","id":{},"pid":{},"tid":0,"name":"{}","ts":{:.6f}}})",
              phase, request, pid_of(Track::Group::kProcessors), name, to_us(at));
    }
}

void TimelineJson::counter(std::string_view name, TimePs at, std::uint64_t value) {
    event(R"({{"ph":"C","pid":{},"name":"{}","ts":{:.6f},"args":{{"value":{}}}}})",
          pid_of(Track::Group::kHost), name, to_us(at), value);
}

} // namespace cavern
