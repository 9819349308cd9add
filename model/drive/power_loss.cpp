#include "drive/power_loss.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "config/power_loss_check.h"
#include "core/drive/array_check.h"
#include "core/recovery/drain.h"
#include "core/recovery/torn.h"
#include "drive/core_builder.h"
#include "drive/ssd.h"
#include "timed/tlm/time.h"

namespace cavern {
namespace {

TimePs mean(const std::vector<TimePs>& times) {
    return std::accumulate(times.begin(), times.end(), TimePs{0}) / times.size();
}

/// That is there when the power goes, in joules; below 0: none.
double stored_energy(const SsdConfig& config) {
    if (config.power_loss.recovery == PowerRecovery::kPlp) {
        return static_cast<double>(config.power_loss.energy_fj) * 1e-15;
    }
    return config.power_loss.ends_programs ? std::numeric_limits<double>::infinity() : -1;
}

bool is_hosts(const FlashOp& op) {
    return op.kind == FlashOpKind::kProgram && op.origin == Origin::kHost;
}

} // namespace

RecoveryParams recovery_params(const SsdConfig& config) {
    const NandTiming& timing = config.nand.timing;
    const Geometry& nand = config.nand.geometry;
    RecoveryParams params;
    params.rebuilding = config.ftl.scheme->rebuilding;
    params.placement = config.ftl.params.gc_placement;
    params.strict_order = config.nand.strict_order;
    params.word_line = word_line_pages(config);
    params.log = map_log_params(config);
    params.times = {mean(timing.t_r),
                    mean(timing.t_prog),
                    timing.t_bers,
                    timing.data_time(nand.spare_bytes),
                    timing.data_time(std::uint64_t{nand.page_bytes} + nand.spare_bytes),
                    timing.slc_t_r,
                    timing.slc_t_prog};
    return params;
}

std::uint32_t word_line_pages(const SsdConfig& config) {
    return static_cast<std::uint32_t>(config.nand.timing.t_prog.size());
}

DrainCosts drain_costs(const SsdConfig& config) {
    return {drain_read_energy(config), drained_page_energy(config), drain_erase_energy(config)};
}

PowerCuts::Params power_cut_params(const SsdConfig& config) {
    const PowerLossConfig& loss = config.power_loss;
    PowerCuts::Params params;
    params.recovery = recovery_params(config);
    params.word_line = word_line_pages(config);
    params.under_way = loss.under_way;
    params.seed = loss.seed;
    const bool plp = loss.recovery == PowerRecovery::kPlp;
    params.ends_programs = loss.ends_programs || plp;
    params.drains = plp ? drained_pages(config) : 0;
    params.costs = drain_costs(config);
    return params;
}

void AnswerLog::completed(const CompletedRequest& request) {
    oracle_.acknowledged(request.where->id, request.request.op, request.request.fua || !buffered_);
    if (next_ != nullptr) {
        next_->completed(request);
    }
}

/// What dies have begun is ended, as long as the energy suffices, or torn.
void Ssd::end_or_tear(Drain& drain, RecoveryCounters& counters) {
    Random random(config_.power_loss.seed);
    PageContents* const contents = data_ != nullptr ? &data_->flash() : nullptr;
    for (const auto& die : dies_) {
        die->each_begun(now_ps(), [&](const NandExtension& command) {
            for (std::uint32_t i = 0; i < command.count; ++i) {
                FlashOp op(command.kind, command.origin, command.pages[i], command.lpns[i]);
                op.version = command.versions[i];
                const bool copy = contents != nullptr && command.source != kNoPpn;
                if (drain.end(op, copy ? contents->read(command.source) : command.contents[i])) {
                    continue;
                }
                if (op.kind == FlashOpKind::kErase) {
                    tear_erase(array_, array_.geometry().block_of(op.page), random, contents);
                    ++counters.torn_erases;
                } else {
                    counters.torn_pages +=
                        tear_program(array_, op.page, word_line_pages(config_), contents);
                }
            }
        });
    }
}

/// Then what was decided and not begun, in the order decided, and what the write buffer holds. Data
/// of the host that had not come are not there: their sectors stay as they were.
void Ssd::drain_buffer(Drain& drain, RecoveryCounters& counters) {
    const auto put = [&](const FlashOp& op, FrameSlot slot) {
        const bool host = is_hosts(op);
        const bool there = host && !drain.exhausted() && array_.is_programmed(op.page);
        PageContent content;
        if (host && data_path_ != nullptr) {
            content = drain.superseded(op);
            content = slot != kNil<FrameSlot> ? data_path_->rescue(raw(slot), content) : content;
        }
        const bool done = drain.carry_out(op, content);
        if (host && !there) {
            ++(done ? counters.drained_pages : counters.undrained_pages);
        }
    };
    for (const FlashScheduler::Write& write : scheduler_->writes_under_way()) {
        put(write.flash, is_hosts(write.flash) ? buffer_manager_->slot_of_program(write.context)
                                               : kNil<FrameSlot>);
    }
    while (const Batch* batch = core_->flush_step()) {
        for (const FlashOp& op : batch->ops) {
            put(op, is_hosts(op) ? buffer_manager_->slot_of(FrameId{op.frame}) : kNil<FrameSlot>);
        }
    }
    probes_.oracle->drained(!drain.exhausted());
}

std::unique_ptr<SsdFlash> Ssd::take_flash() {
    return std::make_unique<SsdFlash>(SsdFlash{std::move(array_), std::move(data_)});
}

std::unique_ptr<DriveCore> Ssd::lose_power(RecoveryCounters& counters) {
    PageContents* const contents = data_ != nullptr ? &data_->flash() : nullptr;
    Drain drain(array_, contents, stored_energy(config_), drain_costs(config_));
    end_or_tear(drain, counters);
    if (config_.power_loss.recovery == PowerRecovery::kPlp) {
        drain_buffer(drain, counters);
        drain.count(recovery_params(config_).times, counters);
    }
    ++counters.cuts;
    std::unique_ptr<DriveCore> fresh =
        build_core(config_, nullptr, nullptr, core_->flash_contents());
    SpareScan scan(array_, fresh->ftl().numbered_pages());
    recover(*fresh, array_, scan, recovery_params(config_), counters, contents);
    if (const MapLogIf* log = core_->map_log()) {
        counters.checkpoints = log->contents()->counters.checkpoints;
        counters.checkpoint_pages = log->contents()->counters.pages;
        counters.checkpoint_erases = log->contents()->counters.erases;
    }
    probes_.oracle->verify(*fresh, array_, counters);
    (void)fresh->check_invariants();
    check_array_follows_core(*fresh, array_);
    return fresh;
}

} // namespace cavern
