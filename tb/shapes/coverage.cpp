#include "tb/shapes/coverage.h"

namespace cavern {
namespace {

enum ArbiterPoint : std::size_t {
    kPromotion,
    kSeveralAged,
    kJustAged,
    kTimeWraps,
    kTurnWraps,
    kLastWay,
    kReleaseWithRequest,
    kHandOver,
    kFullContention,
    kLowerClassFirst,
    kEveryClass,
    kUnknownClass,
    kResetWhileHeld,
    kResetWhileWaiting,
    kResetOfPointer,
};

enum AllocatorPoint : std::size_t {
    kMostVictims,
    kNoVictims,
    kAllBusy,
    kPassedOver,
    kLastWayOfSome,
    kLastDie,
    kResetInBurst,
    kResetMoved,
};

} // namespace

ArbiterCoverage::ArbiterCoverage(std::uint32_t ways, ArbiterPolicy policy) : ways_(ways) {
    const bool ages = policy == ArbiterPolicy::kPriorityAge;
    const bool weighted = policy == ArbiterPolicy::kWeightedRoundRobin;
    const bool contended = ways > 1;
    points_ = {
        {"a request is granted before a more urgent class because of its age", ages && contended},
        {"several aged requests wait for one grant", ages && contended},
        {"a request is granted at the very edge it reaches the age limit", ages},
        {"the count of edges wraps while a request waits", true},
        {"the turn passes from a way to a lower one", contended},
        {"the last way is granted", true},
        {"a request comes at the edge of a release", true},
        {"the bus passes on at the edge of the release", true},
        {"all ways request at one decision", true},
        {"a class is granted while a more urgent one requests", weighted && contended},
        {"classes 0, 1 and 2 request at one decision", ways > 2},
        {"class 3 is granted", true},
        {"reset while the bus is held", true},
        {"reset while a request waits", true},
        {"reset while the turn is not at its start", contended},
    };
}

void ArbiterCoverage::begin(std::uint32_t age_limit) {
    age_limit_ = age_limit;
    last_ = ways_ - 1;
    waiting_ = 0;
    held_ = false;
    granted_ = false;
}

void ArbiterCoverage::edge(const ArbiterInputs& inputs, const ArbiterOutputs& before,
                           const ArbiterOutputs& after) {
    hit(kTimeWraps, (waiting_ & inputs.request) != 0 && inputs.time < time_);
    hit(kReleaseWithRequest, before.valid && inputs.release && (inputs.request & ~waiting_) != 0);
    const bool granted = (!before.valid || inputs.release) && after.valid;
    if (granted) {
        grant(inputs, before, after);
    }
    const std::uint32_t waiting = inputs.request & ~(granted ? after.grant : 0);
    for_each_slot(waiting & ~waiting_, [&](std::uint32_t slot) { since_[slot] = inputs.time; });
    waiting_ = waiting;
    time_ = inputs.time;
    held_ = after.valid;
}

void ArbiterCoverage::grant(const ArbiterInputs& inputs, const ArbiterOutputs& before,
                            const ArbiterOutputs& after) {
    const auto class_of = [&](std::uint32_t slot) { return (inputs.classes >> (2 * slot)) & 3u; };
    const auto age_of = [&](std::uint32_t slot) {
        return waits(slot) ? inputs.time - since_[slot] : 0;
    };
    std::uint32_t aged = 0;
    std::uint32_t urgent = 0; // requests of a smaller class than the winner's
    std::uint32_t present = 0;
    for_each_slot(inputs.request, [&](std::uint32_t slot) {
        aged |= age_of(slot) >= age_limit_ ? 1u << slot : 0;
        urgent |= class_of(slot) < class_of(after.index) ? 1u << slot : 0;
        present |= 1u << class_of(slot);
    });
    const bool promoted = (aged & after.grant) != 0;
    hit(kPromotion, promoted && (urgent & ~aged) != 0);
    hit(kSeveralAged, (aged & (aged - 1)) != 0);
    hit(kJustAged, promoted && age_of(after.index) == age_limit_);
    hit(kTurnWraps, granted_ && after.index < last_);
    hit(kLastWay, after.index == ways_ - 1);
    hit(kHandOver, before.valid);
    hit(kFullContention, inputs.request == (1u << ways_) - 1);
    hit(kLowerClassFirst, urgent != 0);
    hit(kEveryClass, (present & 7u) == 7u);
    hit(kUnknownClass, class_of(after.index) == 3);
    last_ = after.index;
    granted_ = true;
}

void ArbiterCoverage::reset() {
    hit(kResetWhileHeld, held_);
    hit(kResetWhileWaiting, waiting_ != 0);
    hit(kResetOfPointer, last_ != ways_ - 1);
}

AllocatorCoverage::AllocatorCoverage(const AllocatorShape& shape) : shape_(shape) {
    const bool many = shape.channels * shape.ways > 1;
    points_ = {
        {"a burst of the most victims", true},
        {"a start with no victims", true},
        {"all channels busy within a burst", true},
        {"the turn goes on past busy channels", shape.channels > 1},
        {"the last way is handed out", true},
        {"the last die is handed out", true},
        {"reset within a burst", true},
        {"reset while the turn is not at its start", many},
    };
}

void AllocatorCoverage::edge(const AllocatorInputs& inputs, const AllocatorOutputs& before,
                             const AllocatorOutputs& after) {
    const std::uint32_t all = (1u << shape_.channels) - 1;
    const bool starts = before.ready && inputs.start;
    hit(kMostVictims, starts && inputs.victims == shape_.victims);
    hit(kNoVictims, starts && inputs.victims == 0);
    hit(kAllBusy, !before.ready && (inputs.busy & all) == all);
    if (after.valid) {
        const std::uint32_t next = (last_.channel + 1) % shape_.channels;
        hit(kPassedOver, last_.valid && after.channel != next);
        hit(kLastWayOfSome, after.way == shape_.ways - 1);
        const bool end = after.way == shape_.ways - 1 && after.channel == shape_.channels - 1;
        hit(kLastDie, end);
        moved_ = !end;
        last_ = after;
    }
    ready_ = after.ready;
}

void AllocatorCoverage::reset() {
    hit(kResetInBurst, !ready_);
    hit(kResetMoved, moved_);
    ready_ = true;
    moved_ = false;
}

} // namespace cavern
