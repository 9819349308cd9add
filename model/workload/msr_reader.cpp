#include <algorithm>
#include <optional>
#include <utility>

#include "workload/field.h"
#include "workload/trace_format.h"

namespace cavern {
namespace {

constexpr std::string_view kMsrHeader =
    "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime";
constexpr std::int64_t kTickPs = 100'000;

/// The form of the MSR Cambridge traces (Narayanan, Donnelly, Rowstron, "Write Off-Loading", FAST
/// 2008): `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`, the timestamp a Windows
/// filetime in units of 100 ns, type Read or Write, offset and size in bytes. The first line of the
/// trace is time zero; response times are not used. A device is a host and a disk, "prxy_0".
class MsrReader final : public TraceReader {
  public:
    explicit MsrReader(LineReader lines) : TraceReader(std::move(lines)) {}

  private:
    static constexpr const char* kGoodLine =
        "a line is Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime, such as "
        "128166372003061629,hm,0,Read,383496192,32768,413";
    static constexpr NumberRule kTimestamp{"Timestamp", kMax,
                                           "Timestamp is a whole number of 100 ns units"};
    static constexpr NumberRule kDisk{"DiskNumber", kMax, "DiskNumber is a whole number from 0"};
    static constexpr NumberRule kOffset{"Offset", kMax, "Offset is a whole number of bytes from 0"};
    static constexpr NumberRule kSize{"Size", 0xFFFF'FFFF, "Size is in bytes, 1 to 4294967295"};

    bool parse(std::string_view line, Record& record) override {
        if (trimmed(line) == kMsrHeader) {
            return false;
        }
        const Fields<7> fields(line);
        if (fields.count != fields.text.size()) {
            fail_fields(fields.count, fields.text.size(), kGoodLine);
        }
        record.host = trimmed(fields.text[1]);
        if (record.host.empty()) {
            fail("Hostname is missing", kGoodLine);
        }
        record.device = whole(fields.text[2], kDisk);
        record.op = type(trimmed(fields.text[3]));
        record.offset = whole(fields.text[4], kOffset);
        record.bytes = whole(fields.text[5], kSize);
        record.time = since_first(fields.text[0]);
        return true;
    }

    std::int64_t since_first(std::string_view text) {
        const auto ticks = static_cast<std::int64_t>(whole(text, kTimestamp));
        if (!first_ticks_) {
            first_ticks_ = ticks;
        }
        constexpr std::int64_t kMaxTicks = static_cast<std::int64_t>(kMax) / kTickPs;
        const std::int64_t passed = ticks - *first_ticks_;
        if (passed > kMaxTicks || passed < -kMaxTicks) {
            fail("Timestamp " + quote(trimmed(text)) + " is more than 106 days from the first",
                 "a trace spans at most 106 days");
        }
        return passed * kTickPs;
    }

    [[nodiscard]] RequestOp type(std::string_view text) const {
        if (text == "Read") {
            return RequestOp::kRead;
        }
        if (text != "Write") {
            fail("Type " + quote(text) + " is unknown", "Type is Read or Write");
        }
        return RequestOp::kWrite;
    }

    std::optional<std::int64_t> first_ticks_;
};

bool is_msr_line(std::string_view line) {
    const Fields<7> fields(line);
    if (fields.count != fields.text.size()) {
        return false;
    }
    const std::string_view type = trimmed(fields.text[3]);
    return trimmed(line) == kMsrHeader ||
           ((type == "Read" || type == "Write") &&
            parse_whole(fields.text[0], TraceReader::kMax).error == NumberError::kNone);
}

/// 1970-01-01 as the MSR traces count time: units of 100 ns since 1601.
constexpr std::uint64_t kFileTimeBase = 116'444'736'000'000'000;

void write_msr(OutputFile& out, const HostRequest& r) {
    out.print("{},trace,0,{},{},{},0\n", kFileTimeBase + r.arrival / (100 * kNs),
              r.op == RequestOp::kRead ? "Read" : "Write", r.offset, r.bytes);
}

constexpr TraceOutput kMsrOutput{1, 1, 100 * kNs, false, false, false, nullptr, write_msr};

} // namespace

const TraceReading kMsrTraces{any_line<is_msr_line>, make_reader<MsrReader>, &kMsrOutput};

} // namespace cavern
