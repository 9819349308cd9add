#include <algorithm>
#include <utility>

#include "workload/field.h"
#include "workload/trace_format.h"

namespace cavern {
namespace {

/// The log of Sysinternals DiskMon: number, time in seconds, duration, disk, Read or Write, sector,
/// sectors of 512 bytes, between tabs. A sector that no disk can have (an offset of 2^63 bytes or
/// more) is an artefact of the driver and skipped. Time counts from the first line kept.
class DiskmonReader final : public TraceReader {
  public:
    explicit DiskmonReader(LineReader lines) : TraceReader(std::move(lines), Clock::kFromFirst) {}

  private:
    static constexpr const char* kGoodLine = "a line is number, time, duration, disk, Read or "
                                             "Write, sector, sectors, such as 7 0.613759 "
                                             "0.00968933 0 Write 215 8";
    static constexpr NumberRule kTime{"time", kMax, "time is in seconds from 0 to 9223372"};
    static constexpr NumberRule kDisk{"disk", kMax32, "disk is a whole number from 0"};
    static constexpr NumberRule kSector{"sector", ~std::uint64_t{0},
                                        "sector is a whole number of 512-byte sectors from 0"};
    static constexpr NumberRule kSectors{"sectors", kMax32 / kSectorBytes,
                                         "sectors of 512 bytes are from 1 to 8388607"};

    bool parse(std::string_view line, Record& record) override {
        const BlankFields<7> fields(line);
        if (fields.count != fields.text.size()) {
            fail_fields(fields.count, fields.text.size(), kGoodLine);
        }
        record.time = time(fields.text[1], kSecondsDigits, false, kTime);
        record.device = whole(fields.text[3], kDisk);
        if (fields.text[4] != "Read" && fields.text[4] != "Write") {
            fail("request " + quote(fields.text[4]) + " is unknown", "it is Read or Write");
        }
        record.op = fields.text[4] == "Read" ? RequestOp::kRead : RequestOp::kWrite;
        const std::uint64_t sector = whole(fields.text[5], kSector);
        if (sector > kMax / kSectorBytes) {
            skip_artefact();
            return false;
        }
        record.offset = kSectorBytes * sector;
        record.bytes = kSectorBytes * whole(fields.text[6], kSectors);
        return true;
    }
};

bool is_diskmon_line(std::string_view line) {
    const BlankFields<7> fields(line);
    return fields.count == fields.text.size() &&
           (fields.text[4] == "Read" || fields.text[4] == "Write") &&
           parse_whole(fields.text[0], TraceReader::kMax).error == NumberError::kNone &&
           parse_whole(fields.text[5], ~std::uint64_t{0}).error == NumberError::kNone;
}

} // namespace

const TraceReading kDiskmonTraces{any_line<is_diskmon_line>, make_reader<DiskmonReader>};

} // namespace cavern
