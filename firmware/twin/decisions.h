#pragma once

#include <string>

#include "core/drive/decision_call.h"
#include "firmware/twin/firmware_if.h"

namespace cavern {

/// The firmware's answer to a call; valid until its next call. Throws ModelError where there is
/// none.
[[nodiscard]] Decision ask(FirmwareIf& firmware, const DecisionCall& call);

/// The first difference of two decisions, the core's and the firmware's; empty: none. Compared are
/// hit, frame, place of a read, versions, victims in order, units, dropped frames, and each field
/// of each flash operation in order.
[[nodiscard]] std::string difference(const Decision& core, const Decision& firmware);

/// In words, for a message.
[[nodiscard]] std::string text_of(const DecisionCall& call);
[[nodiscard]] std::string text_of(const Decision& decision);

/// Names the request of a call; calls before the first one are of preconditioning.
class RequestName {
  public:
    void begin(std::uint64_t number) {
        number_ = number;
        has_begun_ = true;
    }
    /// "request 17, write of logical page 5".
    [[nodiscard]] std::string with(const DecisionCall& call) const;

  private:
    std::uint64_t number_ = 0;
    bool has_begun_ = false;
};

} // namespace cavern
