#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/output_file.h"
#include "workload/open_trace.h"
#include "workload/position.h"
#include "workload/request.h"

namespace cavern {

/// The row of trace_formats() of that name, of a format that is written. Throws UserError listing
/// those where there is none.
[[nodiscard]] const TraceFormat& written_format(std::string_view name);

/// Writes requests in one format, to a file. What the format cannot say is a UserError
/// naming the place the request comes from or, when `lossy`, changed: trims and flushes are left
/// out, offsets rounded down and ends rounded up to the unit.
class TraceWriter {
  public:
    TraceWriter(const std::string& path, const TraceFormat& format, bool lossy);
    void write(HostRequest request, const SourcePosition& where);
    void commit() { out_.commit(); }

    [[nodiscard]] std::uint64_t written() const { return written_; }
    [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
    [[nodiscard]] std::uint64_t widened() const { return widened_; }
    [[nodiscard]] std::uint64_t unmarked() const { return unmarked_; }

  private:
    void drop_marks(HostRequest& request, const SourcePosition& where);
    [[nodiscard]] bool can_say(const HostRequest& request) const;

    std::string_view name_;
    const TraceOutput& format_;
    OutputFile out_;
    bool lossy_;
    std::uint64_t written_ = 0;
    std::uint64_t left_out_ = 0;
    std::uint64_t widened_ = 0;
    std::uint64_t unmarked_ = 0; ///< lost stream or FUA
};

} // namespace cavern
