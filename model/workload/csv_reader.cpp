#include <string>
#include <utility>

#include "workload/digits.h"
#include "workload/field.h"
#include "workload/trace_format.h"

namespace cavern {
namespace {

constexpr std::string_view kCsvHeader = "time_us,op,offset,size";
constexpr const char* kGoodOp =
    "op is R (read), W (write), WF (write with FUA), T (trim) or F (flush); a write may name its "
    "stream, such as W3 or WF3; "
    "of zones, A (append), ZO (open), ZC (close), ZF (finish) or ZR (reset)";
/// Letters of a kZone, in the order of ZoneAction from kOpen on.
constexpr std::string_view kZoneLetters = "OCFR";

/// The upper case of an ASCII letter.
constexpr char upper(char letter) {
    return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
}

/// This project's own form. The first line that is no comment is the header
/// `time_us,op,offset,size`; then one request a line: time in microseconds from the start of the
/// workload with up to six digits after the point, op R W WF (with FUA) T (trim) F (flush) in
/// either case, offset and size in bytes; a flush has size 0.
class CsvReader final : public TraceReader {
  public:
    explicit CsvReader(LineReader lines) : TraceReader(std::move(lines)) {}

  private:
    static constexpr const char* kGoodLine =
        "a line is time_us,op,offset,size, such as 12.5,R,4096,8192";
    static constexpr unsigned kPsDigits = 6;
    static constexpr NumberRule kTime{"time_us", kMax,
                                      "time_us is in microseconds from 0 to 9223372036854, with up "
                                      "to 6 digits after the point"};
    static constexpr NumberRule kOffset{"offset", kMax, "offset is a whole number of bytes from 0"};
    static constexpr NumberRule kSize{"size", kMax, "size is in bytes, below 2^63"};

    bool parse(std::string_view line, Record& record) override {
        if (!header_seen_) {
            if (trimmed(line) != kCsvHeader) {
                fail_header();
            }
            header_seen_ = true;
            return false;
        }
        return parse_plain(line, record) || parse_any(line, record);
    }

    /// A line as tools write them: no blanks, no numbers near the limits. False, and nothing said,
    /// for any other, right or wrong.
    static bool parse_plain(std::string_view line, Record& record) {
        if (line.size() < 8) {
            return false;
        }
        DigitScanner scanner(line.data(), line.data() + line.size());
        std::uint64_t whole = 0;
        std::uint64_t fraction = 0;
        const unsigned whole_digits = scanner.number(whole);
        unsigned fraction_digits = 0;
        char next = scanner.character();
        if (next == '.') {
            fraction_digits = scanner.number(fraction);
            if (fraction_digits == 0 || fraction_digits > kPsDigits) {
                return false;
            }
            next = scanner.character();
        }
        if (whole_digits == 0 || whole_digits > 12 || next != ',') {
            return false;
        }
        const std::size_t letter = place_of_letter(upper(scanner.character()));
        if (letter > static_cast<std::size_t>(RequestOp::kFlush)) {
            return false; // a command on a zone, or a mistake
        }
        record.op = static_cast<RequestOp>(letter);
        next = scanner.character();
        if (next != ',') {
            return false; // a stream, or a mistake
        }
        const unsigned offset_digits = scanner.number(record.offset);
        if (offset_digits == 0 || scanner.character() != ',') {
            return false;
        }
        const unsigned size_digits = scanner.number(record.bytes);
        record.time =
            static_cast<std::int64_t>(whole * digits::kPowersOfTen[kPsDigits] +
                                      fraction * digits::kPowersOfTen[kPsDigits - fraction_digits]);
        return scanner.at_end() && size_digits >= 1 && size_digits <= 9 &&
               (record.op != RequestOp::kFlush || record.bytes == 0);
    }

