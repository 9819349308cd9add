#pragma once

#include <cstdint>
#include <memory>
#include <systemc>

#include "core/arbiter/channel_arbiter_if.h"
#include "core/arbiter/clocked_arbiter_if.h"
#include "core/base/divisor.h"
#include "core/base/units.h"
#include "timed/tlm/event_queue.h"

namespace cavern {

/// Puts an arbiter that works edge by edge (RTL, its twin, or both) behind ChannelArbiterIf. Edge k
/// is at k * period. A call at time t is sampled at the first edge strictly after t, so a call made
/// at the instant of an edge belongs to the next one whatever the order of the processes. A grant
/// counts from the time of its edge: the listener is told then.
///
/// Gated, only the first edge after a call is evaluated. That is exact, because between two such
/// edges the arbiter's state is a fixed point. Let edge k have been evaluated, with requests R, and
/// let no call follow; at edge k + 1 the inputs are R without the winner of edge k, and no release.
///  - The bus is held after k: without release nothing is granted and the grant stands. It is free
///    after k: then R was empty, for a free bus with a request is granted; nothing is granted at k
///    + 1.
///  - Every line of R but the winner's is waiting and stamped since k at the latest, so no stamp is
///    taken at k + 1. Every line that is low was low at k, or is the winner's, whose waiting bit
///    the grant cleared: clearing it again changes nothing.
///  - The pointer moves only with a grant.
/// Hence edge k + 1 is the identity, and by induction so is every edge before the next call. Ages
/// do not count edges: they are differences of the input `time`, which carries the edge's number.
///
/// Ungated, every edge from time 0 on is evaluated until gate(): slow, for proving the above.
class ClockedArbiter final : public sc_core::sc_module,
                             public ChannelArbiterIf,
                             private EventHandlerIf {
  public:
    /// `slots` 1..kMaxRequesters, `period` in picoseconds. The listener outlives the arbiter.
    ClockedArbiter(const sc_core::sc_module_name& name, std::unique_ptr<ClockedArbiterIf> model,
                   std::uint32_t slots, TimePs period, bool gated, GrantListenerIf& listener);

    void request(std::uint32_t slot, BusClass bus_class) override;
    void release(std::uint32_t slot) override;
    void release_at(std::uint32_t slot, TimePs when) override;
    void use(EventQueue& events) override { events_ = &events; }

    /// Gated from now on, which changes no grant. An ungated arbiter keeps the simulation alive
    /// until then.
    void gate();

    [[nodiscard]] const ClockedArbiterIf& model() const { return *model_; }
    /// Clock edges evaluated so far.
    [[nodiscard]] std::uint64_t edges() const { return edges_; }

  private:
    static constexpr std::uint64_t kEdge = 0;
    static constexpr std::uint64_t kRelease = 1;

    void on_event(std::uint64_t what) override;
    ArbiterInputs& inputs_to_change();
    void schedule(std::uint64_t edge);
    void tick();
    void release_now();
    void merge_late_calls();
    void check_grant(const ArbiterOutputs& outputs, bool free) const;

    std::unique_ptr<ClockedArbiterIf> model_;
    std::uint32_t slots_;
    WideDivisor period_; ///< ps
    bool gated_;
    GrantListenerIf& listener_;
    EventQueue* events_ = nullptr; ///< stands for the two SystemC events, if there is one

    ArbiterInputs inputs_; ///< at the edge scheduled next
    ArbiterInputs late_;   ///< added at that edge by calls that came at its very instant
    bool scheduled_ = false;
    std::uint64_t edge_ = 0; ///< scheduled next
    TimePs edge_time_ = 0;
    std::uint64_t edges_ = 0;

    bool held_ = false;
    bool released_ = false; ///< the holder has called, its edge is still to come
    std::uint32_t holder_ = 0;
    TimePs release_due_ = kNever; ///< announced by release_at
    sc_core::sc_event edge_event_{"edge"};
    sc_core::sc_event release_event_{"release"};
};

} // namespace cavern
