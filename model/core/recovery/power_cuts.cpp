#include "core/recovery/power_cuts.h"

#include <algorithm>

#include "core/drive/array_check.h"

namespace cavern {

PowerCuts::PowerCuts(NandArray& array, const Params& params)
    : array_(array), params_(params), random_(params.seed), mounts_(params.seed) {}

std::unique_ptr<PendingOperations>
PowerCuts::make_pending(NandArray& array, std::uint32_t word_line, std::uint64_t seed) const {
    return std::make_unique<PendingOperations>(array, word_line, seed);
}

std::unique_ptr<SpareScan> PowerCuts::make_scan(const NandArray& array,
                                                std::uint64_t numbers) const {
    return std::make_unique<SpareScan>(array, numbers);
}

void PowerCuts::start(DriveCore& core) {
    core.begin_map_log(array_);
    core.carried_out_by([this] { return may_be_missing(); });
    log_ = core.flash_contents().log;
    pending_ = make_pending(array_, params_.word_line, params_.seed);
    if (data_ != nullptr) {
        pending_->keep(*data_);
    }
    oracle_.start(core, array_, data_ != nullptr ? &data_->data() : nullptr);
}

void PowerCuts::read(Lpn lpn, Ppn page, PageVersion version) {
    if (!pending_->is_pending(page)) {
        array_.read_expecting(page, lpn, version);
        if (params_.recovery.log.kind != MapLogKind::kMarks) { // those go back behind it
            oracle_.read_from_flash(lpn, version);
        }
    }
}

void PowerCuts::decided(const DriveCore& core, std::uint64_t request, RequestOp op, bool fua) {
    const bool through = fua || core.buffer() == nullptr;
    const bool waits = op == RequestOp::kTrim || (op == RequestOp::kWrite && through) ||
                       (op == RequestOp::kFlush && flush_waits());
    answers_.push_back({request, waits ? pending_->decided() : 0, op, through});
    answer();
}

/// Requests may be answered in any order.
void PowerCuts::answer() {
    const std::uint64_t done = pending_->done_before();
    for (auto waiting = answers_.begin(); waiting != answers_.end();) {
        if (waiting->until > done) {
            ++waiting;
            continue;
        }
        oracle_.acknowledged(waiting->request, waiting->op, waiting->durable);
        waiting = answers_.erase(waiting);
    }
}

void PowerCuts::settle() {
    // Now and then a drive comes to rest.
    pending_->settle(random_.below(32) == 0 ? 0 : params_.under_way);
    answer();
}

void PowerCuts::finish() {
    pending_->settle(0);
    answer();
    count_log();
}

void PowerCuts::count_log() {
    if (log_ != nullptr) {
        counters_.checkpoints = log_->counters.checkpoints;
        counters_.checkpoint_pages = log_->counters.pages;
        counters_.checkpoint_erases = log_->counters.erases;
    }
}

void PowerCuts::lose_power(DriveCore& core) {
    ++counters_.cuts;
    if (!params_.drains) {
        counters_.add(pending_->cut([this](const FlashOp&) { return params_.ends_programs; }));
        (void)pending_->drop();
        return;
    }
    Drain drain(array_, nullptr, params_.energy, params_.costs);
    const auto pays = [&](const FlashOp& op) {
        const bool paid = drain.pay(op);
        counters_.drained_pages += paid && op.is_hosts() ? 1 : 0;
        return paid;
    };
    counters_.add(pending_->cut(pays));
    pending_->carry_on(pays);
    core.begin_drain();
    while (const Batch* batch = core.flush_step()) {
        pending_->add(batch->ops);
        pending_->carry_on(pays);
    }
    counters_.undrained_pages += pending_->drop();
    drain.count(params_.recovery.times, counters_);
    oracle_.drained(!drain.exhausted());
}

std::unique_ptr<DriveCore> PowerCuts::cut(DriveCore& core, const MakeCore& make_core) {
    pending_->settle(random_.below(pending_->size() + 1));
    answer();
    lose_power(core);
    answers_.clear();
    if (data_ != nullptr) {
        data_->lose_frames();
    }
    const Comeback how{
        make_core,
        [this](const NandArray& array, std::uint64_t numbers) { return make_scan(array, numbers); },
        params_.recovery,
        params_.cuts_in_mount,
        params_.ends_programs,
        mounts_.next()};
    std::unique_ptr<DriveCore> fresh =
        come_back(how, core.flash_contents(), array_, counters_,
                  data_ != nullptr ? &data_->data().flash() : nullptr);
    fresh->carried_out_by([this] { return may_be_missing(); });
    count_log();
    oracle_.verify(*fresh, array_, counters_);
    (void)fresh->check_invariants();
    check_array_follows_core(*fresh, array_);
    return fresh;
}

} // namespace cavern
