#include "drive/untimed_drive.h"

#include <utility>

#include "core/drive/array_check.h"
#include "core/drive/precondition.h"
#include "drive/core_builder.h"
#include "drive/host_builder.h"

namespace cavern {

UntimedDrive::UntimedDrive(const SsdConfig& config, std::unique_ptr<DriveCore> core)
    : config_(config), core_(std::move(core)),
      array_(config.nand.geometry, config.nand.strict_order, true) {
    preconditioned_ = precondition(*core_, array_, precondition_of(config_), config_.seed);
}

void UntimedDrive::run(RequestSourceIf& source, std::uint64_t warmup, RunObserverIf* observer,
                       std::uint32_t queue_depth) {
    if (core_->queue_pins() != nullptr) {
        run_queue(source, warmup, observer, queue_depth);
        return;
    }
    HostRequest request;
    while ((observer == nullptr || observer->dispatching(completed_)) && source.next(request)) {
        begin(warmup);
        play(request);
        end(request);
    }
}

/// Commands wait in a ring of `depth`. One that may be outstanding alone waits outside it.
void UntimedDrive::run_queue(RequestSourceIf& source, std::uint64_t warmup, RunObserverIf* observer,
                             std::uint32_t depth) {
    std::vector<Waiting> ring(depth);
    std::uint64_t arrived = completed_;
    HostRequest next;
    bool has_next = false;
    bool ended = false;
    const auto fetch = [&] {
        if (!has_next && !ended) {
            has_next = (observer == nullptr || observer->dispatching(arrived)) && source.next(next);
            ended = !has_next;
        }
        return has_next;
    };
    bool alone = false;
    while (fetch() || arrived != completed_) {
        while (arrived - completed_ < depth && !alone && fetch()) {
            const bool must_be_alone = runs_alone(config_.host, next.op);
            if (must_be_alone && arrived != completed_) {
                break;
            }
            alone = must_be_alone;
            // A command that is taken up as it comes has not waited.
            ring[arrived % depth] = {next, arrived == completed_ ? NcqAware::kNoPins : pin(next)};
            ++arrived;
            has_next = false;
        }
        const Waiting& first = ring[completed_ % depth];
        begin(warmup);
        play(first.request);
        end(first.request);
        core_->queue_pins()->on_served(first.pins);
        alone = false;
    }
}

std::uint32_t UntimedDrive::pin(const HostRequest& request) {
    if ((request.op != RequestOp::kRead && request.op != RequestOp::kWrite) || request.bytes == 0) {
        return NcqAware::kNoPins;
    }
    const std::uint64_t page_bytes = config_.nand.geometry.page_bytes;
    return core_->queue_pins()->on_arrival(Lpn{request.offset / page_bytes},
                                           Lpn{(request.offset + request.bytes - 1) / page_bytes});
}

void UntimedDrive::begin(std::uint64_t warmup) {
    if (completed_ == warmup && warmup != 0) {
        core_->reset_counters();
        by_op_ = {};
        zero_reads_ = 0;
        periods_ = {};
    }
}

void UntimedDrive::end(const HostRequest& request) {
    if (const Batch* batch = core_->end_request()) {
        apply(*batch);
    }
    ++completed_;
    const bool moves = request.op == RequestOp::kRead || request.op == RequestOp::kWrite;
    const MapCacheIf* map = core_->ftl().map_cache();
    periods_.end_request(moves ? request.bytes : 0, map != nullptr ? map->cache_bytes() : 0);
}

void UntimedDrive::play(const HostRequest& request) {
    OpCount& count = by_op_[static_cast<std::size_t>(request.op)];
    ++count.requests;
    count.bytes += request.bytes;
    if (request.op == RequestOp::kFlush) {
        while (const Batch* batch = core_->flush_step()) {
            apply(*batch);
        }
        return;
    }
    const std::uint64_t page_bytes = config_.nand.geometry.page_bytes;
    const std::uint64_t end = request.offset + request.bytes;
    if (request.op == RequestOp::kTrim) {
        // Only whole pages can be forgotten.
        for (std::uint64_t page = (request.offset + page_bytes - 1) / page_bytes;
             page < end / page_bytes; ++page) {
            apply(core_->trim(Lpn{page}).batch);
        }
        return;
    }
    const std::uint64_t first = request.offset / page_bytes;
    const auto pages = static_cast<std::uint32_t>((end + page_bytes - 1) / page_bytes - first);
    for (std::uint64_t page = first; page < first + pages; ++page) {
        if (request.op == RequestOp::kWrite) {
            write(Lpn{page}, pages, request.fua);
        } else {
            read(Lpn{page});
        }
        core_->evict_ahead_untimed([this](const Batch& batch) { apply(batch); });
    }
}

void UntimedDrive::write(Lpn lpn, std::uint32_t pages_in_command, bool through) {
    const WriteDecision decision =
        through ? core_->write_through(lpn, pages_in_command) : core_->write(lpn, pages_in_command);
    apply(decision.batch);
}

void UntimedDrive::read(Lpn lpn) {
    const ReadDecision decision = core_->read(lpn);
    apply(decision.batch);
    if (decision.hit) {
        return;
    }
    if (decision.page == kNoPpn) {
        ++zero_reads_;
        return;
    }
    array_.read(decision.page);
    periods_.add_read();
    ++flash_ops_;
}

void UntimedDrive::apply(const Batch& batch) {
    flash_ops_ += batch.ops.size();
    periods_.add(batch.ops);
    apply_untimed(batch.ops, array_);
}

std::uint64_t UntimedDrive::check_end_of_run() const {
    const bool whole_map = core_->ftl().logical_pages() <= kFullCheckPages;
    const std::uint64_t pinning =
        core_->queue_pins() != nullptr ? core_->queue_pins()->check_invariants(true) : 0;
    if (!whole_map) {
        return pinning + array_.checks();
    }
    return pinning + core_->check_invariants() + check_array_follows_core(*core_, array_) +
           array_.checks();
}

} // namespace cavern
