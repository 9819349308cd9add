#include <algorithm>
#include <utility>

#include "workload/field.h"
#include "workload/trace_format.h"

namespace cavern {
namespace {

/// The flags, at most eight hexadecimal digits.
bool parse_flags(std::string_view text, unsigned& flags) {
    flags = 0;
    for (const char c : text) {
        const unsigned digit = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                               : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a') + 10
                               : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A') + 10
                                                      : 16;
        if (digit == 16) {
            return false;
        }
        flags = flags << 4 | digit;
    }
    return !text.empty() && text.size() <= 8;
}

/// The ASCII form of DiskSim (Bucy, Schindler, Schlosser, Ganger, "The DiskSim Simulation
/// Environment", reference manual, input traces): five numbers between blanks, arrival time in
/// milliseconds, device, first block of 512 bytes, blocks, flags in hexadecimal of which bit 0 is
/// set for a read. Time counts from the first line.
class DisksimReader final : public TraceReader {
  public:
    explicit DisksimReader(LineReader lines) : TraceReader(std::move(lines), Clock::kFromFirst) {}

  private:
    static constexpr const char* kGoodLine =
        "a line is time, device, block, blocks, flags, such as 15849.28847 0 6198696 8 1";
    static constexpr NumberRule kTime{"time", kMax, "time is in milliseconds, such as 5265.313"};
    static constexpr NumberRule kDevice{"device", kMax32, "device is a whole number from 0"};
    static constexpr NumberRule kBlock{"block", kMax / kSectorBytes,
                                       "block is a whole number of 512-byte blocks from 0"};
    static constexpr NumberRule kBlocks{"blocks", kMax32 / kSectorBytes,
                                        "blocks of 512 bytes are from 1 to 8388607"};

    bool parse(std::string_view line, Record& record) override {
        const BlankFields<5> fields(line);
        if (fields.count != fields.text.size()) {
            fail_fields(fields.count, fields.text.size(), kGoodLine);
        }
        record.time = time(fields.text[0], kMillisecondsDigits, false, kTime);
        record.device = whole(fields.text[1], kDevice);
        record.offset = kSectorBytes * whole(fields.text[2], kBlock);
        record.bytes = kSectorBytes * whole(fields.text[3], kBlocks);
        unsigned flags = 0;
        if (!parse_flags(fields.text[4], flags)) {
            fail("flags " + quote(fields.text[4]) + " are not hexadecimal",
                 "flags are such as 1 (read) or 0 (write)");
        }
        record.op = (flags & 1u) != 0 ? RequestOp::kRead : RequestOp::kWrite;
        return true;
    }
};

bool is_disksim_line(std::string_view line) {
    const BlankFields<5> fields(line);
    unsigned flags = 0;
    return fields.count == fields.text.size() &&
           fields.text[0].find('.') != std::string_view::npos &&
           parse_decimal(fields.text[0], TraceReader::kMillisecondsDigits, TraceReader::kMax,
                         ExcessDigits::kDrop)
                   .error == NumberError::kNone &&
           std::all_of(fields.text.begin() + 1, fields.text.begin() + 4,
                       [](std::string_view text) {
                           return parse_whole(text, TraceReader::kMax).error == NumberError::kNone;
                       }) &&
           parse_flags(fields.text[4], flags);
}

void write_disksim(OutputFile& out, const HostRequest& r) {
    const DecimalTime time(r.arrival, 9, 1); // with a point always: it tells the format from mqsim
    out.print("{}.{} 0 {} {} {}\n", time.whole, time.text(), r.offset / kSectorBytes,
              r.bytes / kSectorBytes, r.op == RequestOp::kRead ? 1 : 0);
}

constexpr TraceOutput kDisksimOutput{kSectorBytes, kSectorBytes, 1,       false,
                                     false,        false,        nullptr, write_disksim};

} // namespace

const TraceReading kDisksimTraces{any_line<is_disksim_line>, make_reader<DisksimReader>,
                                  &kDisksimOutput};

} // namespace cavern
