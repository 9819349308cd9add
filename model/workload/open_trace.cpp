#include "workload/open_trace.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "workload/column_reader.h"
#include "workload/field.h"
#include "workload/filters.h"

namespace cavern {
namespace {

// The notice at the head of a blkreplay trace has 58 lines.
constexpr std::size_t kDetectLines = 128;

std::string format_names() {
    std::string names;
    for (const TraceFormat& format : trace_formats()) {
        names += (names.empty() ? "" : ", ") + std::string(format.name);
    }
    return names;
}

const TraceFormat& named_format(const TraceOptions& options) {
    for (const TraceFormat& format : trace_formats()) {
        if (format.name == options.format) {
            return format;
        }
    }
    throw UserError("<command line>", 1, "trace format " + quote(options.format) + " is unknown",
                    "the formats are " + format_names());
}

std::vector<std::string_view> content_of(LineReader& lines) {
    std::vector<std::string_view> content = lines.peek();
    const auto no_content = [](std::string_view line) {
        return trimmed(line).empty() || line.front() == '#';
    };
    content.erase(std::remove_if(content.begin(), content.end(), no_content), content.end());
    content.resize(std::min(content.size(), kDetectLines));
    return content;
}

const TraceFormat& detected_format(LineReader& lines) {
    if (const TraceFormat* format = recognised_format(lines)) {
        return *format;
    }
    const bool empty = content_of(lines).empty();
    // A stream that breaks off in its first lines has a better message than "unknown".
    for (std::string_view line; empty && lines.next(line);) {
    }
    throw UserError(
        lines.name(), empty ? std::max<std::size_t>(lines.line_number(), 1) : 1,
        empty ? "the trace is empty" : "the content is of no known format",
        "the formats are " + format_names() +
            "; --format names one; a csv begins with time_us,op,offset,size, and --columns "
            "says what the columns of another table are");
}

struct OpenTrace {
    std::string_view format;
    bool has_devices;
    std::unique_ptr<TraceReader> reader;
};

/// A table counts as csv.
OpenTrace open_table(const TraceOptions& options) {
    const TraceFormat& format = trace_formats().front();
    TraceColumns columns = parse_columns(options.columns);
    const bool has_devices = columns.device.given();
    if (!options.format.empty() && options.format != format.name) {
        throw UserError("<command line>", 1, "--columns of a table, and a format", "one of them");
    }
    if (!has_devices && !options.device.empty()) {
        throw UserError("<command line>", 1, "workload.device of a table without device=COLUMN",
                        kColumnsForm);
    }
    return {format.name, has_devices,
            make_column_reader(LineReader(options.path), std::move(columns))};
}

OpenTrace open_format(const TraceOptions& options) {
    const TraceFormat* format = options.format.empty() ? nullptr : &named_format(options);
    LineReader lines(options.path);
    if (format == nullptr) {
        format = &detected_format(lines);
    }
    if (!format->has_devices && !options.device.empty()) {
        throw UserError(lines.name(), 1,
                        "a trace of format " + std::string(format->name) + " names no devices",
                        "leave workload.device away");
    }
    return {format->name, format->has_devices, format->make(std::move(lines))};
}

OpenTrace open_unplaced(const TraceOptions& options) {
    OpenTrace trace = options.columns.empty() ? open_format(options) : open_table(options);
    if (!options.device.empty()) {
        trace.reader->choose(options.device);
    }
    return trace;
}

bool lays_out(const OpenTrace& trace, const TraceOptions& options) {
    return trace.has_devices && options.device.empty();
}

} // namespace

const std::vector<TraceFormat>& trace_formats() {
    static const std::vector<TraceFormat> formats{
        {kCsvTraces, "csv", "time_us,op,offset,size with that header", false},
        {kSpcTraces, "spc", "UMass/SPC: ASU,LBA,size,opcode,timestamp", true},
        {kMsrTraces, "msr",
         "MSR Cambridge: Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime", true},
        {kFioIologTraces, "fio", "fio iolog, version 2 or 3: FILE ACTION OFFSET LENGTH", true},
        {kBlkparseTraces, "blkparse",
         "text of blkparse: 8,33 21 1 0.0001 6742 D WS 4194352 + 8 [dd]", true},
        {kBlkreplayTraces, "blkreplay", ".load of blkreplay: start ; sector ; length ; op", false},
        {kDiskmonTraces, "diskmon",
         "DiskMon: number, time, duration, disk, Read or Write, sector, sectors", true},
        {kDisksimTraces, "disksim",
         "DiskSim ASCII: time in ms with a point, device, block, blocks, flags", true},
        {kMqsimTraces, "mqsim",
         "MQSim and SSDsim ASCII: time in whole ns, device, sector, sectors, op", true},
        {kVscsiTraces, "vscsi",
         "binary records of VMware's vscsiStats, as in the CloudPhysics traces", false},
        {kAlibabaTraces, "alibaba",
         "Alibaba block traces: device_id,opcode,offset,length,timestamp", true},
        {kTencentTraces, "tencent", "Tencent block storage: Timestamp,Offset,Size,IOType,VolumeID",
         true},
        {kSystor17Traces, "systor17",
         "SYSTOR '17 desktops: Timestamp,Response,IOType,LUN,Offset,Size", true},
        {kFiuTraces, "fiu", "FIU: ns, pid, process, block, blocks, W or R, major, minor, hash",
         true},
        {kBiosnoopTraces, "biosnoop", "what biosnoop of bcc prints: TIME(s) COMM PID DISK T SECTOR",
         true},
    };
    return formats;
}

const TraceFormat* recognised_format(LineReader& lines) {
    const std::string_view start = lines.peek_bytes();
    const std::vector<std::string_view> content = content_of(lines);
    const auto is_of = [&](const TraceFormat& format) {
        return format.detect != nullptr ? format.detect(content) : format.detect_bytes(start);
    };
    const auto& formats = trace_formats();
    const auto found = std::find_if(formats.begin(), formats.end(), is_of);
    return found == formats.end() ? nullptr : &*found;
}

std::optional<TraceInfo> scan_trace(const TraceOptions& options, std::uint64_t limit,
                                    const ScanWatch& watch) {
    constexpr std::uint64_t kTellEvery = 1 << 16;
    if (!can_be_read_twice(options.path)) {
        return std::nullopt;
    }
    const OpenTrace trace = open_unplaced(options);
    const bool survey = lays_out(trace, options);
    if (survey) {
        trace.reader->survey();
        limit = ~std::uint64_t{0};
    }
    TraceInfo info;
    info.format = trace.format;
    HostRequest request;
    while (info.requests < limit && trace.reader->next(request)) {
        ++info.requests;
        if (watch && info.requests % kTellEvery == 0) {
            watch(info.requests);
        }
        TraceInfo::Total& total = info.by_op[static_cast<std::size_t>(request.op)];
        ++total.count;
        total.bytes += request.bytes;
        info.end = std::max(info.end, request.offset + request.bytes);
        info.last_arrival = request.arrival;
    }
    info.inversions = trace.reader->inversions();
    info.skipped = trace.reader->skipped();
    if (survey) {
        info.devices = trace.reader->devices();
        info.end = info.devices.lay_out();
        if (info.end == DeviceMap::kTooLarge) {
            throw UserError(options.path, 1, "its devices laid end to end pass byte 2^63",
                            "choose one with workload.device");
        }
    }
    return info;
}

std::unique_ptr<TraceReader> open_trace(const TraceOptions& options, const TraceInfo* info) {
    OpenTrace trace = open_unplaced(options);
    if (lays_out(trace, options)) {
        std::optional<TraceInfo> scanned;
        if (info == nullptr) {
            scanned = scan_trace(options);
            info = scanned ? &*scanned : nullptr;
        }
        if (info != nullptr) {
            trace.reader->lay_out(info->devices);
        }
    }
    return std::move(trace.reader);
}

void require_within(const TraceOptions& options, const TraceInfo& info, std::uint64_t capacity,
                    std::uint64_t limit) {
    if (info.end <= capacity) {
        return;
    }
    FilterOptions filters;
    filters.limit = limit;
    filters.capacity = capacity;
    const auto source = apply_filters(open_trace(options, &info), filters);
    for (HostRequest request; source->next(request);) {
    }
}

} // namespace cavern
