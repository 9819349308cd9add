#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/drive/decision_call.h"
#include "firmware/twin/decisions.h"
#include "firmware/twin/firmware_if.h"

namespace cavern {

/// A firmware that decides in place of the parts of a DriveCore: it is asked before them, and the
/// guided parts (GuidedPolicy, GuidedTrigger, GuidedAllocator, GuidedFtl) choose what it has
/// answered. Buffer, counters, versions and checks stay those of the core.
///
/// An answer that cannot be carried out, or not all of it, throws FirmwareError, which names
/// request and call.
class DecisionGuide final : public DecisionLogIf {
  public:
    /// Made for the same drive as the core, with nothing written.
    explicit DecisionGuide(std::shared_ptr<FirmwareIf> firmware) : firmware_(std::move(firmware)) {}

    void begin_request(std::uint64_t number) override { request_.begin(number); }
    void deciding(const DecisionCall& call) override;
    /// The core has decided what the firmware answered.
    void decided(const DecisionCall& call, const Decision& decision) override;
    void failed(const DecisionCall& call, const ModelError& error) override;

    // ---- for the guided parts: what is left of the answer to the call being decided

    /// Null: there is nothing to do.
    [[nodiscard]] const Batch* batch() const { return answer_.batch; }
    /// Null: no victim is left.
    [[nodiscard]] const Victim* victim() const {
        return has(victims_, [](const Batch& all) { return all.victims.size(); })
                   ? &answer_.batch->victims[victims_]
                   : nullptr;
    }
    void take_victim() { ++victims_; }
    /// Null: no operation is left.
    [[nodiscard]] const FlashOp* operation() const {
        return has(operations_, [](const Batch& all) { return all.ops.size(); })
                   ? &answer_.batch->ops[operations_]
                   : nullptr;
    }
    void take_operation() {
        host_programs_ -= operation()->is_hosts() ? 1 : 0;
        ++operations_;
    }
    /// Programs of host data among those left.
    [[nodiscard]] std::size_t host_programs() const { return host_programs_; }

  private:
    template <typename Size>
    [[nodiscard]] bool has(std::size_t taken, Size size) const {
        return answer_.batch != nullptr && taken < size(*answer_.batch);
    }

    std::shared_ptr<FirmwareIf> firmware_;
    RequestName request_;
    Decision answer_;
    std::size_t victims_ = 0;    ///< taken
    std::size_t operations_ = 0; ///< taken
    std::size_t host_programs_ = 0;
};

} // namespace cavern
