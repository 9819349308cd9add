#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cavern {

/// Priority class of a submission queue (NVM Express Base Specification 1.4, 4.13.2).
enum class QueueClass : std::uint8_t { kUrgent, kHigh, kMedium, kLow };
inline constexpr std::array<std::string_view, 4> kQueueClasses{"urgent", "high", "medium", "low"};

/// From which submission queue a controller fetches next (4.13). It takes up to `burst` commands
/// from a queue before it looks further. Round robin: all queues in turn. Weighted: queues of the
/// urgent class first, whatever the others hold; then, in rounds, up to `weights` commands from
/// each of the classes high, medium and low, in this order, round robin among the queues of a
/// class; a class that holds none is passed over. Decides without time, and without the queues
/// themselves.
class NvmeArbiter {
  public:
    struct Params {
        bool weighted = false;
        std::uint32_t burst = 1;                            ///< commands; 0: no limit
        std::array<std::uint32_t, 3> weights{1, 1, 1};      ///< high, medium, low; from 1
        std::vector<QueueClass> classes{QueueClass::kHigh}; ///< of each queue
    };
    struct Choice {
        std::uint32_t queue = 0;
        std::uint32_t commands = 0; ///< 0: no queue holds any
    };

    explicit NvmeArbiter(Params params);

    /// `waiting` says how many commands each queue holds; at most `room` are to be taken. The
    /// choice counts as taken.
    [[nodiscard]] Choice choose(const std::vector<std::uint32_t>& waiting, std::uint32_t room);

  private:
    /// Queues served in turn.
    struct Ring {
        std::vector<std::uint32_t> queues;
        std::uint32_t turn = 0; ///< index of the queue that is served
        std::uint32_t left = 0; ///< of its burst; 0: it has not begun
    };

    Choice choose_in_turn(Ring& ring, const std::vector<std::uint32_t>& waiting,
                          std::uint32_t room) const;
    Choice choose_weighted(const std::vector<std::uint32_t>& waiting, std::uint32_t room);

    Params params_;
    std::array<Ring, 4> rings_;            ///< by class; unweighted, all queues are in the first
    std::array<std::uint32_t, 3> credits_; ///< left of the round: high, medium, low
};

} // namespace cavern
