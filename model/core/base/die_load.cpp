#include "core/base/die_load.h"

namespace cavern {

void DieLoad::add(const StripeCosts& batch) {
    costs_.host_pages += batch.host_pages;
    costs_.stalled += batch.stalled;
    costs_.collecting += batch.collecting;
}

void DieLoad::advance() {
    const TimePs now = clock_();
    if (idle_ != 0) {
        costs_.stalled += stalled_ * (now - since_);
    }
    since_ = now;
}

void DieLoad::note_submitted(DieId id, bool host) {
    if (host) {
        note_waiting(id);
        ++costs_.host_pages;
    }
}

void DieLoad::note_waiting(DieId id) {
    advance();
    Die& die = dies_[raw(id)];
    ++die.waiting;
    stalled_ += die.busy ? 1 : 0;
}

void DieLoad::note_moved(DieId from, DieId to, bool host) {
    advance();
    if (host) {
        Die& source = dies_[raw(from)];
        CAVERN_CHECK(source.waiting != 0, "a die gives away what was submitted to it");
        --source.waiting;
        stalled_ -= source.busy ? 1 : 0;
        ++dies_[raw(to)].waiting;
        stalled_ += dies_[raw(to)].busy ? 1 : 0;
    }
}

void DieLoad::note_started(DieId id, std::uint32_t hosts, bool collects) {
    advance();
    Die& die = dies_[raw(id)];
    CAVERN_CHECK(!die.busy && hosts <= die.waiting, "a die starts what was submitted, when it can");
    die.waiting -= hosts;
    die.busy = true;
    die.collects = collects;
    die.since = since_;
    stalled_ += die.waiting;
}

void DieLoad::note_ended(DieId id) {
    advance();
    Die& die = dies_[raw(id)];
    CAVERN_CHECK(die.busy && die.waiting <= stalled_, "a die ends what it started");
    die.busy = false;
    stalled_ -= die.waiting;
    if (die.collects) {
        costs_.collecting += since_ - die.since;
    }
}

} // namespace cavern
