#include <algorithm>
#include <utility>

#include "workload/field.h"
#include "workload/trace_format.h"

namespace cavern {
namespace {

constexpr std::uint64_t kMaxAsu = 0xFFFF'FFFF;

bool is_opcode(std::string_view text) {
    return text.size() == 1 && std::string_view("rRwW").find(text.front()) != text.npos;
}

/// The form of the UMass repository (SPC trace file format, revision 1.0.1, Storage Performance
/// Council): `ASU,LBA,size,opcode,timestamp` with the application storage unit as device, LBA in
/// blocks of 512 bytes, size in bytes, opcode r R w W, timestamp in seconds from the start; further
/// fields are ignored.
class SpcReader final : public TraceReader {
  public:
    explicit SpcReader(LineReader lines) : TraceReader(std::move(lines)) {}

  private:
    static constexpr const char* kGoodLine =
        "a line is ASU,LBA,size,opcode,timestamp, such as 0,20941264,8192,W,0.551706";
    static constexpr NumberRule kAsu{"ASU", kMaxAsu, "ASU is a whole number from 0"};
    static constexpr NumberRule kLba{"LBA", kMax / kSectorBytes,
                                     "LBA is a whole number of 512-byte blocks from 0"};
    static constexpr NumberRule kSize{"size", 0xFFFF'FFFF, "size is in bytes, 1 to 4294967295"};
    static constexpr NumberRule kTimestamp{
        "timestamp", kMax, "timestamp is in seconds from 0 to 9223372, such as 0.551706"};

    bool parse(std::string_view line, Record& record) override {
        const Fields<5> fields(line);
        if (fields.count < fields.text.size()) {
            fail_fields(fields.count, fields.text.size(), kGoodLine);
        }
        record.device = whole(fields.text[0], kAsu);
        record.offset = kSectorBytes * whole(fields.text[1], kLba);
        record.bytes = whole(fields.text[2], kSize);
        const std::string_view opcode = trimmed(fields.text[3]);
        if (!is_opcode(opcode)) {
            fail("opcode " + quote(opcode) + " is unknown", "opcode is R or W");
        }
        record.op = opcode == "R" || opcode == "r" ? RequestOp::kRead : RequestOp::kWrite;
        record.time = time(fields.text[4], kSecondsDigits, false, kTimestamp);
        return true;
    }
};

bool is_spc_line(std::string_view line) {
    const Fields<5> fields(line);
    return fields.count >= fields.text.size() &&
           parse_whole(fields.text[0], kMaxAsu).error == NumberError::kNone &&
           parse_whole(fields.text[1], TraceReader::kMax).error == NumberError::kNone &&
           parse_whole(fields.text[2], TraceReader::kMax).error == NumberError::kNone &&
           is_opcode(trimmed(fields.text[3])) &&
           parse_decimal(fields.text[4], TraceReader::kSecondsDigits, TraceReader::kMax,
                         ExcessDigits::kDrop)
                   .error == NumberError::kNone;
}

void write_spc(OutputFile& out, const HostRequest& r) {
    const DecimalTime time(r.arrival, 12, 6);
    out.print("0,{},{},{},{}.{}\n", r.offset / kSectorBytes, r.bytes,
              r.op == RequestOp::kRead ? 'R' : 'W', time.whole, time.text());
}

constexpr TraceOutput kSpcOutput{kSectorBytes, 1, 1, false, false, false, nullptr, write_spc};

} // namespace

const TraceReading kSpcTraces{any_line<is_spc_line>, make_reader<SpcReader>, &kSpcOutput};

} // namespace cavern
