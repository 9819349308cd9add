#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/device_map.h"
#include "workload/field.h"
#include "workload/line_reader.h"
#include "workload/position.h"
#include "workload/request.h"

namespace cavern {

/// The part that all trace formats share: skipping empty lines and "#" comments, laying devices end
/// to end, keeping time monotone, and naming the line of a mistake. A format derives from it and
/// parses one line, or one record where `lines` has records; open_trace() makes the right one.
class TraceReader : public RequestSourceIf, public PositionIf {
  public:
    /// Times and offsets stay below this, so that sums and differences fit.
    static constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
    static constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();
    /// Digits after the point that reach a picosecond.
    static constexpr unsigned kSecondsDigits = 12;
    static constexpr unsigned kMillisecondsDigits = 9;

    bool next(HostRequest& request) final;
    [[nodiscard]] SourcePosition position() const final {
        return {lines_.name(), reorder_window_ > 0 ? delivered_line_ : lines_.line_number(),
                lines_.has_records()};
    }
    /// Requests whose time lay before that of their predecessor, and was raised to it.
    [[nodiscard]] std::uint64_t inversions() const { return inversions_; }
    /// Lines left out because they carry a known artefact of the tool that wrote the trace, or a
    /// command whose extent the format does not say.
    [[nodiscard]] std::uint64_t skipped() const { return skipped_; }
    /// The devices met so far (survey), or those given to lay_out().
    [[nodiscard]] const DeviceMap& devices() const { return devices_; }

    // How devices become one address space; to be chosen before the first next(). By default every
    // request keeps its offset and a second device is an error.
    /// Collects the devices and their ends; offsets are delivered as they stand.
    void survey() { placement_ = Placement::kSurvey; }
    /// Places each device where `devices` says.
    void lay_out(const DeviceMap& devices);
    /// Delivers only the requests of `device` ("3", "prxy_0").
    void choose(std::string_view device);

  protected:
    struct Record {
        std::int64_t time = 0; ///< ps, may lie before zero
        std::uint64_t offset = 0;
        std::uint64_t bytes = 0;
        RequestOp op = RequestOp::kRead;
        std::uint16_t stream = 0;
        ZoneAction zone = ZoneAction::kNone;
        bool fua = false;         ///< of a write
        bool flush_first = false; ///< a flush at the same time goes before (needs reordering)
        std::string_view host;
        std::uint64_t device = 0;
    };
    /// The meaning of time zero.
    enum class Clock : std::uint8_t {
        kAsWritten, ///< the zero of the trace
        kFromFirst, ///< the first request, of whatever device
    };
    /// A number in a line: its name, its largest value, and the second half of the message.
    struct NumberRule {
        const char* name;
        std::uint64_t max;
        const char* right;
    };

    /// A window sorts requests by time as far as they lie at most that number of lines from
    /// their place; equal times keep the order of the lines.
    explicit TraceReader(LineReader lines, Clock clock = Clock::kAsWritten,
                         std::size_t reorder_window = 0);

    /// Reads one line; false where it is no request (a header). Reports mistakes with fail().
    virtual bool parse(std::string_view line, Record& record) = 0;
    /// For parse(), which then returns false: the line is an artefact, not a mistake of the user.
    void skip_artefact() { ++skipped_; }
    /// Called when the input has ended.
    virtual void finish() {}

    [[nodiscard]] std::uint64_t whole(std::string_view text, const NumberRule& rule) const;
    /// A decimal number of a unit of 10^`digits` ps, in ps; with `exact` more digits are an error.
    [[nodiscard]] std::int64_t time(std::string_view text, unsigned digits, bool exact,
                                    const NumberRule& rule) const;
    /// The line has `count` fields but needs `needed`; `right` shows a good line.
    [[noreturn]] void fail_fields(std::size_t count, std::size_t needed, const char* right) const;
    [[noreturn]] void fail(const std::string& what, const std::string& right) const;

  private:
    enum class Placement : std::uint8_t { kSingle, kSurvey, kLaidOut, kChosen };

    /// A request on its way through the window.
    struct Waiting {
        std::int64_t time = 0;
        std::uint64_t order = 0;
        std::uint64_t offset = 0;
        std::size_t line = 0;
        std::uint64_t bytes = 0;
        RequestOp op = RequestOp::kRead;
        bool fua = false;
        bool wanted = false;
    };
    static bool later(const Waiting& a, const Waiting& b) {
        return a.time != b.time ? a.time > b.time : a.order > b.order;
    }

    [[nodiscard]] bool read_record(Record& record);
    [[nodiscard]] bool next_in_order(HostRequest& request);
    void push(const Record& record, RequestOp op, bool wanted);
    void count_time(Record& record);
    void deliver(const Waiting& waiting, HostRequest& request);
    void finish_all();
    [[nodiscard]] bool place(Record& record);
    void require_single(const Record& record);
    [[nodiscard]] bool is_chosen(const Record& record);
    void check_extent(const Record& record) const;
    [[noreturn]] void fail_number(std::string_view text, NumberError error,
                                  const NumberRule& rule) const;

    LineReader lines_;
    Clock clock_;
    std::size_t reorder_window_;
    std::vector<Waiting> window_; ///< a heap, the earliest on top
    std::uint64_t order_ = 0;
    bool input_ended_ = false;
    std::size_t delivered_line_ = 0;
    std::optional<std::int64_t> first_time_;
    std::uint64_t skipped_ = 0;
    Placement placement_ = Placement::kSingle;
    DeviceMap devices_;
    std::optional<std::string> chosen_host_;
    std::uint64_t chosen_number_ = 0;
    std::optional<std::string> met_host_;
    std::int64_t last_time_ = 0;
    std::uint64_t inversions_ = 0;
};

} // namespace cavern
