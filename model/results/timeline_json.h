#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "results/result_file.h"
#include "results/timeline.h"

namespace cavern {

/// `--timeline`: Chrome trace-event JSON, for Perfetto or chrome://tracing. Times in us, with all
/// digits of a picosecond.
class TimelineJson final : public ResultFile, public TimelineEncodingIf {
  public:
    /// `timeline` outlives it.
    TimelineJson(const std::string& path, Timeline& timeline);
    void finish() override;

    void name_group(Track::Group group, std::string_view name) override;
    void name_track(Track track, std::string_view name) override;
    void slice(Track track, std::string_view name, TimePs start, TimePs duration, Remarks remarks,
               const std::vector<std::uint64_t>& flows) override;
    void instant(Track track, std::string_view name, std::string_view category, TimePs at,
                 Remarks remarks) override;
    void wait(std::uint64_t request, std::string_view name, TimePs from, TimePs until) override;
    void counter(std::string_view name, TimePs at, std::uint64_t value) override;

  private:
    template <typename... Args>
    void event(fmt::format_string<Args...> format, Args&&... args);
    /// As the inside of an object.
    [[nodiscard]] std::string_view text_of(Remarks remarks);

    Timeline& timeline_;
    bool is_first_ = true;    ///< event, without a comma before it
    fmt::memory_buffer text_; ///< scratch
};

} // namespace cavern
