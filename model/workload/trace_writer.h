#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/output_file.h"
#include "workload/position.h"
#include "workload/request.h"

namespace cavern {

/// A format that traces are written in, and what it cannot say.
struct TraceOutputFormat {
    std::string_view name;
    std::uint64_t offset_unit; ///< offsets are a multiple of so many bytes
    std::uint64_t size_unit;
    TimePs tick; ///< times are rounded down to a multiple
    bool has_trim;
    bool has_flush;
    void (*head)(OutputFile& out);
    void (*line)(OutputFile& out, const HostRequest& request);
};
/// One row per format: the only list of them.
[[nodiscard]] const std::vector<TraceOutputFormat>& trace_output_formats();
/// Throws UserError listing the formats where there is none of that name.
[[nodiscard]] const TraceOutputFormat& trace_output_format(std::string_view name);

/// Writes requests in one format. What the format cannot say is a UserError naming the place the
/// request comes from or, when `lossy`, changed: trims and flushes are left out, offsets rounded
/// down and ends rounded up to the unit.
class TraceWriter {
  public:
    TraceWriter(const std::string& path, const TraceOutputFormat& format, bool lossy);
    void write(HostRequest request, const SourcePosition& where);
    void commit() { out_.commit(); }

    [[nodiscard]] std::uint64_t written() const { return written_; }
    [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
    [[nodiscard]] std::uint64_t widened() const { return widened_; }

  private:
    [[nodiscard]] bool can_say(const HostRequest& request) const;

    const TraceOutputFormat& format_;
    OutputFile out_;
    bool lossy_;
    std::uint64_t written_ = 0;
    std::uint64_t left_out_ = 0;
    std::uint64_t widened_ = 0;
};

} // namespace cavern