    bool parse_any(std::string_view line, Record& record) const {
        const Fields<4> fields(line);
        if (fields.count != fields.text.size()) {
            fail_fields(fields.count, fields.text.size(), kGoodLine);
        }
        record.time = time(fields.text[0], kPsDigits, true, kTime);
        const std::string_view word = trimmed(fields.text[1]);
        record.op = op(word);
        if (record.op == RequestOp::kZone) {
            record.zone = action(word);
        } else {
            record.zone = upper(word.front()) == 'A' ? ZoneAction::kAppend : ZoneAction::kNone;
            record.fua = record.op == RequestOp::kWrite && word.size() > 1 && upper(word[1]) == 'F';
            const std::string_view number = word.substr(record.fua ? 2 : 1);
            record.stream = number.empty() ? std::uint16_t{0} : stream(record.op, word, number);
        }
        record.offset = whole(fields.text[2], kOffset);
        record.bytes = whole(fields.text[3], kSize);
        if (record.op == RequestOp::kFlush && record.bytes != 0) {
            fail("a flush of " + std::to_string(record.bytes) + " bytes", "a flush has size 0");
        }
        if (record.op == RequestOp::kZone && record.bytes != 0) {
            fail("a command on a zone of " + std::to_string(record.bytes) + " bytes",
                 "it has size 0");
        }
        return true;
    }

    void finish() override {
        if (!header_seen_) {
            fail_header();
        }
    }

    [[nodiscard]] RequestOp op(std::string_view text) const {
        if (!text.empty()) {
            const char first = upper(text.front());
            const std::size_t letter = place_of_letter(first);
            if (letter < kRequestOps) {
                return static_cast<RequestOp>(letter);
            }
            if (first == 'A') {
                return RequestOp::kWrite;
            }
        }
        fail("op " + quote(text) + " is unknown", kGoodOp);
    }

    [[nodiscard]] ZoneAction action(std::string_view text) const {
        const std::size_t letter =
            text.size() == 2 ? kZoneLetters.find(upper(text[1])) : std::string_view::npos;
        if (letter == std::string_view::npos) {
            fail("op " + quote(text) + " is unknown", kGoodOp);
        }
        return static_cast<ZoneAction>(static_cast<std::size_t>(ZoneAction::kOpen) + letter);
    }

    [[nodiscard]] std::uint16_t stream(RequestOp op, std::string_view text,
                                       std::string_view number) const {
        const Number named = parse_whole(number, kMaxStream);
        if (op != RequestOp::kWrite || named.error != NumberError::kNone) {
            fail("op " + quote(text) + " is unknown", kGoodOp);
        }
        return static_cast<std::uint16_t>(named.value);
    }

    [[noreturn]] void fail_header() const {
        fail("the header is missing", "the first line is time_us,op,offset,size");
    }

    bool header_seen_ = false;
};

void write_csv(OutputFile& out, const HostRequest& r) {
    const DecimalTime time(r.arrival, 6);
    const char op =
        r.zone == ZoneAction::kAppend ? 'A' : kRequestLetters[static_cast<std::size_t>(r.op)];
    if (r.op == RequestOp::kZone) {
        const auto letter =
            static_cast<std::size_t>(r.zone) - static_cast<std::size_t>(ZoneAction::kOpen);
        out.print("{}{}{},{}{},{},{}\n", time.whole, time.dot(), time.text(), op,
                  kZoneLetters[letter], r.offset, r.bytes);
        return;
    }
    const std::string stream = r.stream != 0 ? std::to_string(r.stream) : "";
    out.print("{}{}{},{}{}{},{},{}\n", time.whole, time.dot(), time.text(), op, r.fua ? "F" : "",
              stream, r.offset, r.bytes);
}

constexpr TraceOutput kCsvOutput{1,
                                 1,
                                 1,
                                 true,
                                 true,
                                 true,
                                 [](OutputFile& out) { out.print("time_us,op,offset,size\n"); },
                                 write_csv};

bool is_csv_trace(const std::vector<std::string_view>& lines) {
    return !lines.empty() && trimmed(lines.front()) == kCsvHeader;
}

} // namespace

const TraceReading kCsvTraces{is_csv_trace, make_reader<CsvReader>, &kCsvOutput};

} // namespace cavern
