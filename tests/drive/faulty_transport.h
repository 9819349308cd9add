#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "timed/host/host_transport.h"

namespace cavern::testing {

enum class CarryFault : std::uint8_t {
    kNone,
    kLoseCommand,      ///< it does not reach the device
    kLoseAnswer,       ///< the device's answer does not set out
    kLoseCompletion,   ///< the host is not told
    kDeliverTwice,     ///< the device gets the command twice
    kCompleteTwice,    ///< the host is told twice
    kCompleteUnserved, ///< the host is told when the command has just reached the device
    kDeliverAnother,   ///< the device gets the command under the tag of another one
};

/// Carries as the transport inside does, and errs once: with the `at`-th command (of those that
/// reach the step at fault), counted from 1.
class FaultyTransport final : public HostTransportIf, private TransportClientIf {
  public:
    FaultyTransport(std::unique_ptr<HostTransportIf> inner, CarryFault fault, std::uint64_t at)
        : inner_(std::move(inner)), fault_(fault), left_(at) {}

    void connect(TransportClientIf& client) override {
        client_ = &client;
        inner_->connect(*this);
    }
    [[nodiscard]] bool may_issue(const HostRequest& next) override {
        return inner_->may_issue(next);
    }
    void issue(tlm::tlm_generic_payload& command, HostCommandExtension& extension) override {
        if (!strikes(CarryFault::kLoseCommand)) {
            inner_->issue(command, extension);
        }
    }
    void issued() override { inner_->issued(); }
    TimePs move_data(const Transfer& transfer) override { return inner_->move_data(transfer); }
    void answered(tlm::tlm_generic_payload& command, HostCommandExtension& extension) override {
        if (!strikes(CarryFault::kLoseAnswer)) {
            inner_->answered(command, extension);
        }
    }
    [[nodiscard]] const std::vector<QueueStatistics>& queues() const override {
        return inner_->queues();
    }
    void reset_statistics() override { inner_->reset_statistics(); }
    [[nodiscard]] TimePs link_busy() const override { return inner_->link_busy(); }
    [[nodiscard]] std::uint64_t check_idle() const override { return inner_->check_idle(); }

  private:
    void command_here(tlm::tlm_generic_payload& command) override {
        if (strikes(CarryFault::kCompleteUnserved)) {
            client_->command_done(command);
        }
        if (strikes(CarryFault::kDeliverAnother)) {
            HostCommandExtension::find(command)->tag ^= 1; // of an even number of tags
        }
        const bool twice = strikes(CarryFault::kDeliverTwice);
        client_->command_here(command);
        if (twice) {
            client_->command_here(command);
        }
    }
    void command_done(tlm::tlm_generic_payload& command) override {
        if (strikes(CarryFault::kLoseCompletion)) {
            return;
        }
        const bool twice = strikes(CarryFault::kCompleteTwice);
        client_->command_done(command);
        if (twice) {
            client_->command_done(command);
        }
    }
    bool strikes(CarryFault step) { return step == fault_ && --left_ == 0; }

    std::unique_ptr<HostTransportIf> inner_;
    TransportClientIf* client_ = nullptr;
    CarryFault fault_;
    std::uint64_t left_;
};

} // namespace cavern::testing
