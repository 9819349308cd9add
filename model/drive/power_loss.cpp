#include "drive/power_loss.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "config/power_loss_check.h"
#include "core/drive/array_check.h"
#include "core/recovery/torn.h"
#include "drive/core_builder.h"
#include "drive/ssd.h"
#include "timed/tlm/time.h"

namespace cavern {
namespace {

TimePs mean(const std::vector<TimePs>& times) {
    return std::accumulate(times.begin(), times.end(), TimePs{0}) / times.size();
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
    return params;
}

void AnswerLog::completed(const CompletedRequest& request) {
    oracle_.acknowledged(request.where->id, request.request.op, request.request.fua || !buffered_);
    if (next_ != nullptr) {
        next_->completed(request);
    }
}

std::unique_ptr<DriveCore> Ssd::lose_power(RecoveryCounters& counters) {
    Random random(config_.power_loss.seed);
    PageContents* const contents = data_ != nullptr ? &data_->flash() : nullptr;
    for (const auto& die : dies_) {
        die->each_begun(now_ps(), [&](const NandExtension& command) {
            for (std::uint32_t i = 0; i < command.count; ++i) {
                const Ppn page = command.pages[i];
                if (command.kind == FlashOpKind::kErase) {
                    if (config_.power_loss.ends_programs) {
                        array_.erase(array_.geometry().block_of(page));
                        if (contents != nullptr) {
                            contents->erase(page);
                        }
                    } else {
                        tear_erase(array_, array_.geometry().block_of(page), random, contents);
                        ++counters.torn_erases;
                    }
                } else if (config_.power_loss.ends_programs) {
                    array_.program(page, command.lpns[i], command.versions[i]);
                    if (contents != nullptr) {
                        contents->program(page, command.source != kNoPpn
                                                    ? contents->read(command.source)
                                                    : command.contents[i]);
                    }
                } else {
                    counters.torn_pages +=
                        tear_program(array_, page, word_line_pages(config_), contents);
                }
            }
        });
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
