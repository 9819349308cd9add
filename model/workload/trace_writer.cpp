#include "workload/trace_writer.h"

#include "core/base/error.h"
#include "workload/trace_format.h"

namespace cavern {
const TraceFormat& written_format(std::string_view name) {
    std::string names;
    for (const TraceFormat& format : trace_formats()) {
        if (format.output == nullptr) {
            continue;
        }
        if (format.name == name) {
            return format;
        }
        names += (names.empty() ? "" : ", ") + std::string(format.name);
    }
    throw UserError("<command line>", 1,
                    "traces cannot be written as \"" + std::string(name) + "\"",
                    "the formats are " + names);
}

TraceWriter::TraceWriter(const std::string& path, const TraceFormat& format, bool lossy)
    : name_(format.name), format_(*format.output), out_(path), lossy_(lossy) {
    if (format_.head != nullptr) {
        format_.head(out_);
    }
}

void TraceWriter::drop_marks(HostRequest& request, const SourcePosition& where) {
    if ((request.stream == 0 && !request.fua) || format_.has_marks) {
        return;
    }
    if (!lossy_) {
        throw error_at(where,
                       std::string(request.stream != 0 ? "a stream" : "a write with FUA") +
                           " has no form in " + std::string(name_),
                       "csv has one; --lossy leaves it out");
    }
    request.stream = 0;
    request.fua = false;
    ++unmarked_;
}

bool TraceWriter::can_say(const HostRequest& request) const {
    return (request.zone == ZoneAction::kNone || format_.has_marks) &&
           (request.op != RequestOp::kTrim || format_.has_trim) &&
           (request.op != RequestOp::kFlush || format_.has_flush);
}

void TraceWriter::write(HostRequest request, const SourcePosition& where) {
    if (!can_say(request)) {
        if (!lossy_) {
            throw error_at(
                where,
                std::string("a ") +
                    (request.zone != ZoneAction::kNone ? "command on a zone"
                     : request.op == RequestOp::kTrim  ? "trim"
                                                       : "flush") +
                    " has no form in " + std::string(name_),
                std::string(request.zone != ZoneAction::kNone ? "csv has" : "csv and fio have") +
                    " one; --lossy leaves it out");
        }
        ++left_out_;
        return;
    }
    if (request.offset % format_.offset_unit != 0 || request.bytes % format_.size_unit != 0) {
        if (!lossy_) {
            throw error_at(where,
                           "the request is not made of whole sectors, as " + std::string(name_) +
                               " needs",
                           "csv, msr and fio take any byte; --lossy rounds to sectors");
        }
        const std::uint64_t end = request.offset + request.bytes;
        request.offset -= request.offset % format_.offset_unit;
        const std::uint64_t bytes = end - request.offset;
        request.bytes = (bytes + format_.size_unit - 1) / format_.size_unit * format_.size_unit;
        ++widened_;
    }
    drop_marks(request, where);
    format_.line(out_, request);
    ++written_;
}

DecimalTime::DecimalTime(TimePs ps, unsigned digits, std::size_t least) : size(digits) {
    std::uint64_t unit = 1;
    for (unsigned i = 0; i < digits; ++i) {
        unit *= 10;
    }
    whole = ps / unit;
    std::uint64_t rest = ps % unit;
    for (std::size_t i = digits; i > 0; --i) {
        fraction[i - 1] = static_cast<char>('0' + rest % 10);
        rest /= 10;
    }
    while (size > least && fraction[size - 1] == '0') {
        --size;
    }
}

} // namespace cavern
