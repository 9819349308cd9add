#pragma once

#include <cstdint>
#include <memory>

#include "core/drive/decision_call.h"
#include "firmware/twin/decisions.h"
#include "firmware/twin/firmware_if.h"

namespace cavern {

/// Decision core and firmware side by side: the firmware is asked what the core has decided, call
/// by call, and both answers are compared (difference()). The first difference throws
/// FirmwareError, which names the request, the call and both answers.
class DecisionLockstep final : public DecisionLogIf {
  public:
    /// Made for the same drive as the core, with nothing written.
    explicit DecisionLockstep(std::shared_ptr<FirmwareIf> firmware)
        : firmware_(std::move(firmware)) {}

    void begin_request(std::uint64_t number) override { request_.begin(number); }
    void decided(const DecisionCall& call, const Decision& decision) override;
    void failed(const DecisionCall& call, const ModelError& error) override;

    /// Calls compared so far, and flash operations among their answers.
    [[nodiscard]] const ComparedDecisions* compared() const override { return &compared_; }

  private:
    std::shared_ptr<FirmwareIf> firmware_;
    RequestName request_;
    ComparedDecisions compared_;
};

} // namespace cavern
