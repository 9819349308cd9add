#include "workload/trace_reader.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"

namespace cavern {

TraceReader::TraceReader(LineReader lines, Clock clock, std::size_t reorder_window)
    : lines_(std::move(lines)), clock_(clock), reorder_window_(reorder_window) {
    if (reorder_window_ > 0) {
        window_.reserve(reorder_window_ + 2);
    }
}

bool TraceReader::read_record(Record& record) {
    std::string_view line;
    while (lines_.next(line)) {
        if (!lines_.has_records() &&
            (line.empty() || line.front() == '#' || trimmed(line).empty())) {
            continue;
        }
        record = Record{};
        if (parse(line, record)) {
            check_extent(record);
            return true;
        }
    }
    return false;
}

void TraceReader::count_time(Record& record) {
    if (clock_ == Clock::kFromFirst) {
        if (!first_time_) {
            first_time_ = record.time;
        }
        record.time -= *first_time_;
    }
    if (record.time < last_time_) {
        ++inversions_;
        record.time = last_time_;
    }
    last_time_ = record.time;
}

bool TraceReader::next(HostRequest& request) {
    if (reorder_window_ > 0) {
        return next_in_order(request);
    }
    Record record;
    while (read_record(record)) {
        if (clock_ == Clock::kFromFirst && !first_time_) {
            first_time_ = record.time;
        }
        if (!place(record)) {
            continue;
        }
        count_time(record);
        request.arrival = static_cast<TimePs>(record.time);
        request.offset = record.offset;
        request.bytes = record.bytes;
        request.op = record.op;
        request.fua = record.fua;
        request.stream = record.stream;
        request.zone = record.zone;
        return true;
    }
    finish_all();
    return false;
}

void TraceReader::push(const Record& record, RequestOp op, bool wanted) {
    const bool flush = op == RequestOp::kFlush;
    window_.push_back({record.time, order_++, flush ? 0 : record.offset, lines_.line_number(),
                       flush ? 0 : record.bytes, op, record.fua && !flush, wanted});
    std::push_heap(window_.begin(), window_.end(), later);
}

bool TraceReader::next_in_order(HostRequest& request) {
    for (;;) {
        while (!input_ended_ && window_.size() <= reorder_window_) {
            Record record;
            if (!read_record(record)) {
                input_ended_ = true;
                break;
            }
            const bool wanted = place(record);
            if (record.flush_first) {
                push(record, RequestOp::kFlush, wanted);
            }
            push(record, record.op, wanted);
        }
        if (window_.empty()) {
            finish_all();
            return false;
        }
        std::pop_heap(window_.begin(), window_.end(), later);
        const Waiting earliest = window_.back();
        window_.pop_back();
        if (!first_time_) {
            first_time_ = earliest.time;
        }
        if (earliest.wanted) {
            deliver(earliest, request);
            return true;
        }
    }
}

void TraceReader::deliver(const Waiting& waiting, HostRequest& request) {
    Record record;
    record.time = waiting.time;
    count_time(record);
    request.arrival = static_cast<TimePs>(record.time);
    request.offset = waiting.offset;
    request.bytes = waiting.bytes;
    request.op = waiting.op;
    request.fua = waiting.fua;
    delivered_line_ = waiting.line;
}

void TraceReader::finish_all() {
    finish();
    if (placement_ == Placement::kChosen && !met_host_) {
        const std::string wanted = chosen_host_ ? device_name(*chosen_host_, chosen_number_)
                                                : std::to_string(chosen_number_);
        fail("the trace has no request of device " + quote(wanted),
             devices_.devices().empty() ? "it has no requests at all"
                                        : "its devices are " + devices_.names());
    }
}

void TraceReader::check_extent(const Record& record) const {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    if (record.bytes == 0 && record.op != RequestOp::kFlush && record.op != RequestOp::kZone) {
        fail("size is zero", "a read, write or trim has at least one byte");
    }
    if (record.bytes > kMost && record.op != RequestOp::kTrim) {
        fail("size \"" + std::to_string(record.bytes) + "\" is too large",
             "a read or write has at most 4294967295 bytes");
    }
    if (record.bytes > kMax || record.offset > kMax - record.bytes) {
        fail("the request ends beyond byte 2^63", "offsets and sizes stay below that");
    }
}

bool TraceReader::place(Record& record) {
    switch (placement_) {
    case Placement::kSingle:
        require_single(record);
        return true;
    case Placement::kSurvey: {
        DeviceMap::Device* device = devices_.add(record.host, record.device);
        if (device == nullptr) {
            fail("the trace has more than " + std::to_string(DeviceMap::kMaxDevices) + " devices",
                 "choose one with workload.device");
        }
        device->end = std::max(device->end, record.offset + record.bytes);
        return true;
    }
    case Placement::kLaidOut: {
        const DeviceMap::Device* device = devices_.find(record.host, record.device);
        if (device == nullptr || record.offset + record.bytes > device->end) {
            fail("this request was not in the trace when it was looked through first",
                 "leave the file alone while it is read");
        }
        record.offset += device->base;
        return true;
    }
    case Placement::kChosen:
        break;
    }
    return is_chosen(record);
}

void TraceReader::require_single(const Record& record) {
    if (devices_.find(record.host, record.device) != nullptr) {
        return;
    }
    if (!devices_.devices().empty()) {
        fail("a second device, " + quote(device_name(record.host, record.device)) +
                 ", in an input that cannot be read twice to lay devices end to end",
             "give a file, or choose a device with workload.device");
    }
    static_cast<void>(devices_.add(record.host, record.device));
}

bool TraceReader::is_chosen(const Record& record) {
    if (record.device == chosen_number_ && (!chosen_host_ || record.host == *chosen_host_)) {
        if (!met_host_) {
            met_host_ = record.host;
        } else if (record.host != *met_host_) {
            fail("device " + std::to_string(chosen_number_) + " exists on several hosts",
                 "write " + quote(device_name(*met_host_, chosen_number_)) + " or " +
                     quote(device_name(record.host, chosen_number_)));
        }
        return true;
    }
    if (!met_host_) {
        // Remembered for the message that names what the trace has instead.
        static_cast<void>(devices_.add(record.host, record.device));
    }
    return false;
}

void TraceReader::lay_out(const DeviceMap& devices) {
    devices_ = devices;
    placement_ = Placement::kLaidOut;
}

void TraceReader::choose(std::string_view device) {
    const std::size_t mark = device.rfind('_');
    std::string_view number = device;
    if (mark != std::string_view::npos) {
        chosen_host_ = device.substr(0, mark);
        number = device.substr(mark + 1);
    }
    const Number parsed = parse_whole(number, kMax);
    if (parsed.error != NumberError::kNone) {
        throw UserError(lines_.name(), 1, "workload.device " + quote(device) + " names no device",
                        "a device is its number, such as 3, or host and number, such as prxy_0");
    }
    chosen_number_ = parsed.value;
    placement_ = Placement::kChosen;
}

std::uint64_t TraceReader::whole(std::string_view text, const NumberRule& rule) const {
    const Number number = parse_whole(text, rule.max);
    if (number.error != NumberError::kNone) {
        fail_number(text, number.error, rule);
    }
    return number.value;
}

std::int64_t TraceReader::time(std::string_view text, unsigned digits, bool exact,
                               const NumberRule& rule) const {
    const Number number =
        parse_decimal(text, digits, rule.max, exact ? ExcessDigits::kReject : ExcessDigits::kDrop);
    if (number.error != NumberError::kNone) {
        fail_number(text, number.error, rule);
    }
    return static_cast<std::int64_t>(number.value);
}

void TraceReader::fail_number(std::string_view text, NumberError error,
                              const NumberRule& rule) const {
    const std::string name = rule.name;
    if (error != NumberError::kEmpty) {
        fail(name + " " + quote(trimmed(text)) + " " + std::string(describe(error)), rule.right);
    }
    fail(lines_.line_is_unterminated() ? "the trace ends inside this line, before its " + name
                                       : name + " is missing",
         rule.right);
}

void TraceReader::fail_fields(std::size_t count, std::size_t needed, const char* right) const {
    const std::string have = std::to_string(count);
    const std::string need = std::to_string(needed);
    if (count > needed) {
        fail("the line has " + have + " fields instead of " + need, right);
    }
    if (lines_.line_is_unterminated()) {
        fail("the trace ends inside this line (" + have + " of " + need + " fields)", right);
    }
    fail("the line has " + have + " of " + need + " fields", right);
}

void TraceReader::fail(const std::string& what, const std::string& right) const {
    throw error_at(lines_.position(), what, right);
}

} // namespace cavern
