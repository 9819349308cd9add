#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/trace_format.h"

namespace cavern {

/// One row per trace format: the only list of them.
struct TraceFormat : TraceReading {
    std::string_view name;        ///< what `--format` calls it
    std::string_view description; ///< for lists and messages
    bool has_devices;             ///< a line names a device
};
[[nodiscard]] const std::vector<TraceFormat>& trace_formats();

/// The format of an input that nothing has been read of yet, and still is not after it; null where
/// it is none.
[[nodiscard]] const TraceFormat* recognised_format(LineReader& lines);

struct TraceOptions {
    std::string path;         ///< plain, gzip, bzip2, xz or zstd; "-" is standard input
    std::string format;       ///< a name in trace_formats(); empty: recognised from the content
    std::string device;       ///< "3", "prxy_0"; empty: all devices, laid end to end
    std::string columns = {}; ///< of a table of somebody else's (parse_columns); empty: none
};

/// Findings of a first pass over a trace.
struct TraceInfo {
    struct Total {
        std::uint64_t count = 0;
        std::uint64_t bytes = 0;
    };

    [[nodiscard]] const Total& of(RequestOp op) const {
        return by_op[static_cast<std::size_t>(op)];
    }

    std::string_view format;
    std::uint64_t requests = 0;
    std::array<Total, kRequestOps> by_op; ///< indexed by RequestOp
    std::uint64_t end = 0;                ///< one past the last byte touched
    TimePs last_arrival = 0;
    std::uint64_t inversions = 0; ///< requests whose time lay before their predecessor's
    std::uint64_t skipped = 0;    ///< see TraceReader::skipped()
    DeviceMap devices;            ///< empty where none is named or one is chosen
};

/// Told now and then how many requests have been read.
using ScanWatch = std::function<void(std::uint64_t requests)>;

/// Reads the whole trace once, before a simulation starts: every malformed line is found here, as a
/// UserError. With `limit` it stops after that many requests where the addresses of those do not
/// depend on the rest, that is, unless devices are to be laid end to end. Nothing, and nothing
/// consumed, where the input cannot be read twice (a pipe, standard input).
[[nodiscard]] std::optional<TraceInfo> scan_trace(const TraceOptions& options,
                                                  std::uint64_t limit = ~std::uint64_t{0},
                                                  const ScanWatch& watch = {});

/// Opens a trace as a stream of requests. Several devices are laid end to end: that takes a first
/// pass, done here unless `info` has the result of one. An input that cannot be read twice may hold
/// one device only. Example:
///
///     const std::optional<TraceInfo> info = scan_trace(options);
///     const auto trace = open_trace(options, info ? &*info : nullptr);
///     for (HostRequest request; trace->next(request);) { ... trace->position().line ... }
[[nodiscard]] std::unique_ptr<TraceReader> open_trace(const TraceOptions& options,
                                                      const TraceInfo* info = nullptr);

/// Before a run without wrapping: throws the UserError that AddressFilter would in the middle of
/// it, naming the first line beyond `capacity` bytes. Costs a pass only where `info.end` lies
/// beyond.
void require_within(const TraceOptions& options, const TraceInfo& info, std::uint64_t capacity,
                    std::uint64_t limit = ~std::uint64_t{0});

} // namespace cavern
