#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "timed/host/host_link.h"
#include "timed/host/host_transport.h"
#include "timed/host/link_direction.h"
#include "timed/tlm/event_queue.h"
#include "timed/tlm/time.h"

namespace cavern {

/// Commands over a link without queues in memory (SATA, direct). Data move first come first served,
/// as the device asks for them; commands and completions go between their frames. On a half-duplex
/// link all of them share one line. Data that do not follow those of the same command begin a new
/// stretch, which the link may have to announce. Completions that find one still waiting ride with
/// it, where the link reports several at once. `turnaround` is host software time of a command.
class LinkTransport final : public HostTransportIf, private EventHandlerIf {
  public:
    LinkTransport(EventQueue& events, std::unique_ptr<const HostLinkIf> link, TimePs turnaround);

    void connect(TransportClientIf& client) override { client_ = &client; }
    [[nodiscard]] bool may_issue(const HostRequest& next) override;
    void issue(tlm::tlm_generic_payload& command, HostCommandExtension& extension) override;
    void issued() override {}
    TimePs move_data(const Transfer& transfer) override;
    void answered(tlm::tlm_generic_payload& command, HostCommandExtension& extension) override;
    [[nodiscard]] const std::vector<QueueStatistics>& queues() const override { return queues_; }
    void reset_statistics() override {}
    [[nodiscard]] TimePs link_busy() const override {
        return lines_[0].busy(now_ps()) + lines_[1].busy(now_ps());
    }
    [[nodiscard]] std::uint64_t check_idle() const override;

  private:
    /// What a payload on its way has reached. Fits in the bit below a payload's alignment.
    enum class Step : std::uint8_t { kCommandHere, kDone };

    [[nodiscard]] LinkDirection& direction(bool to_host);
    void schedule(TimePs at, tlm::tlm_generic_payload& command, Step step);
    void perform(tlm::tlm_generic_payload& command, Step step);
    void on_event(std::uint64_t what) override;

    EventQueue& events_;
    std::unique_ptr<const HostLinkIf> link_;
    TimePs turnaround_;
    TransportClientIf* client_ = nullptr;
    std::uint32_t outstanding_ = 0;
    bool alone_ = false;                 ///< the outstanding command tolerates no other
    std::array<LinkDirection, 2> lines_; ///< to device, to host (one line when half duplex)
    // The stretch of data that moved last.
    bool stretch_to_host_ = false;
    std::uint64_t stretch_end_ = 0;   ///< address behind it
    std::uint64_t stretch_bytes_ = 0; ///< 0: none
    TimePs status_begin_ = 0;         ///< of the latest completion frame that reports several
    TimePs status_end_ = 0;
    std::vector<QueueStatistics> queues_; ///< none
};

} // namespace cavern
