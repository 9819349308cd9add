#include <array>

#include <utility>

#include "workload/field.h"
#include "workload/trace_format.h"

namespace cavern {
namespace {

constexpr std::string_view kVersion2 = "fio version 2 iolog";
constexpr std::string_view kVersion3 = "fio version 3 iolog";
constexpr std::uint64_t kPsInUs = 1'000'000;
constexpr const char* kActions =
    "actions are read, write, trim, sync, datasync, add, open, close, in version 2 also wait";

/// An iolog of fio ("Trace file format v2" and "v3" in its manual). The first line is
/// `fio version 2 iolog` or `fio version 3 iolog`; then `FILE ACTION [OFFSET LENGTH]`, in version 3
/// after a time in microseconds from the start of the run. Actions: read, write, trim, sync and
/// datasync (both a flush), add, open and close (nothing happens), in version 2 also wait with the
/// microseconds that pass. Each file is a device, called "FILE_0".
class FioIologReader final : public TraceReader {
  public:
    explicit FioIologReader(LineReader lines) : TraceReader(std::move(lines)) {}

  private:
    static constexpr NumberRule kTime{"time", kMax / kPsInUs,
                                      "time is in whole microseconds from the start of the run"};
    static constexpr NumberRule kWait{"wait", kMax / kPsInUs, "wait takes whole microseconds"};
    static constexpr NumberRule kOffset{"offset", kMax, "offset is a whole number of bytes from 0"};
    static constexpr NumberRule kLength{"length", kMax, "length is in bytes, below 2^63"};

    bool parse(std::string_view line, Record& record) override {
        if (version_ == 0) {
            read_version(trimmed(line));
            return false;
        }
        const BlankFields<5> fields(line);
        const std::size_t shift = version_ == 3 ? 1 : 0; // the time comes first
        if (fields.count < 2 + shift) {
            fail_fields(fields.count, 2 + shift, good_line());
        }
        const std::string_view action = fields.text[1 + shift];
        if (version_ == 3) {
            now_ = kPsInUs * whole(fields.text[0], kTime);
        }
        if (action == "add" || action == "open" || action == "close") {
            require_fields(fields.count, 2 + shift);
            return false;
        }
        if (action == "wait" && version_ == 2) {
            wait(fields);
            return false;
        }
        record.op = op(action);
        record.host = fields.text[shift];
        record.time = static_cast<std::int64_t>(now_);
        if (record.op == RequestOp::kFlush && fields.count == 2 + shift) {
            return true;
        }
        require_fields(fields.count, 4 + shift);
        record.offset = whole(fields.text[2 + shift], kOffset);
        record.bytes = whole(fields.text[3 + shift], kLength);
        if (record.op == RequestOp::kFlush) {
            record.offset = record.bytes = 0; // fio writes those of the last request
        }
        return true;
    }

    void read_version(std::string_view line) {
        version_ = line == kVersion2 ? 2 : line == kVersion3 ? 3 : 0;
        if (version_ == 0) {
            fail_version();
        }
    }

    void wait(const BlankFields<5>& fields) {
        if (fields.count < 3 || fields.count > 4) { // with or without a length of no meaning
            fail_fields(fields.count, 3, good_line());
        }
        const std::uint64_t pause = kPsInUs * whole(fields.text[2], kWait);
        if (pause > kMax - now_) {
            fail("the waits add up to more than 106 days", "a trace spans at most 106 days");
        }
        now_ += pause;
    }

    void require_fields(std::size_t count, std::size_t needed) const {
        if (count != needed) {
            fail_fields(count, needed, good_line());
        }
    }

    [[nodiscard]] RequestOp op(std::string_view action) const {
        if (action == "read") {
            return RequestOp::kRead;
        }
        if (action == "write") {
            return RequestOp::kWrite;
        }
        if (action == "trim") {
            return RequestOp::kTrim;
        }
        if (action == "sync" || action == "datasync") {
            return RequestOp::kFlush;
        }
        fail("action " + quote(action) + " is unknown", kActions);
    }

    [[nodiscard]] const char* good_line() const {
        return version_ == 3 ? "a line is time, file, action, offset, length, such as 878 "
                               "/dev/sdb write 0 16384"
                             : "a line is file, action, offset, length, such as /dev/sdb write 0 "
                               "16384";
    }

    void finish() override {
        if (version_ == 0) {
            fail_version();
        }
    }

    [[noreturn]] void fail_version() const {
        fail("the version is missing",
             "the first line is fio version 2 iolog, or fio version 3 iolog");
    }

    int version_ = 0;
    std::uint64_t now_ = 0;
};

void write_fio_iolog(OutputFile& out, const HostRequest& r) {
    constexpr std::array kWritten{"read", "write", "trim", "sync"};
    out.print("{} trace {} {} {}\n", r.arrival / kUs, kWritten.at(static_cast<std::size_t>(r.op)),
              r.offset, r.bytes);
}

constexpr TraceOutput kFioIologOutput{
    1,
    1,
    kUs,
    true,
    true,
    false,
    [](OutputFile& out) { out.print("fio version 3 iolog\n0 trace add\n0 trace open\n"); },
    write_fio_iolog};

bool is_fio_iolog_trace(const std::vector<std::string_view>& lines) {
    return !lines.empty() &&
           (trimmed(lines.front()) == kVersion2 || trimmed(lines.front()) == kVersion3);
}

} // namespace

const TraceReading kFioIologTraces{is_fio_iolog_trace, make_reader<FioIologReader>,
                                   &kFioIologOutput};

} // namespace cavern
