#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/base/geometry.h"
#include "results/poll_waits.h"
#include "results/request_lanes.h"
#include "timed/cpu/processor_log.h"
#include "timed/host/host_interface.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern {

/// Where something of a timeline stands.
struct Track {
    enum class Group : std::uint8_t { kChannels = 1, kDies, kHost, kProcessors, kPolls };
    Group group;
    std::uint32_t number = 0;
};

/// What is said of an event beside its name and its time.
struct Remark {
    using Value = std::variant<std::uint64_t, std::int64_t, bool, std::string_view,
                               const std::vector<std::uint64_t>*>;

    template <typename T>
    Remark(std::string_view what, const T& said) : name(what) {
        if constexpr (std::is_same_v<T, bool>) {
            value = said;
        } else if constexpr (std::is_same_v<T, std::vector<std::uint64_t>>) {
            value = &said;
        } else if constexpr (!std::is_integral_v<T>) {
            value = std::string_view(said);
        } else if constexpr (std::is_signed_v<T>) {
            value = std::int64_t{said};
        } else {
            value = std::uint64_t{said};
        }
    }

    std::string_view name;
    Value value; ///< text and list outlive the call that has it
};

using Remarks = std::initializer_list<Remark>;

/// A format in which a Timeline is written. Groups and tracks are named before anything stands on
/// them.
class TimelineEncodingIf {
  public:
    virtual ~TimelineEncodingIf() = default;
    virtual void name_group(Track::Group group, std::string_view name) = 0;
    virtual void name_track(Track track, std::string_view name) = 0;
    /// An arrow goes from the slice of each request in `flows`, on a track of the host, to each
    /// operation that has it in turn.
    virtual void slice(Track track, std::string_view name, TimePs start, TimePs duration,
                       Remarks remarks, const std::vector<std::uint64_t>& flows) = 0;
    /// `category` may be empty: it is of its track alone.
    virtual void instant(Track track, std::string_view name, std::string_view category, TimePs at,
                         Remarks remarks) = 0;
    /// A request waits for a processor: waits overlap.
    virtual void wait(std::uint64_t request, std::string_view name, TimePs from, TimePs until) = 0;
    /// Of the host.
    virtual void counter(std::string_view name, TimePs at, std::uint64_t value) = 0;
};

/// What happened when, in the formats of `--timeline` and `--perfetto`. One track for each channel
/// bus and die, and some for requests of the host, with arrows from each request to the operations
/// that it brought; one for each processor of the controller, with the functions of its firmware;
/// commands that wait for a processor; host queue and buffer occupancy as counters. Status polls of
/// a die are no phases of the bus there, but a slice for each operation that is waited for.
class Timeline final : public ActivityLogIf, public ProcessorLogIf, public RequestLogIf {
  public:
    /// Only what starts in `window` is written.
    Timeline(const Geometry& geometry, TimeWindow window, std::uint32_t processors);
    /// Before the run begins; it outlives finish().
    void write_to(TimelineEncodingIf& encoding);
    /// The run is over.
    void finish();

    void bus(ChannelId channel, std::uint32_t slot, const char* phase, TimePs start,
             TimePs duration, const NandExtension& command) override;
    void grant(ChannelId channel, std::uint32_t slot, TimePs at, TimePs waited) override;
    void array(DieId die, TimePs start, TimePs duration, const NandExtension& command) override;
    void host_queue(TimePs at, std::uint32_t outstanding) override;
    void buffer_pages(TimePs at, std::uint32_t resident) override;
    void completed(const CompletedRequest& request) override;
    void busy(const ProcessorWork& work) override;
    [[nodiscard]] bool follows(TimePs start) const override { return window_.contains(start); }
    void executed(const FunctionTime& function) override { functions_.push_back(function); }
    void interrupted(std::uint32_t number, TimePs at) override;
    void printed(const std::string& line, TimePs at) override;

  private:
    struct Grant {
        ChannelId channel;
        std::uint32_t slot;
        TimePs at;
        TimePs waited;
    };

    /// What has been polled of a die, up to here.
    void write_polls(DieId die);
    void counter(std::string_view name, TimePs at, std::uint32_t value);
    /// Of the firmware.
    void mark(std::string_view name, std::string_view category, TimePs at);
    /// Each once.
    [[nodiscard]] const std::vector<std::uint64_t>& requests_of(const NandExtension& command);
    /// Functions that were executed before `end`, inside what was written last; what is longer is
    /// cut there.
    void write_functions(TimePs end);

    Geometry geometry_;
    TimeWindow window_;
    std::uint32_t processors_;
    std::vector<TimelineEncodingIf*> encodings_;
    RequestLanes lanes_;
    std::uint32_t named_lanes_ = 0;
    Grant granted_{}; ///< told before its phase
    PollWaits polls_;
    std::vector<bool> named_polls_;       ///< by die
    std::vector<std::uint64_t> requests_; ///< scratch
    std::vector<FunctionTime> functions_; ///< executed in work that has not been told
};

} // namespace cavern
