#include "timed/host/nvme_arbiter.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace cavern {

NvmeArbiter::NvmeArbiter(Params params) : params_(std::move(params)), credits_(params_.weights) {
    for (std::uint32_t queue = 0; queue < params_.classes.size(); ++queue) {
        const auto ring = params_.weighted ? static_cast<std::size_t>(params_.classes[queue]) : 0;
        rings_[ring].queues.push_back(queue);
    }
}

NvmeArbiter::Choice NvmeArbiter::choose(const std::vector<std::uint32_t>& waiting,
                                        std::uint32_t room) {
    if (room == 0) {
        return {};
    }
    const Choice first = choose_in_turn(rings_[0], waiting, room);
    return first.commands != 0 || !params_.weighted ? first : choose_weighted(waiting, room);
}

NvmeArbiter::Choice NvmeArbiter::choose_weighted(const std::vector<std::uint32_t>& waiting,
                                                 std::uint32_t room) {
    for (const bool refilled : {false, true}) {
        if (refilled) {
            credits_ = params_.weights;
        }
        for (std::size_t level = 0; level < credits_.size(); ++level) {
            const Choice choice =
                choose_in_turn(rings_[level + 1], waiting, std::min(room, credits_[level]));
            if (choice.commands != 0) {
                credits_[level] -= choice.commands;
                return choice;
            }
        }
    }
    return {};
}

/// A queue that holds no more gives up the rest of its burst.
NvmeArbiter::Choice NvmeArbiter::choose_in_turn(Ring& ring,
                                                const std::vector<std::uint32_t>& waiting,
                                                std::uint32_t room) const {
    if (room == 0) {
        return {};
    }
    const auto queues = static_cast<std::uint32_t>(ring.queues.size());
    const auto pass_on = [&] {
        ring.turn = ring.turn + 1 == queues ? 0 : ring.turn + 1;
        ring.left = 0;
    };
    for (std::uint32_t seen = 0; seen < queues; ++seen) {
        const std::uint32_t queue = ring.queues[ring.turn];
        if (waiting[queue] == 0) {
            pass_on();
            continue;
        }
        if (ring.left == 0) {
            ring.left =
                params_.burst == 0 ? std::numeric_limits<std::uint32_t>::max() : params_.burst;
        }
        const std::uint32_t commands = std::min({waiting[queue], room, ring.left});
        ring.left -= commands;
        if (ring.left == 0 || commands == waiting[queue]) {
            pass_on();
        }
        return {queue, commands};
    }
    return {};
}

} // namespace cavern
