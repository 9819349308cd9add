#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/request_lanes.h"
#include "results/result_file.h"
#include "results/timeline.h"

namespace cavern {

/// `--perfetto`: the protocol buffers of Perfetto (protos/perfetto/trace/trace.proto: TracePacket
/// with TrackDescriptor and TrackEvent). Times in whole ns, Perfetto's unit.
class TimelinePerfetto final : public ResultFile, public TimelineEncodingIf {
  public:
    /// `timeline` outlives it.
    TimelinePerfetto(const std::string& path, Timeline& timeline);
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
    /// `parent` 0: none.
    void describe(std::uint64_t track, std::uint64_t parent, std::string_view name,
                  bool counter = false);
    void begin_and_end(std::uint64_t track, TimePs start, TimePs duration,
                       const std::string& details);
    void event(std::uint64_t track, std::uint64_t type, TimePs at, const std::string& details);
    void packet(const std::string& content);

    Timeline& timeline_;
    RequestLanes waits_; ///< which overlap
    std::uint64_t named_waits_ = 0;
    std::vector<std::string> counters_; ///< described
};

} // namespace cavern
