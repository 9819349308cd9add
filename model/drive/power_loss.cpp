#include "drive/power_loss.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

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
double stored_energy(const DrivePlan& config) {
    if (config.power_loss.recovery == PowerRecovery::kPlp) {
        return static_cast<double>(config.power_loss.energy_fj) * 1e-15;
    }
    return config.power_loss.ends_programs ? std::numeric_limits<double>::infinity() : -1;
}

bool ends_what_is_begun(const DrivePlan& config) {
    return stored_energy(config) > 0;
}

} // namespace

RecoveryParams recovery_params(const DrivePlan& config) {
    const NandTiming& timing = config.nand.timing;
    const Geometry& nand = config.nand.geometry;
    RecoveryParams params;
    params.rebuilding = config.ftl.scheme->rebuilding;
    params.placement = config.ftl.params.gc_placement;
    params.strict_order = config.nand.strict_order;
    params.word_line = config.cell_pages;
    params.log = config.map_log;
    params.times = {mean(timing.t_r),
                    mean(timing.t_prog),
                    timing.t_bers,
                    timing.data_time(nand.spare_bytes),
                    timing.data_time(std::uint64_t{nand.page_bytes} + nand.spare_bytes),
                    timing.slc_t_r,
                    timing.slc_t_prog};
    return params;
}

PowerCuts::Params power_cut_params(const DrivePlan& config) {
    const PowerLossConfig& loss = config.power_loss;
    PowerCuts::Params params;
    params.recovery = recovery_params(config);
    params.word_line = config.cell_pages;
    params.under_way = loss.under_way;
    params.seed = loss.seed;
    params.ends_programs = ends_what_is_begun(config);
    params.drains = loss.recovery == PowerRecovery::kPlp;
    params.energy = stored_energy(config);
    params.costs = config.drain_costs;
    params.cuts_in_mount = loss.cuts_in_mount;
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
                const bool copy = contents != nullptr && command.what == NandCommand::kCopyBack;
                if (!drain.end(op, copy ? contents->read(command.source) : command.contents[i])) {
                    counters.add(tear(array_, op, config_.cell_pages, random, contents));
                }
            }
        });
    }
}

/// Then what was decided and not begun, in the order decided, and what the write buffer holds. Data
/// of the host that had not come are not there: their sectors stay as they were.
void Ssd::drain_buffer(Drain& drain, RecoveryCounters& counters) {
    const auto put = [&](const FlashOp& op, FrameSlot slot) {
        const bool host = op.is_hosts();
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
    for (const OpGraph::Write& write : scheduler_->queues().graph().writes_under_way()) {
        put(write.flash, write.flash.is_hosts() ? buffer_manager_->slot_of_program(write.context)
                                                : kNil<FrameSlot>);
    }
    core_->begin_drain();
    while (const Batch* batch = core_->flush_step()) {
        for (const FlashOp& op : batch->ops) {
            put(op, op.is_hosts() ? buffer_manager_->slot_of(FrameId{op.frame}) : kNil<FrameSlot>);
        }
    }
    probes_.oracle->drained(!drain.exhausted());
}

std::unique_ptr<SsdFlash> Ssd::take_flash() {
    return std::make_unique<SsdFlash>(SsdFlash{std::move(array_), std::move(data_)});
}

std::unique_ptr<DriveCore> Ssd::lose_power(RecoveryCounters& counters) {
    PageContents* const contents = data_ != nullptr ? &data_->flash() : nullptr;
    Drain drain(array_, contents, stored_energy(config_), config_.drain_costs);
    end_or_tear(drain, counters);
    if (config_.power_loss.recovery == PowerRecovery::kPlp) {
        drain_buffer(drain, counters);
        drain.count(recovery_params(config_).times, counters);
    }
    ++counters.cuts;
    const Comeback how{[this](FlashContents kept) {
                           return build_core(config_, nullptr, nullptr, std::move(kept));
                       },
                       [](const NandArray& array, std::uint64_t numbers) {
                           return std::make_unique<SpareScan>(array, numbers);
                       },
                       recovery_params(config_),
                       config_.power_loss.cuts_in_mount,
                       ends_what_is_begun(config_),
                       config_.power_loss.seed + counters.cuts};
    std::unique_ptr<DriveCore> fresh =
        come_back(how, core_->flash_contents(), array_, counters, contents);
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
