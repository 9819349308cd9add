#include "core/workload/csv_reader.h"

#include <utility>

#include "core/workload/field.h"

namespace cavern {
namespace {

constexpr std::string_view kHeader = "time_us,op,offset,size";
constexpr const char* kGoodLine = "a line is time_us,op,offset,size, such as 12.5,R,4096,8192";

class CsvReader final : public TraceReader {
  public:
    explicit CsvReader(LineReader lines) : TraceReader(std::move(lines)) {}

  private:
    static constexpr unsigned kPsDigits = 6;
    static constexpr NumberRule kTime{"time_us", kMax,
                                      "time_us is in microseconds from 0 to 9223372036854, with up "
                                      "to 6 digits after the point"};
    static constexpr NumberRule kOffset{"offset", kMax, "offset is a whole number of bytes from 0"};
    static constexpr NumberRule kSize{"size", 0xFFFF'FFFF, "size is in bytes, at most 4294967295"};

    bool parse(std::string_view line, Record& record) override {
        if (!header_seen_) {
            if (trimmed(line) != kHeader) {
                fail_header();
            }
            header_seen_ = true;
            return false;
        }
        const Fields<4> fields(line);
        if (fields.count != fields.text.size()) {
            fail_fields(fields.count, fields.text.size(), kGoodLine);
        }
        record.time = time(fields.text[0], kPsDigits, true, kTime);
        record.op = op(trimmed(fields.text[1]));
        record.offset = whole(fields.text[2], kOffset);
        record.bytes = whole(fields.text[3], kSize);
        if (record.op == RequestOp::kFlush && record.bytes != 0) {
            fail("a flush of " + std::to_string(record.bytes) + " bytes", "a flush has size 0");
        }
        return true;
    }

    void finish() override {
        if (!header_seen_) {
            fail_header();
        }
    }

    [[nodiscard]] RequestOp op(std::string_view text) const {
        if (text.size() == 1) {
            switch (text.front()) {
            case 'R':
                return RequestOp::kRead;
            case 'W':
                return RequestOp::kWrite;
            case 'T':
                return RequestOp::kTrim;
            case 'F':
                return RequestOp::kFlush;
            default:
                break;
            }
        }
        fail("op " + quote(text) + " is unknown",
             "op is R (read), W (write), T (trim) or F (flush)");
    }

    [[noreturn]] void fail_header() const {
        fail("the header is missing", "the first line is time_us,op,offset,size");
    }

    bool header_seen_ = false;
};

} // namespace

bool is_csv_trace(const std::vector<std::string_view>& lines) {
    return !lines.empty() && trimmed(lines.front()) == kHeader;
}

std::unique_ptr<TraceReader> make_csv_reader(LineReader lines) {
    return std::make_unique<CsvReader>(std::move(lines));
}

} // namespace cavern
