#include "workload/trace_writer.h"

#include <array>
#include <utility>

#include "core/base/error.h"

namespace cavern {
namespace {

constexpr std::uint64_t kSector = 512;
/// 1970-01-01 as the MSR traces count time: units of 100 ns since 1601.
constexpr std::uint64_t kFileTimeBase = 116'444'736'000'000'000;

/// `ps` in units of 10^`digits` ps, exact, with no zeros at the end beyond `least` decimals.
struct Decimal {
    std::uint64_t whole;
    std::array<char, 16> fraction{};
    std::size_t size;

    Decimal(TimePs ps, unsigned digits, std::size_t least = 0) : size(digits) {
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
    [[nodiscard]] std::string_view dot() const { return size > 0 ? "." : ""; }
    [[nodiscard]] std::string_view text() const { return {fraction.data(), size}; }
};

bool is_read(const HostRequest& request) {
    return request.op == RequestOp::kRead;
}

void no_head(OutputFile& /*out*/) {}

void csv_line(OutputFile& out, const HostRequest& r) {
    constexpr std::string_view kLetters = "RWTF";
    static_assert(
        static_cast<int>(RequestOp::kRead) == 0 && static_cast<int>(RequestOp::kWrite) == 1 &&
        static_cast<int>(RequestOp::kTrim) == 2 && static_cast<int>(RequestOp::kFlush) == 3);
    const Decimal time(r.arrival, 6);
    out.print("{}{}{},{},{},{}\n", time.whole, time.dot(), time.text(),
              kLetters[static_cast<std::size_t>(r.op)], r.offset, r.bytes);
}

void spc_line(OutputFile& out, const HostRequest& r) {
    const Decimal time(r.arrival, 12, 6);
    out.print("0,{},{},{},{}.{}\n", r.offset / kSector, r.bytes, is_read(r) ? 'R' : 'W', time.whole,
              time.text());
}

void msr_line(OutputFile& out, const HostRequest& r) {
    out.print("{},trace,0,{},{},{},0\n", kFileTimeBase + r.arrival / (100 * kNs),
              is_read(r) ? "Read" : "Write", r.offset, r.bytes);
}

void disksim_line(OutputFile& out, const HostRequest& r) {
    const Decimal time(r.arrival, 9, 1); // with a point always: it tells the format from mqsim
    out.print("{}.{} 0 {} {} {}\n", time.whole, time.text(), r.offset / kSector, r.bytes / kSector,
              is_read(r) ? 1 : 0);
}

void mqsim_line(OutputFile& out, const HostRequest& r) {
    out.print("{} 0 {} {} {}\n", r.arrival / kNs, r.offset / kSector, r.bytes / kSector,
              is_read(r) ? 1 : 0);
}

void fio_line(OutputFile& out, const HostRequest& r) {
    constexpr std::array kActions{"read", "write", "trim", "sync"};
    out.print("{} trace {} {} {}\n", r.arrival / kUs, kActions.at(static_cast<std::size_t>(r.op)),
              r.offset, r.bytes);
}

} // namespace

const std::vector<TraceOutputFormat>& trace_output_formats() {
    static const std::vector<TraceOutputFormat> formats{
        {"csv", 1, 1, 1, true, true, [](OutputFile& out) { out.print("time_us,op,offset,size\n"); },
         csv_line},
        {"spc", kSector, 1, 1, false, false, no_head, spc_line},
        {"msr", 1, 1, 100 * kNs, false, false, no_head, msr_line},
        {"disksim", kSector, kSector, 1, false, false, no_head, disksim_line},
        {"mqsim", kSector, kSector, kNs, false, false, no_head, mqsim_line},
        {"fio", 1, 1, kUs, true, true,
         [](OutputFile& out) { out.print("fio version 3 iolog\n0 trace add\n0 trace open\n"); },
         fio_line},
    };
    return formats;
}

const TraceOutputFormat& trace_output_format(std::string_view name) {
    std::string names;
    for (const TraceOutputFormat& format : trace_output_formats()) {
        if (format.name == name) {
            return format;
        }
        names += (names.empty() ? "" : ", ") + std::string(format.name);
    }
    throw UserError("<command line>", 1,
                    "traces cannot be written as \"" + std::string(name) + "\"",
                    "the formats are " + names);
}

TraceWriter::TraceWriter(const std::string& path, const TraceOutputFormat& format, bool lossy)
    : format_(format), out_(path == "-" ? "/dev/stdout" : path), lossy_(lossy) {
    format_.head(out_);
}

bool TraceWriter::can_say(const HostRequest& request) const {
    return (request.op != RequestOp::kTrim || format_.has_trim) &&
           (request.op != RequestOp::kFlush || format_.has_flush);
}

void TraceWriter::write(HostRequest request, const SourcePosition& where) {
    if (!can_say(request)) {
        if (!lossy_) {
            throw UserError(std::string(where.file), where.line,
                            std::string("a ") +
                                (request.op == RequestOp::kTrim ? "trim" : "flush") +
                                " has no form in " + std::string(format_.name),
                            "csv and fio have one; --lossy leaves it out");
        }
        ++left_out_;
        return;
    }
    if (request.offset % format_.offset_unit != 0 || request.bytes % format_.size_unit != 0) {
        if (!lossy_) {
            throw UserError(std::string(where.file), where.line,
                            "the request is not made of whole sectors, as " +
                                std::string(format_.name) + " needs",
                            "csv, msr and fio take any byte; --lossy rounds to sectors");
        }
        const std::uint64_t end = request.offset + request.bytes;
        request.offset -= request.offset % format_.offset_unit;
        const std::uint64_t bytes = end - request.offset;
        request.bytes = static_cast<std::uint32_t>((bytes + format_.size_unit - 1) /
                                                   format_.size_unit * format_.size_unit);
        ++widened_;
    }
    format_.line(out_, request);
    ++written_;
}

} // namespace cavern
