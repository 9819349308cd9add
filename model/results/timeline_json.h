#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/output_file.h"
#include "results/poll_waits.h"
#include "results/request_lanes.h"
#include "timed/cpu/processor_log.h"
#include "timed/host/host_interface.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern {

/// `--timeline`: Chrome trace-event JSON, for Perfetto or chrome://tracing. One track a channel bus
/// and a die, and some for requests of the host, with arrows from each request to the operations
/// that it brought; one a processor of the controller, with the functions of its firmware; commands
/// that wait for a processor; host queue and buffer occupancy as counters. Status polls of a die
/// are no phases of the bus there, but a slice for each operation that is waited for.
class TimelineJson final : public ActivityLogIf, public ProcessorLogIf, public RequestLogIf {
  public:
    /// Only what starts in `window` is written.
    TimelineJson(const std::string& path, const Geometry& geometry, TimeWindow window,
                 std::uint32_t processors = 0);
    void finish();
    void commit() { file_.commit(); }

    void bus(ChannelId channel, std::uint32_t slot, const char* phase, TimePs start,
             TimePs duration, const NandExtension& command) override;
    void grant(ChannelId channel, std::uint32_t slot, TimePs at, TimePs waited) override;
    void array(DieId die, TimePs start, TimePs duration, const NandExtension& command) override;
    void host_queue(TimePs at, std::uint32_t outstanding) override;
    void buffer_pages(TimePs at, std::uint32_t resident) override;
    void completed(const CompletedRequest& request) override;
    void busy(const ProcessorWork& work) override;
    [[nodiscard]] bool follows(TimePs start) const override { return window_.contains(start); }
    void executed(const FunctionTime& function) override { functions_.push_back(function); }
    void interrupted(std::uint32_t number, TimePs at) override;
    void printed(const std::string& line, TimePs at) override;

  private:
    struct Grant {
        ChannelId channel;
        std::uint32_t slot;
        TimePs at;
        TimePs waited;
    };

    void write_grant(const Grant& grant);
    /// Writes the polls of a die up to here.
    void write_polls(DieId die);
    void counter(const char* name, TimePs at, std::uint32_t value);
    [[nodiscard]] const std::vector<std::uint64_t>& requests_of(const NandExtension& command);
    void flow(char phase, std::uint64_t request, int process, std::uint64_t track, TimePs at);
    /// A command waits for a processor.
    void waits(const DeviceCommand& command, TimePs from, TimePs until);
    /// Functions that were executed before `end`, inside what was written last; what is longer is
    /// cut there.
    void write_functions(TimePs end);
    /// `label` is a JSON string.
    void mark(const std::string& label, const char* category, TimePs at);

    OutputFile file_;
    Geometry geometry_;
    TimeWindow window_;
    RequestLanes lanes_;
    std::uint32_t named_lanes_ = 0;
    Grant granted_{}; ///< told before its phase
    PollWaits polls_;
    std::vector<bool> named_polls_;       ///< by die
    std::vector<std::uint64_t> requests_; ///< scratch
    std::vector<FunctionTime> functions_; ///< executed in work that has not been told
};

} // namespace cavern
