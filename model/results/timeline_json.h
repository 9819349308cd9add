#pragma once

#include <cstdint>
#include <string>

#include "core/base/output_file.h"
#include "timed/cpu/processor_log.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern {

/// `--timeline`: Chrome trace-event JSON, for Perfetto or chrome://tracing. One track a channel bus
/// and a die, and one a processor of the controller; commands that wait for a processor; host queue
/// and buffer occupancy as counters.
class TimelineJson final : public ActivityLogIf, public ProcessorLogIf {
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
    void busy(const ProcessorWork& work) override;

  private:
    void counter(const char* name, TimePs at, std::uint32_t value);
    /// A command waits for a processor.
    void waits(const DeviceCommand& command, TimePs from, TimePs until);

    OutputFile file_;
    Geometry geometry_;
    TimeWindow window_;
};

} // namespace cavern
