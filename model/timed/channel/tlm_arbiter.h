#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <systemc>

#include "core/arbiter/arbiter_rules.h"
#include "core/arbiter/channel_arbiter_if.h"
#include "core/base/units.h"
#include "timed/tlm/event_queue.h"

namespace cavern {

/// The arbiter at transaction level: the rules of rtl/channel_arbiter.sv and
/// rtl/weighted_arbiter.sv without their clock. A free bus is granted at the very time of the
/// request or release that makes it possible, at most one delta cycle later, when all calls of the
/// same evaluation phase have been collected: their order cannot matter. Left out: waiting for a
/// clock edge, which costs the clocked forms up to one cycle a grant.
class TlmArbiter final : public sc_core::sc_module,
                         public ChannelArbiterIf,
                         private EventHandlerIf {
  public:
    /// `slots` 1..kMaxRequesters. A request is aged once it has waited `age_limit` times `period`
    /// (the arbiter's clock, picoseconds). The listener outlives the arbiter.
    TlmArbiter(const sc_core::sc_module_name& name, std::uint32_t slots, ArbiterPolicy policy,
               std::uint32_t age_limit, TimePs period, GrantListenerIf& listener);

    void request(std::uint32_t slot, BusClass bus_class) override;
    void release(std::uint32_t slot) override;
    void release_at(std::uint32_t slot, TimePs when) override;
    void use(EventQueue& events) override { events_ = &events; }

  private:
    void decide_when_free();
    void arbitrate();
    void on_event(std::uint64_t what) override;
    void decide();
    [[nodiscard]] std::uint32_t aged() const;

    std::uint32_t slots_;
    ArbiterPolicy policy_;
    std::unique_ptr<GrantRuleIf> rule_;
    TimePs age_limit_;
    GrantListenerIf& listener_;

    enum : std::uint64_t { kDecide, kBusFree }; ///< what an event is for
    EventQueue* events_ = nullptr;
    TimePs awaited_ = kNever; ///< the end of a phase for which an event is scheduled
    std::uint32_t requests_ = 0;
    std::uint32_t classes_ = 0;
    std::uint32_t last_;
    TimePs free_at_ = 0;      ///< until then the bus is held by slot last_; kNever: until release()
    bool collecting_ = false; ///< the decision has been asked for and is near
    sc_dt::uint64 collecting_since_ = 0;
    std::array<TimePs, kMaxRequesters> asked_at_{};
    sc_core::sc_event decide_{"decide"};
};

} // namespace cavern
