#include <algorithm>
#include <utility>

#include "workload/field.h"
#include "workload/trace_format.h"

namespace cavern {
namespace {

constexpr std::int64_t kPsInNs = 1000;

/// The ASCII form of MQSim and SSDsim: five whole numbers between blanks, arrival time in
/// nanoseconds, device, first sector of 512 bytes, sectors, 1 for a read and 0 for a write. Time
/// counts from the first line.
class MqsimReader final : public TraceReader {
  public:
    explicit MqsimReader(LineReader lines) : TraceReader(std::move(lines), Clock::kFromFirst) {}

  private:
    static constexpr const char* kGoodLine =
        "a line is time, device, sector, sectors, op, such as 938513000 4 264719034 16 0";
    static constexpr NumberRule kTime{"time", kMax / kPsInNs,
                                      "time is a whole number of nanoseconds"};
    static constexpr NumberRule kDevice{"device", kMax32, "device is a whole number from 0"};
    static constexpr NumberRule kSector{"sector", kMax / kSectorBytes,
                                        "sector is a whole number of 512-byte sectors from 0"};
    static constexpr NumberRule kSectors{"sectors", kMax32 / kSectorBytes,
                                         "sectors of 512 bytes are from 1 to 8388607"};

    bool parse(std::string_view line, Record& record) override {
        const BlankFields<5> fields(line);
        if (fields.count != fields.text.size()) {
            fail_fields(fields.count, fields.text.size(), kGoodLine);
        }
        record.time = kPsInNs * static_cast<std::int64_t>(whole(fields.text[0], kTime));
        record.device = whole(fields.text[1], kDevice);
        record.offset = kSectorBytes * whole(fields.text[2], kSector);
        record.bytes = kSectorBytes * whole(fields.text[3], kSectors);
        if (fields.text[4] != "0" && fields.text[4] != "1") {
            fail("op " + quote(fields.text[4]) + " is unknown", "op is 1 (read) or 0 (write)");
        }
        record.op = fields.text[4] == "1" ? RequestOp::kRead : RequestOp::kWrite;
        return true;
    }
};

bool is_mqsim_line(std::string_view line) {
    const BlankFields<5> fields(line);
    return fields.count == fields.text.size() &&
           std::all_of(fields.text.begin(), fields.text.end(),
                       [](std::string_view text) {
                           return parse_whole(text, TraceReader::kMax).error == NumberError::kNone;
                       }) &&
           (fields.text[4] == "0" || fields.text[4] == "1");
}

void write_mqsim(OutputFile& out, const HostRequest& r) {
    out.print("{} 0 {} {} {}\n", r.arrival / kNs, r.offset / kSectorBytes, r.bytes / kSectorBytes,
              r.op == RequestOp::kRead ? 1 : 0);
}

constexpr TraceOutput kMqsimOutput{kSectorBytes, kSectorBytes, kNs,     false,
                                   false,        false,        nullptr, write_mqsim};

} // namespace

const TraceReading kMqsimTraces{any_line<is_mqsim_line>, make_reader<MqsimReader>, &kMqsimOutput};

} // namespace cavern
