#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/check.h"
#include "core/base/strong_id.h"
#include "core/base/units.h"

namespace cavern {

class StateArchive;

/// What speaks for wide stripes and what for narrow ones, since the beginning; the difference of
/// two of these is what an allocator regulates its width by (CAVE, section 6, as further work).
struct StripeCosts {
    std::uint64_t host_pages = 0; ///< host pages that went to or came from the flash array
    /// Time that host pages waited for a busy die while another die had nothing to do, summed.
    TimePs stalled = 0;
    /// Time that dies spent on collection and merges, summed.
    TimePs collecting = 0;
};

/// How many flash operations each die still has to do, for decisions that look at it (least-loaded
/// allocation, idle dies), and what waiting and collecting cost (the adaptive allocator). All the
/// core learns of time.
///
/// Filled in by whoever carries operations out. In a timed run that is the flash scheduler, as they
/// are submitted, start and end. In an untimed run an operation is done the moment it is decided,
/// every die is idle, and the costs are those of the mini-schedules of ExecutionTime.
class DieLoad {
  public:
    using Clock = TimePs (*)();

    explicit DieLoad(std::uint32_t dies) : dies_(dies), idle_(dies) {}

    [[nodiscard]] std::uint32_t dies() const { return static_cast<std::uint32_t>(dies_.size()); }
    /// Operations given to the die and not completed.
    [[nodiscard]] std::uint32_t pending(DieId die) const { return dies_[raw(die)].pending; }
    [[nodiscard]] bool is_idle(DieId die) const { return pending(die) == 0; }
    [[nodiscard]] std::uint32_t idle_dies() const { return idle_; }

    /// Somebody will ask for costs(): measure them from now on.
    void measure() { measures_ = true; }
    [[nodiscard]] bool measures() const { return measures_; }
    /// Somebody will call submitted() and what follows it, at the times that `clock` gives.
    void follow(Clock clock) { clock_ = clock; }
    [[nodiscard]] bool is_timed() const { return clock_ != nullptr; }
    /// Only where measures().
    [[nodiscard]] const StripeCosts& costs() const { return costs_; }
    /// Without time: the costs of a batch.
    void add(const StripeCosts& batch);

    /// An operation for the die. `host`: of a host page.
    void submitted(DieId die, bool host = false) {
        if (measures_ && is_timed()) {
            note_submitted(die, host);
        }
        idle_ -= dies_[raw(die)].pending++ == 0 ? 1 : 0;
    }
    /// An operation that the die has done in vain is to be done once more.
    void again(DieId die, bool host) {
        if (measures_ && is_timed() && host) {
            note_waiting(die);
        }
    }
    /// An operation that was submitted to one die and not started is done by another.
    void moved(DieId from, DieId to, bool host) {
        if (measures_ && is_timed()) {
            note_moved(from, to, host);
        }
        idle_ -= dies_[raw(to)].pending++ == 0 ? 1 : 0;
        idle_ += --dies_[raw(from)].pending == 0 ? 1 : 0;
    }
    /// The die begins with operations submitted, `hosts` of which are of host pages.
    void started(DieId die, std::uint32_t hosts, bool collects) {
        if (measures_ && is_timed()) {
            note_started(die, hosts, collects);
        }
    }
    /// The die has ended with what it started last.
    void ended(DieId die) {
        if (measures_ && is_timed()) {
            note_ended(die);
        }
    }
    /// An operation submitted has no work left to do.
    void completed(DieId die) {
        CAVERN_CHECK(dies_[raw(die)].pending != 0,
                     "a die completes more operations than it was given");
        if (measures_ && is_timed()) {
            advance();
        }
        idle_ += --dies_[raw(die)].pending == 0 ? 1 : 0;
    }
    void serialize(StateArchive& archive);

  private:
    struct Die {
        std::uint32_t pending = 0;
        std::uint32_t waiting = 0; ///< host pages submitted and not started
        bool busy = false;
        bool collects = false; ///< what it does is collection
        TimePs since = 0;      ///< when it began that
    };

    /// Brings the costs up to now, before anything changes.
    void advance();
    void note_submitted(DieId die, bool host);
    void note_waiting(DieId die);
    void note_moved(DieId from, DieId to, bool host);
    void note_started(DieId die, std::uint32_t hosts, bool collects);
    void note_ended(DieId die);

    std::vector<Die> dies_;
    std::uint32_t idle_; ///< dies with nothing pending
    bool measures_ = false;
    Clock clock_ = nullptr;
    StripeCosts costs_;
    std::uint64_t stalled_ = 0; ///< host pages that wait for a busy die now
    TimePs since_ = 0;          ///< the costs are those up to this time
};

/// Tells where a page would be written, where that is fixed before it is.
class DestinationIf {
  public:
    virtual ~DestinationIf() = default;
    /// Die of `lpn`, or nothing if it may go to any.
    [[nodiscard]] virtual std::optional<DieId> destination(Lpn lpn) const = 0;
};

} // namespace cavern
