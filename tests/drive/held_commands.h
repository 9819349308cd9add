#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "timed/host/host_transport.h"
#include "timed/tlm/event_queue.h"
#include "timed/tlm/time.h"

namespace cavern::testing {

/// Carries as the transport inside does, and holds each command for a time of its own before the
/// device gets it.
class HeldCommands final : public HostTransportIf,
                           private TransportClientIf,
                           private EventHandlerIf {
  public:
    /// `times`: by number of the request.
    HeldCommands(std::unique_ptr<HostTransportIf> inner, std::vector<TimePs> times)
        : inner_(std::move(inner)), times_(std::move(times)) {}

    void connect(TransportClientIf& client) override {
        client_ = &client;
        inner_->connect(*this);
    }
    [[nodiscard]] bool may_issue(const HostRequest& next) override {
        return inner_->may_issue(next);
    }
    void issue(tlm::tlm_generic_payload& command, HostCommandExtension& extension) override {
        inner_->issue(command, extension);
    }
    void issued() override { inner_->issued(); }
    TimePs move_data(const Transfer& transfer) override { return inner_->move_data(transfer); }
    void answered(tlm::tlm_generic_payload& command, HostCommandExtension& extension) override {
        inner_->answered(command, extension);
    }
    [[nodiscard]] const std::vector<QueueStatistics>& queues() const override {
        return inner_->queues();
    }
    void reset_statistics() override { inner_->reset_statistics(); }
    [[nodiscard]] TimePs link_busy() const override { return inner_->link_busy(); }
    [[nodiscard]] std::uint64_t check_idle() const override { return inner_->check_idle(); }

  private:
    void command_here(tlm::tlm_generic_payload& command) override {
        const std::uint64_t request = HostCommandExtension::find(command)->id;
        held_.emplace(request, &command);
        events_.schedule(now_ps() + times_.at(request), *this, request);
    }
    void on_event(std::uint64_t request) override {
        tlm::tlm_generic_payload* command = held_.at(request);
        held_.erase(request);
        client_->command_here(*command);
    }
    void command_done(tlm::tlm_generic_payload& command) override {
        client_->command_done(command);
    }

    EventQueue events_{"held_commands"};
    std::unique_ptr<HostTransportIf> inner_;
    TransportClientIf* client_ = nullptr;
    std::vector<TimePs> times_;
    std::unordered_map<std::uint64_t, tlm::tlm_generic_payload*> held_; ///< by request
};

} // namespace cavern::testing
