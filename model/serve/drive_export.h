#pragma once

#include <cstdint>
#include <string>

#include "core/base/statistics.h"
#include "core/data/host_data_if.h"
#include "drive/live_drive.h"
#include "serve/nbd/export_if.h"
#include "serve/nbd/session.h"
#include "serve/serve_clock.h"
#include "timed/tlm/slab.h"

namespace cavern {

/// A LiveDrive as what a server exports: requests of sessions become requests of the drive, and
/// their memory is the memory of the host.
class DriveExport final : public nbd::ExportIf, public HostDataIf {
  public:
    /// Counts of requests since the start.
    struct Statistics {
        std::uint64_t requests = 0; ///< completed
        std::uint64_t errors = 0;   ///< of those, with data lost
        std::uint64_t bytes_read = 0;
        std::uint64_t bytes_written = 0;
        /// By how much an answer was later for its client than the drive says, if transport takes
        /// what the clock says; of a clock that is not free.
        Histogram late_ns;
    };

    explicit DriveExport(std::string description) : description_(std::move(description)) {}
    /// Before the first request. The drive has this object as the data of its commands. Latencies
    /// on the wall are measured against `clock`, which may be null.
    void connect(LiveDrive& drive, const ServeClock* clock);

    [[nodiscard]] std::uint64_t size() const override { return drive_->capacity(); }
    [[nodiscard]] std::uint32_t block_bytes() const override;
    [[nodiscard]] std::uint32_t preferred_bytes() const override;
    [[nodiscard]] const char* description() const override { return description_.c_str(); }
    void submit(nbd::Session& session, std::uint32_t slot,
                const nbd::ExportRequest& request) override;
    [[nodiscard]] nbd::Extent extent(std::uint64_t offset, std::uint64_t most) const override;

    void take(std::uint64_t tag, std::uint64_t offset, std::byte* to, std::uint32_t bytes) override;
    void give(std::uint64_t tag, std::uint64_t offset, const std::byte* from,
              std::uint32_t bytes) override;

    /// Requests of the server itself, without a session: a write, whose data stay until settle(); a
    /// flush; then all that is outstanding, as the time of the drive passes.
    void write(std::uint64_t offset, std::byte* data, std::uint32_t bytes);
    void flush();
    void settle();

    /// The drive has lost its power: its requests are forgotten, and nobody is told.
    void forget_requests() { requests_ = {}; }
    /// Hands completions of the drive to their sessions; returns how many there were.
    std::uint32_t deliver();

    [[nodiscard]] const Statistics& statistics() const { return statistics_; }
    /// Latencies of the drive since the last call, in ns.
    [[nodiscard]] Histogram take_latencies();

  private:
    enum class RequestId : std::uint32_t {};
    struct Request {
        RequestId next = kNil<RequestId>;
        nbd::Session* session = nullptr; ///< null: the server itself
        std::uint32_t slot = 0;
        nbd::ExportRequest what;
        ServeClock::Wall::time_point came{}; ///< when its client has sent it
    };

    void begin(const Request& request);
    [[nodiscard]] bool is_mapped(std::uint64_t page) const;
    [[nodiscard]] Request& request_of(std::uint64_t tag, std::uint64_t offset, std::uint32_t bytes);

    std::string description_;
    LiveDrive* drive_ = nullptr;
    const ServeClock* clock_ = nullptr;
    Slab<Request, RequestId> requests_;
    Statistics statistics_;
    Histogram latencies_ns_;
};

} // namespace cavern
