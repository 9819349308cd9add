#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "timed/host/host_link.h"
#include "timed/host/host_transport.h"
#include "timed/tlm/alarm_clock.h"

namespace cavern {

/// Commands over a link that serves transfers in the order asked (SATA, direct). The link is
/// occupied by the command, by the data when the device asks for them, and by the completion;
/// `turnaround` is host software time of a command. Completions that find one still waiting for the
/// link ride with it, where the link reports several at once.
class LinkTransport final : public HostTransportIf, private AlarmIf {
  public:
    LinkTransport(AlarmClock& clock, std::unique_ptr<const HostLinkIf> link, TimePs turnaround);

    void connect(TransportClientIf& client) override { client_ = &client; }
    [[nodiscard]] bool may_issue(RequestOp op) const override;
    void issue(tlm::tlm_generic_payload& command, HostCommandExtension& extension) override;
    void issued() override {}
    TimePs move_data(const tlm::tlm_generic_payload& transfer) override;
    void answered(tlm::tlm_generic_payload& command, HostCommandExtension& extension) override;
    [[nodiscard]] const std::vector<QueueStatistics>& queues() const override { return queues_; }
    void reset_statistics() override {}
    [[nodiscard]] TimePs link_busy() const override { return busy_; }
    [[nodiscard]] std::uint64_t check_idle() const override;

  private:
    /// What a payload on its way has reached. Fits in the bit below a payload's alignment.
    enum class Step : std::uint8_t { kCommandHere, kDone };

    [[nodiscard]] TimePs occupy_link(bool to_host, TimePs duration);
    void schedule(TimePs at, tlm::tlm_generic_payload& command, Step step);
    void perform(tlm::tlm_generic_payload& command, Step step);
    void alarm(std::uint64_t what) override;

    AlarmClock& clock_;
    std::unique_ptr<const HostLinkIf> link_;
    TimePs turnaround_;
    TransportClientIf* client_ = nullptr;
    std::uint32_t outstanding_ = 0;
    bool alone_ = false;              ///< the outstanding command tolerates no other
    std::array<TimePs, 2> free_at_{}; ///< to device, to host (one link when half duplex)
    TimePs status_begin_ = 0;         ///< of the latest completion on the link
    TimePs status_end_ = 0;
    TimePs busy_ = 0;
    std::vector<QueueStatistics> queues_; ///< none
};

} // namespace cavern
