#include "drive/core_builder.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "config/dram_check.h"
#include "core/base/check.h"
#include "core/base/sectors.h"
#include "core/drive/page_destination.h"
#include "core/partition/adaptive_partition.h"
#include "drive/controller.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern {
namespace {

NcqAware::Params ncq_params(const SsdConfig& config) {
    NcqAware::Params params;
    params.capacity = buffer_frames(config);
    params.pages_per_block = drive_geometry(config).pages_per_block;
    params.most_pages = static_cast<std::uint32_t>(config.buffer.ncq_max_pinned * params.capacity);
    params.literal_minmax = config.buffer.ncq_literal_minmax;
    return params;
}

/// Both caches together, as their two sizes say.
AdaptivePartition::Params partition_params(const SsdConfig& config) {
    const Geometry geometry = drive_geometry(config);
    const NandTiming& timing = config.nand.timing;
    const auto us = [](TimePs time) {
        return static_cast<double>(time) / static_cast<double>(kUs);
    };
    const auto mean = [us](const std::vector<TimePs>& times) {
        return us(std::accumulate(times.begin(), times.end(), TimePs{0})) /
               static_cast<double>(times.size());
    };
    const double transfer =
        us(timing.data_time(std::uint64_t{geometry.page_bytes} + geometry.spare_bytes));
    AdaptivePartition::Params params = config.ftl.partition;
    const FtlRow* scheme = config.ftl.scheme;
    CAVERN_CHECK(scheme->map_memory != nullptr,
                 "the loader admits only layers whose map can change its size");
    params.map = scheme->map_memory(geometry, ftl_params(config));
    params.total_bytes = config.buffer.bytes + params.map.bytes;
    params.page_bytes = geometry.page_bytes;
    params.pages_per_block = geometry.pages_per_block;
    params.times = {mean(timing.t_r) + transfer,
                    mean(timing.program_times()) / geometry.word_line_pages + transfer,
                    us(timing.t_bers)};
    return params;
}

/// What is programmed as one has one place.
Geometry placed_geometry(const SsdConfig& config) {
    Geometry nand = config.nand.geometry;
    nand.word_line_pages = word_line_pages(config.nand);
    return nand.in_word_lines();
}

} // namespace

std::uint32_t buffer_frames(const SsdConfig& config) {
    if (config.ftl.adaptive) {
        return AdaptivePartition::most_pages(partition_params(config));
    }
    return static_cast<std::uint32_t>(config.buffer.bytes / drive_geometry(config).page_bytes);
}

std::uint32_t read_grain(const SsdConfig& config) {
    if (!config.nand.column_change) {
        return 0;
    }
    return config.ecc.engine ? config.ecc.codeword : kSectorBytes;
}

std::uint32_t staging_slots(const SsdConfig& config) {
    const Geometry geometry = drive_geometry(config);
    const std::uint64_t slots = (config.dram.bytes - map_bytes(config)) / geometry.page_bytes;
    const std::uint64_t copies = std::uint64_t{copy_slots_per_die(config)} * geometry.dies();
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(slots - buffer_frames(config) - copies,
                                4ull * geometry.dies() * geometry.units_per_program()));
}

std::uint32_t copy_slots_per_die(const SsdConfig& config) {
    const Geometry geometry = drive_geometry(config);
    const std::uint64_t slots =
        (config.dram.bytes - map_bytes(config)) / geometry.page_bytes - buffer_frames(config);
    const std::uint64_t half = slots / geometry.units_per_page / 2 / geometry.dies();
    const std::uint64_t pages =
        config.dram.copy_pages != 0
            ? config.dram.copy_pages
            : std::clamp<std::uint64_t>(half, geometry.word_line_pages,
                                        4ull * geometry.planes_per_die * geometry.word_line_pages);
    return static_cast<std::uint32_t>(pages * geometry.units_per_page);
}

bool takes_commands_in_turn(const SsdConfig& config) {
    const Dispatch dispatch = config.buffer.dispatch;
    return dispatch == Dispatch::kInTurn ||
           (dispatch == Dispatch::kAuto && config.buffer.ncq_aware);
}

std::unique_ptr<DriveData> make_data(const SsdConfig& config, const DriveCore& core,
                                     HostDataIf* host) {
    CAVERN_CHECK(host == nullptr || config.data.store == DataStore::kFull,
                 "a host that has data needs a drive that keeps them: data.store = full");
    if (config.data.store == DataStore::kNone) {
        return nullptr;
    }
    return std::make_unique<DriveData>(
        DriveData::Params{drive_geometry(config), core.ftl().logical_pages(), config.data.store},
        host);
}

Precondition precondition_of(const SsdConfig& config) {
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

std::unique_ptr<DriveCore> build_core(const SsdConfig& config, DecisionLogIf* log,
                                      DecidingParts* parts, FlashContents contents) {
    std::unique_ptr<DecidingParts> configured;
    if (parts == nullptr) {
        configured = make_deciding_parts(config);
        parts = configured.get();
    }
    const Geometry geometry = drive_geometry(config);
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
        const EvictionPolicyContext order{buffer_frames(config), geometry,
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
            config.buffer.flush_keep, keeps_sectors(config));
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
    if (keeps_sectors(config)) {
        core->track_sectors(read_grain(config) / static_cast<std::uint32_t>(kSectorBytes));
    }
    if (config.data.trim_reads == TrimReads::kOld) {
        core->ignore_trims();
    }
    if (config.power_loss.happens()) {
        const std::uint64_t pages = core->ftl().logical_pages();
        core->survive_power_loss(
            std::make_unique<TrimMap>(pages, geometry.page_bytes, std::move(contents.trims)),
            make_map_log(geometry, pages, map_log_params(config), std::move(contents.log)));
    }
    core->keep(std::move(destination));
    core->watch_queue(queue_pins);
    if (config.ftl.adaptive) {
        core->partition_by(std::make_unique<AdaptivePartition>(partition_params(config)));
    }
    core->listen(parts->make_listener());
    return core;
}

} // namespace cavern
