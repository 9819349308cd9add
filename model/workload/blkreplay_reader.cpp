#include <algorithm>
#include <utility>

#include "workload/field.h"
#include "workload/trace_format.h"

namespace cavern {
namespace {

constexpr std::size_t kNeededColumns = 4;

bool is_column_header(const Fields<4>& fields) {
    return fields.count >= kNeededColumns && trimmed(fields.text[0]) == "start" &&
           trimmed(fields.text[1]) == "sector" && trimmed(fields.text[2]) == "length" &&
           trimmed(fields.text[3]) == "op";
}

bool is_record(const Fields<4>& fields) {
    return fields.count >= kNeededColumns &&
           parse_decimal(fields.text[0], TraceReader::kSecondsDigits, TraceReader::kMax,
                         ExcessDigits::kDrop)
                   .error == NumberError::kNone &&
           parse_whole(fields.text[1], TraceReader::kMax).error == NumberError::kNone;
}

/// The .load form of blkreplay (Schoebel-Theuer): after a text, `start ; sector ; length ; op ;
/// replay_delay ; replay_duration` with start in seconds, sector and length in units of 512 bytes,
/// op R or W (flags may follow, as in RA); the two last fields are not used. Time counts from the
/// first line.
class BlkreplayReader final : public TraceReader {
  public:
    explicit BlkreplayReader(LineReader lines) : TraceReader(std::move(lines), Clock::kFromFirst) {}

  private:
    static constexpr const char* kGoodLine = "a line is start ; sector ; length ; op ; delay ; "
                                             "duration, such as 0.4495 ; 37766917 ; 14 ; W "
                                             "; 0.0 ; 0.0";
    static constexpr NumberRule kStart{"start", kMax, "start is in seconds from 0 to 9223372"};
    static constexpr NumberRule kSector{"sector", kMax / kSectorBytes,
                                        "sector is a whole number of 512-byte sectors from 0"};
    static constexpr NumberRule kLength{"length", kMax32 / kSectorBytes,
                                        "length is in sectors of 512 bytes, 1 to 8388607"};

    bool parse(std::string_view line, Record& record) override {
        const Fields<4> fields(line, ';');
        if (is_column_header(fields)) {
            return false;
        }
        // The notice at the head is free text; it ends for good with the first request.
        if (!in_requests_ && !is_record(fields)) {
            return false;
        }
        in_requests_ = true;
        if (fields.count < kNeededColumns) {
            fail_fields(fields.count, kNeededColumns, kGoodLine);
        }
        record.time = time(fields.text[0], kSecondsDigits, false, kStart);
        record.offset = kSectorBytes * whole(fields.text[1], kSector);
        record.bytes = kSectorBytes * whole(fields.text[2], kLength);
        const std::string_view op = trimmed(fields.text[3]);
        // The flags of blktrace may follow: RA is a read ahead.
        if (op.empty() || op.size() > 4 || (op.front() != 'R' && op.front() != 'W') ||
            op.find_first_not_of("AFSM", 1) != std::string_view::npos) {
            fail("op " + quote(op) + " is unknown", "op is R or W, perhaps with flags as in RA");
        }
        record.op = op.front() == 'R' ? RequestOp::kRead : RequestOp::kWrite;
        return true;
    }

    void finish() override {
        if (!in_requests_) {
            fail("the trace has no request", kGoodLine);
        }
    }

    bool in_requests_ = false;
};

bool is_blkreplay_trace(const std::vector<std::string_view>& lines) {
    return std::any_of(lines.begin(), lines.end(), [](std::string_view line) {
        const Fields<4> fields(line, ';');
        return is_column_header(fields) || is_record(fields);
    });
}

} // namespace

const TraceReading kBlkreplayTraces{is_blkreplay_trace, make_reader<BlkreplayReader>};

} // namespace cavern
