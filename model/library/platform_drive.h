#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <systemc>
#include <vector>

#include "config/drive_plan.h"
#include "core/data/host_data_if.h"
#include "drive/live_request.h"
#include "library/host_dma.h"
#include "nvme/nvme_ports.h"
#include "timed/host/host_interface.h"
#include "timed/tlm/slab.h"

namespace cavern {

class LiveDrive;

/// How a command of a platform ended.
enum class PlatformStatus : std::uint8_t {
    kDone,
    kLost,       ///< data read could not be corrected
    kRefused,    ///< the state of its zone forbids it
    kMemoryError ///< host memory answered with an error
};

/// Who gives commands to a PlatformDrive.
class PlatformClientIf {
  public:
    virtual ~PlatformClientIf() = default;
    /// The command is done, and its data are where they belong.
    virtual void finished(std::uint64_t tag, PlatformStatus status) = 0;
};

/// A drive inside somebody's simulation: a LiveDrive whose data lie in the platform's memory.
///
///   write  DMA from host memory -> LiveDrive -> done
///   read   LiveDrive -> DMA into host memory, page by page as they cross the link -> done
///
/// A write enters the host link of the drive when all of its data are in the controller. A command
/// whose data lie in the platform's own buffer needs no DMA.
class PlatformDrive final : public sc_core::sc_module, private HostDmaIf, private HostDataIf {
  public:
    HostDma dma;

    PlatformDrive(const sc_core::sc_module_name& name, const DrivePlan& config,
                  PlatformClientIf& client);
    ~PlatformDrive() override;

    /// `request.tag` comes back with PlatformClientIf::finished, never inside the call. The data of
    /// a read or write lie at `data`, which stays valid until then.
    void submit(const LiveRequest& request, std::byte* data);
    /// Submits a request whose data lie in host memory.
    void submit(const LiveRequest& request, const std::vector<nvme::Segment>& host);

    [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
    /// Commands not finished.
    [[nodiscard]] std::uint32_t outstanding() const { return commands_.used(); }
    /// Ssd::check_end_of_run. Throws ModelError unless nothing is under way.
    [[nodiscard]] std::uint64_t check() const;

  private:
    enum class CommandId : std::uint32_t {};
    struct Command {
        CommandId next = kNil<CommandId>;
        LiveRequest request;
        std::uint64_t tag = 0; ///< the client's
        std::byte* data = nullptr;
        std::int32_t buffer = 0; ///< index, where its data pass through one; else kNone
        std::uint32_t moves = 0; ///< of pages read, that have not reached host memory
        bool completed = false;  ///< by the drive
        PlatformStatus status = PlatformStatus::kDone;
    };
    /// The data of a command in the controller, and where they lie in host memory.
    struct Buffer {
        std::vector<std::byte> bytes;
        std::vector<nvme::Segment> host;
    };
    /// Told by the drive that a command of its host is completed, before it can be polled.
    struct Bell final : RequestLogIf {
        sc_core::sc_event rings{"command_completed"};
        void completed(const CompletedRequest&) override;
    };
    static constexpr std::int32_t kNone = -1;

    void begin(CommandId id, std::byte* data);
    void take(std::uint64_t tag, std::uint64_t offset, std::byte* to, std::uint32_t bytes) override;
    void give(std::uint64_t tag, std::uint64_t offset, const std::byte* from,
              std::uint32_t bytes) override;
    void moved(std::uint32_t ticket, bool ok) override;
    void take_completions();
    void find_segments(const Buffer& buffer, std::uint64_t offset, std::uint32_t bytes);
    void finish(CommandId id);
    [[nodiscard]] Buffer& buffer_of(const Command& command) {
        return buffers_[static_cast<std::size_t>(command.buffer)];
    }

    std::uint64_t capacity_ = 0;
    PlatformClientIf& client_;
    Bell bell_;
    Slab<Command, CommandId> commands_;
    std::deque<Buffer> buffers_; ///< stay where they are
    std::vector<std::int32_t> free_buffers_;
    std::vector<nvme::Segment> segments_; ///< of a page
    std::unique_ptr<LiveDrive> live_;
};

} // namespace cavern
