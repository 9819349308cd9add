#pragma once

#include <cstdint>

#include "timed/channel/flash_queues.h"

namespace cavern {

/// Carries out what the core decided: each die gets its next ready operation (FlashQueues), and
/// when one has ended, what waited for it goes on. Everything happens inside calls, but that it
/// waits for data whose time is known.
class FlashScheduler final : public NandClientIf, private EventHandlerIf {
  public:
    using Params = FlashQueues::Params;
    FlashScheduler(const Geometry& geometry, const Params& params, FlashClientIf& client,
                   EventQueue& events)
        : client_(client), queues_(geometry, params, client, events, *this) {}

    /// Operations go in here.
    [[nodiscard]] FlashQueues& queues() { return queues_; }
    [[nodiscard]] const FlashQueues& queues() const { return queues_; }

    /// The data of a program, of which the client did not know when it would be at hand, is so at
    /// time `at`, which is not past.
    void data_ready(OpId op, TimePs at);
    /// The same of a page read to be copied, which is stored then.
    void data_stored(OpId op, TimePs at);
    void operation_finished(DieId die) override;
    void page_out(DieId die, std::uint32_t which) override;
    void operation_latched(DieId die) override;
    void operation_suspended(DieId die) override;
    bool next_read(DieId die) override;
    bool cached_read_out(DieId die) override;
    void cache_free(DieId die) override;
    void program_finished(DieId die) override;

    /// Operations submitted and not completed.
    [[nodiscard]] std::uint64_t outstanding() const { return queues_.submitted() - completed_; }
    /// Throws ModelError unless nothing is under way. Returns facts compared.
    std::uint64_t check_idle() const;

  private:
    void complete(OpId id);
    void programmed(OpId id);
    void hand_over(OpId id);
    void done(OpId id);
    void go_on_behind(DieId die);
    void on_event(std::uint64_t what) override;

    FlashClientIf& client_;
    FlashQueues queues_;
    OpGraph& graph_ = queues_.graph();
    PageTransfers& transfers_ = queues_.transfers();
    const DieRules& rules_ = queues_.rules();
    std::uint64_t completed_ = 0;
};

} // namespace cavern
