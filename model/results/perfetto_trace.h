#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/output_file.h"
#include "results/poll_waits.h"
#include "results/request_lanes.h"
#include "timed/host/host_interface.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern {

/// `--perfetto`: tracks of buses, dies and requests in the protocol buffers of Perfetto
/// (protos/perfetto/trace/trace.proto: TracePacket with TrackDescriptor and TrackEvent). Flows join
/// each request with the operations that it brought. Times in whole ns, Perfetto's unit.
class PerfettoTrace final : public ActivityLogIf, public RequestLogIf {
  public:
    /// Only what starts in `window` is written.
    PerfettoTrace(const std::string& path, const Geometry& geometry, TimeWindow window);
    void finish();
    void commit() { file_.commit(); }

    void bus(ChannelId channel, std::uint32_t slot, const char* phase, TimePs start,
             TimePs duration, const NandExtension& command) override;
    void grant(ChannelId /*channel*/, std::uint32_t /*slot*/, TimePs /*at*/,
               TimePs /*waited*/) override {}
    void array(DieId die, TimePs start, TimePs duration, const NandExtension& command) override;
    void host_queue(TimePs at, std::uint32_t outstanding) override;
    void buffer_pages(TimePs at, std::uint32_t resident) override;
    void completed(const CompletedRequest& request) override;

  private:
    struct Slice {
        std::uint64_t track;
        std::string_view name;
        TimePs start;
        TimePs duration;
    };

    /// Writes the polls of a die up to here.
    void write_polls(DieId die);
    void describe(std::uint64_t track, std::uint64_t parent, const std::string& name, bool counter);
    void slice(const Slice& what, const std::vector<std::uint64_t>& flows,
               const std::string& annotations);
    void counter(std::uint64_t track, TimePs at, std::uint32_t value);
    void packet(const std::string& content);
    [[nodiscard]] const std::vector<std::uint64_t>& requests_of(const NandExtension& command);

    OutputFile file_;
    Geometry geometry_;
    TimeWindow window_;
    RequestLanes lanes_;
    std::uint64_t described_lanes_ = 0;
    PollWaits polls_;
    std::vector<bool> described_polls_;   ///< by die
    std::vector<std::uint64_t> requests_; ///< scratch
};

} // namespace cavern
