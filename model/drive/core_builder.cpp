#include "drive/core_builder.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/sectors.h"
#include "core/drive/page_destination.h"
#include "core/partition/adaptive_partition.h"
#include "drive/controller.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern {
namespace {

NcqAware::Params ncq_params(const DrivePlan& config) {
    NcqAware::Params params;
    params.capacity = config.frames;
    params.pages_per_block = config.geometry.pages_per_block;
    params.most_pages = static_cast<std::uint32_t>(config.buffer.ncq_max_pinned * params.capacity);
    params.literal_minmax = config.buffer.ncq_literal_minmax;
    return params;
}

/// What is programmed as one has one place.
Geometry placed_geometry(const DrivePlan& config) {
    Geometry nand = config.nand.geometry;
    nand.word_line_pages = config.geometry.word_line_pages;
    return nand.in_word_lines();
}

} // namespace

std::unique_ptr<DriveData> make_data(const DrivePlan& config, const DriveCore& core,
                                     HostDataIf* host) {
    CAVERN_CHECK(host == nullptr || config.data.store == DataStore::kFull,
                 "a host that has data needs a drive that keeps them: data.store = full");
    if (config.data.store == DataStore::kNone) {
        return nullptr;
    }
    return std::make_unique<DriveData>(
        DriveData::Params{config.geometry, core.ftl().logical_pages(), config.data.store}, host);
}

Precondition precondition_of(const DrivePlan& config) {
    const PreconditionConfig& p = config.precondition;
    Precondition what{p.fill, p.random, p.overwrite, std::nullopt};
    if (p.until_steady) {
        what.until = p.steady;
    }
    return what;
}

PreconditionWatch watch_of(RunObserverIf* observer) {
    if (observer == nullptr) {
        return {};
    }
    return [observer](std::uint64_t done, std::uint64_t most) {
        observer->preconditioning(done, most);
    };
}

PreconditionResult begin_drive(const DrivePlan& config, DriveCore& core, NandArray& array,
                               UntimedData* data, RunObserverIf* observer,
                               DriveBeginningIf* beginning) {
    return beginning != nullptr ? beginning->begin(core, array, data)
                                : precondition(core, array, precondition_of(config), config.seed,
                                               watch_of(observer), data);
}

std::unique_ptr<DriveCore> build_core(const DrivePlan& config, DecisionLogIf* log,
                                      DecidingParts* parts, FlashContents contents) {
    std::unique_ptr<DecidingParts> configured;
    if (parts == nullptr) {
        configured = make_deciding_parts(config);
        parts = configured.get();
    }
    const Geometry& geometry = config.geometry;
    auto load = std::make_unique<DieLoad>(geometry.dies());
    std::unique_ptr<FtlIf> ftl = parts->make_ftl(config, log);
    const AllocatorRow& row = *config.alloc.scheme;
    std::unique_ptr<AllocatorIf> allocator = parts->make_allocator(
        config, {placed_geometry(config), *ftl, row.needs_die_load ? load.get() : nullptr, log});
    bool watched =
        row.needs_die_load || ftl->maintains(); // otherwise nobody spends time on keeping it true
    auto destination =
        std::make_unique<const PageDestination>(*ftl, *allocator, geometry.units_per_program());
    std::unique_ptr<WriteBuffer> buffer;
    NcqAware* queue_pins = nullptr;
    if (config.buffer.policy != nullptr) {
        const EvictionPolicyRow& policy = *config.buffer.policy;
        const EvictionPolicyContext order{config.frames, geometry,
                                          policy.needs_die_load ? load.get() : nullptr,
                                          destination.get()};
        std::unique_ptr<EvictionPolicyIf> made = parts->make_policy(config, order);
        if (config.buffer.ncq_aware) {
            auto aware = std::make_unique<NcqAware>(std::move(made), ncq_params(config), log);
            queue_pins = aware.get();
            made = std::move(aware);
        }
        buffer = std::make_unique<WriteBuffer>(
            order.capacity, geometry, std::move(made), parts->make_trigger(config),
            config.buffer.read_touch, log, config.buffer.cache_reads, ftl->logical_pages(),
            config.buffer.flush_keep, config.keeps_sectors);
        if (queue_pins != nullptr) {
            queue_pins->attach(buffer->pins());
        }
        watched = watched || policy.needs_die_load || buffer->trigger().works_ahead();
    }
    const NandTiming& timing = config.nand.timing;
    const ArrayTimes times{
        timing.t_r,
        timing.program_times(),
        timing.t_bers,
        timing.data_time(std::uint64_t{geometry.page_bytes} + geometry.spare_bytes),
        config.nand.multi_plane ? std::min(geometry.planes_per_die, kMaxPlanes) : 1,
        config.nand.column_change,
        timing.slc_t_r,
        timing.slc_t_prog};
    auto core = std::make_unique<DriveCore>(geometry, std::move(buffer), std::move(allocator),
                                            std::move(ftl), times, log,
                                            watched ? std::move(load) : nullptr);
    if (config.keeps_sectors) {
        core->track_sectors(config.read_grain / static_cast<std::uint32_t>(kSectorBytes));
    }
    if (config.data.trim_reads == TrimReads::kOld) {
        core->ignore_trims();
    }
    if (config.power_loss.happens()) {
        const std::uint64_t pages = core->ftl().logical_pages();
        core->survive_power_loss(
            std::make_unique<TrimMap>(pages, geometry.page_bytes, std::move(contents.trims)),
            make_map_log(geometry, pages, config.map_log, std::move(contents.log)));
    }
    core->keep(std::move(destination));
    core->watch_queue(queue_pins);
    if (config.ftl.adaptive) {
        core->partition_by(std::make_unique<AdaptivePartition>(config.partition));
    }
    core->listen(parts->make_listener());
    return core;
}

} // namespace cavern
