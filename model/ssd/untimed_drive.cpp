#include "ssd/untimed_drive.h"

#include <utility>

#include "core/drive/array_check.h"
#include "core/drive/precondition.h"

namespace cavern {

UntimedDrive::UntimedDrive(const SsdConfig& config, std::unique_ptr<DriveCore> core)
    : config_(config), core_(std::move(core)),
      array_(config.nand.geometry, config.nand.strict_order, true) {
    precondition(*core_, array_,
                 {config_.precondition.fill, config_.precondition.pattern == "random",
                  config_.precondition.overwrite},
                 config_.seed);
}

void UntimedDrive::run(RequestSourceIf& source, std::uint64_t warmup, RunObserverIf* observer) {
    HostRequest request;
    while ((observer == nullptr || observer->dispatching(completed_)) && source.next(request)) {
        if (completed_ == warmup && warmup != 0) {
            core_->reset_counters();
            by_op_ = {};
            zero_reads_ = 0;
        }
        play(request);
        ++completed_;
    }
}

void UntimedDrive::play(const HostRequest& request) {
    OpCount& count = by_op_[static_cast<std::size_t>(request.op)];
    ++count.requests;
    count.bytes += request.bytes;
    if (request.op == RequestOp::kFlush) {
        while (core_->flush_step()) {
            apply();
        }
        return;
    }
    const std::uint64_t page_bytes = config_.nand.geometry.page_bytes;
    const std::uint64_t end = request.offset + request.bytes;
    if (request.op == RequestOp::kTrim) {
        // Only whole pages can be forgotten.
        for (std::uint64_t page = (request.offset + page_bytes - 1) / page_bytes;
             page < end / page_bytes; ++page) {
            core_->trim(Lpn{page});
            apply();
        }
        return;
    }
    for (std::uint64_t page = request.offset / page_bytes; page * page_bytes < end; ++page) {
        if (request.op == RequestOp::kWrite) {
            write(Lpn{page});
        } else {
            read(Lpn{page});
        }
        core_->evict_ahead_untimed([this] { apply(); });
    }
}

void UntimedDrive::write(Lpn lpn) {
    if (core_->write(lpn).evicted) {
        apply();
    }
}

void UntimedDrive::read(Lpn lpn) {
    const ReadDecision decision = core_->read(lpn);
    apply();
    if (decision.hit) {
        return;
    }
    if (decision.page == kNoPpn) {
        ++zero_reads_;
        return;
    }
    array_.read(decision.page);
    ++flash_ops_;
}

void UntimedDrive::apply() {
    flash_ops_ += core_->ops().size();
    apply_untimed(core_->ops(), array_);
}

std::uint64_t UntimedDrive::check_end_of_run() const {
    const bool whole_map = core_->ftl().logical_pages() <= kFullCheckPages;
    return (whole_map ? core_->check_invariants() : 0) +
           check_array_follows_core(*core_, array_) + array_.checks();
}

} // namespace cavern
