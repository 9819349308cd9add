#include <algorithm>
#include <array>
#include <utility>

#include "workload/field.h"
#include "workload/trace_format.h"

namespace cavern {
namespace {

// Each CPU has its own buffer; blkparse merges them in batches. 47 lines were seen.
constexpr std::size_t kReorderWindow = 1024;

using LineFields = BlankFields<10>;
constexpr std::size_t kActionField = 5;
constexpr std::size_t kHeadFields = 7; ///< up to the kind

/// Whether blkparse prints the line around the events.
bool is_summary(std::string_view line) {
    constexpr std::array<std::string_view, 9> kStarts{
        "CPU",         "Total",    "Reads ", "Read ", "IO unplugs:", "Timer unplugs:",
        "Throughput ", "Events (", "Skips:"};
    constexpr std::string_view kInput = "Input file ";
    line = trimmed(line);
    const auto begins = [line](std::string_view start) {
        return line.substr(0, start.size()) == start;
    };
    return begins(kInput) || std::any_of(kStarts.begin(), kStarts.end(), begins);
}

/// "8,33" in its two numbers.
bool split_device(std::string_view text, std::string_view& major, std::uint64_t& minor) {
    const std::size_t comma = text.find(',');
    if (comma == std::string_view::npos) {
        return false;
    }
    major = text.substr(0, comma);
    const Number number = parse_whole(text.substr(comma + 1), TraceReader::kMax32);
    minor = number.value;
    return number.error == NumberError::kNone &&
           parse_whole(major, TraceReader::kMax32).error == NumberError::kNone;
}

bool is_event(const LineFields& fields) {
    std::string_view major;
    std::uint64_t minor = 0;
    return fields.count >= kHeadFields && split_device(fields.text[0], major, minor) &&
           parse_whole(fields.text[1], TraceReader::kMax32).error == NumberError::kNone &&
           fields.text[3].find('.') != std::string_view::npos &&
           fields.text[kActionField].size() <= 2;
}

/// The text that blkparse(1) prints by default: device as `major,minor`, CPU, sequence number, time
/// in seconds, process, action, kind, first sector, `+`, sectors, process name. Of the actions the
/// requests issued to the driver (D) count, or, where the head of the trace has none, those queued
/// (Q). Kinds with D are trims; a kind that begins with F gives a flush first, and is nothing else
/// where device-mapper has taken its blocks away; WF is a write with FUA. The per-CPU order of the
/// text is undone within 1024 lines. A time beyond 106 days is an artefact of the tracer and
/// skipped. Time counts from the first request. Devices are called "8_33".
class BlkparseReader final : public TraceReader {
  public:
    BlkparseReader(LineReader lines, char action)
        : TraceReader(std::move(lines), Clock::kFromFirst, kReorderWindow), action_(action) {}

  private:
    static constexpr const char* kGoodLine = "a line is device, CPU, number, time, process, "
                                             "action, kind, sector + sectors, such as 8,33 21 "
                                             "1 0.000094763 6742 D WS 4194352 + 8 [dd]";
    static constexpr NumberRule kTime{"time", kMax, "time is in seconds, such as 0.000094763"};
    static constexpr NumberRule kSector{"sector", kMax / kSectorBytes,
                                        "sector is a whole number of 512-byte sectors from 0"};
    static constexpr NumberRule kSectors{"sectors", kMax / kSectorBytes,
                                         "a count of sectors of 512 bytes, from 1"};

    bool parse(std::string_view line, Record& record) override {
        const LineFields fields(line);
        if (fields.count < 1 || !split_device(fields.text[0], record.host, record.device)) {
            if (is_summary(line)) {
                return false;
            }
            fail("the line does not begin with a device", kGoodLine);
        }
        if (fields.count < kHeadFields) {
            fail_fields(fields.count, fields.text.size(), kGoodLine);
        }
        const std::string_view action = fields.text[kActionField];
        if (action.size() != 1 || action.front() != action_) {
            return false;
        }
        return read_kind(fields, record) && read_extent(fields, record) &&
               read_time(fields.text[3], record);
    }

    /// False for a command that moves no blocks (a passed-through one).
    bool read_kind(const LineFields& fields, Record& record) const {
        const std::string_view kind = fields.text[6];
        const bool flush_first = kind.size() > 1 && kind.front() == 'F';
        if (flush_first && fields.count > 7 && fields.text[7].front() == '[') {
            record.op = RequestOp::kFlush; // behind it stands the process
            return true;
        }
        switch (kind[flush_first ? 1 : 0]) {
        case 'R':
            record.op = RequestOp::kRead;
            break;
        case 'W':
            record.op = RequestOp::kWrite;
            record.fua = kind.substr(flush_first ? 2 : 1, 1) == "F";
            break;
        case 'D':
            record.op = RequestOp::kTrim;
            break;
        case 'F':
            record.op = RequestOp::kFlush;
            return true;
        case 'N':
            record.op = RequestOp::kFlush;
            return flush_first;
        default:
            fail("kind " + quote(kind) + " is unknown",
                 "a kind has R, W, D, F or N, such as WS or RM");
        }
        record.flush_first = flush_first;
        return true;
    }

    bool read_extent(const LineFields& fields, Record& record) const {
        if (record.op == RequestOp::kFlush) {
            return true;
        }
        if (fields.count > 8 && fields.text[8].substr(0, 1) == "(") {
            return false; // a passed-through command with its bytes
        }
        if (fields.count < fields.text.size()) {
            fail_fields(fields.count, fields.text.size(), kGoodLine);
        }
        if (fields.text[8] != "+") {
            fail(quote(fields.text[8]) + " stands where + should", kGoodLine);
        }
        record.offset = kSectorBytes * whole(fields.text[7], kSector);
        record.bytes = kSectorBytes * whole(fields.text[9], kSectors);
        return true;
    }

    bool read_time(std::string_view text, Record& record) {
        if (parse_decimal(text, kSecondsDigits, kMax, ExcessDigits::kDrop).error ==
            NumberError::kTooLarge) {
            skip_artefact();
            return false;
        }
        record.time = time(text, kSecondsDigits, false, kTime);
        return true;
    }

    char action_;
};

bool is_blkparse_trace(const std::vector<std::string_view>& lines) {
    return std::any_of(lines.begin(), lines.end(),
                       [](std::string_view line) { return is_event(LineFields(line)); });
}

std::unique_ptr<TraceReader> make_blkparse_reader(LineReader lines) {
    const std::vector<std::string_view> head = lines.peek();
    const auto has = [&head](std::string_view action) {
        return std::any_of(head.begin(), head.end(), [action](std::string_view line) {
            const LineFields fields(line);
            return is_event(fields) && fields.text[kActionField] == action;
        });
    };
    return std::make_unique<BlkparseReader>(std::move(lines), has("D") || !has("Q") ? 'D' : 'Q');
}

} // namespace

const TraceReading kBlkparseTraces{is_blkparse_trace, make_blkparse_reader};

} // namespace cavern
