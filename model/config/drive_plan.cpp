#include "config/drive_plan.h"

#include <algorithm>
#include <numeric>

#include "core/arbiter/arbiter_rules.h"
#include "core/base/sectors.h"
#include "core/drive/trim_map.h"
#include "core/parts/energy.h"

namespace cavern {
namespace {

/// In so many picoseconds.
double mean(const std::vector<TimePs>& times, double unit = 1) {
    return static_cast<double>(std::accumulate(times.begin(), times.end(), TimePs{0})) / unit /
           static_cast<double>(times.size());
}

/// Of a page with its spare bytes over the channel.
TimePs transfer_of(const SsdConfig& config, const Geometry& pages) {
    return config.nand.timing.data_time(std::uint64_t{pages.page_bytes} + pages.spare_bytes);
}

Geometry geometry_of(const SsdConfig& config) {
    Geometry nand = config.nand.geometry;
    const std::uint32_t types = config.nand.timing.page_types();
    nand.word_line_pages = config.nand.timing.one_shot.on ? types : 1;
    if (nand.slc_blocks != 0) {
        nand.slc_pages = nand.pages_per_block / types;
    }
    const std::uint64_t unit = config.ftl.unit_bytes;
    return unit == 0 || unit > nand.page_bytes ? nand
                                               : nand.in_units(static_cast<std::uint32_t>(unit));
}

MapLogParams map_log_of(const PowerLossConfig& loss) {
    MapLogParams params;
    params.kind = !loss.happens()                               ? MapLogKind::kNone
                  : loss.recovery == PowerRecovery::kCheckpoint ? MapLogKind::kCheckpoint
                  : loss.recovery == PowerRecovery::kLtftl      ? MapLogKind::kMarks
                                                                : MapLogKind::kNone;
    params.interval = loss.checkpoint_pages;
    params.journal = loss.journal;
    return params;
}

FtlParams ftl_params_of(const DrivePlan& plan) {
    FtlParams params = plan.ftl.params;
    params.own = plan.ftl.scheme_params[*plan.ftl.scheme];
    params.gc_params = plan.ftl.victim_params[*params.gc_policy];
    const AllocatorRow& allocator = *plan.alloc.scheme;
    params.gather = allocator.mode_of(plan.alloc.params[allocator]) == RoundRobinMode::kGather;
    params.strict_order = plan.nand.strict_order;
    params.seed = plan.seed;
    params.recovers = plan.power_loss.happens();
    params.refreshes = params.refresh_reads != 0 || plan.ecc.errors.refresh_errors != 0;
    params.reserved_blocks = plan.map_log.reserved_blocks(plan.geometry);
    params.placement = plan.host.fdp;
    params.faults.last_erase = plan.nand.retire_worn ? plan.nand.endurance : 0;
    if (plan.ftl.adaptive && plan.ftl.scheme->map_memory != nullptr) {
        params.map_cache_most =
            plan.buffer.bytes + plan.ftl.scheme->map_memory(plan.geometry, params).bytes;
    }
    return params;
}

AdaptivePartition::Params partition_of(const DrivePlan& plan) {
    AdaptivePartition::Params params = plan.ftl.partition;
    if (!plan.ftl.adaptive || plan.ftl.scheme->map_memory == nullptr) {
        return params;
    }
    constexpr auto kOneUs = static_cast<double>(kUs);
    const NandTiming& timing = plan.nand.timing;
    const double transfer = static_cast<double>(transfer_of(plan, plan.geometry)) / kOneUs;
    params.map = plan.ftl.scheme->map_memory(plan.geometry, plan.ftl_params);
    params.total_bytes = plan.buffer.bytes + params.map.bytes;
    params.page_bytes = plan.geometry.page_bytes;
    params.pages_per_block = plan.geometry.pages_per_block;
    params.times = {mean(timing.t_r, kOneUs) + transfer,
                    mean(timing.program_times(), kOneUs) / plan.geometry.word_line_pages + transfer,
                    static_cast<double>(timing.t_bers) / kOneUs};
    return params;
}

std::uint32_t copy_slots_of(const DrivePlan& plan, std::uint64_t slots_left) {
    const Geometry& geometry = plan.geometry;
    const std::uint64_t half = slots_left / geometry.units_per_page / 2 / geometry.dies();
    const std::uint64_t pages =
        plan.dram.copy_pages != 0
            ? plan.dram.copy_pages
            : std::clamp<std::uint64_t>(half, geometry.word_line_pages,
                                        4ull * geometry.planes_per_die * geometry.word_line_pages);
    return static_cast<std::uint32_t>(pages * geometry.units_per_page);
}

std::uint32_t age_limit_of(const SsdConfig& config) {
    const ChannelConfig& channel = config.channel;
    if (channel.age_limit != 0) {
        return channel.age_limit;
    }
    // Half of what 32-bit ages can tell apart.
    constexpr std::uint64_t kMost = 0x7FFF'FFFF;
    const NandTiming& timing = config.nand.timing;
    const TimePs page =
        transfer_of(config, config.nand.geometry) + timing.program_cycles * timing.command_cycle;
    const TimePs period = clock_period(channel.arbiter_hz);
    const std::uint64_t cycles = (channel.age_limit_pages * page + period - 1) / period;
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(cycles, 1, kMost));
}

/// In joules, of the die, its bus, and the controller, whose time the dies share; times in ps.
double operation_energy(const DrivePlan& plan, std::uint64_t nanoamperes, double array,
                        double transfer) {
    const NandCurrents& part = plan.nand.currents;
    if (!part.known()) {
        return 0;
    }
    const double controller = static_cast<double>(plan.controller.power_uw) * 1e-6 *
                              (array + transfer) * 1e-12 / plan.geometry.dies();
    return supply_energy(part.vcc_mv, static_cast<double>(nanoamperes), array) +
           nand_bus_energy(part, transfer) + controller;
}

DrainCosts drain_costs_of(const DrivePlan& plan) {
    const NandTiming& timing = plan.nand.timing;
    const NandCurrents& part = plan.nand.currents;
    const auto transfer = static_cast<double>(transfer_of(plan, plan.geometry));
    return {operation_energy(plan, part.icc_read_na, mean(timing.t_r), transfer),
            operation_energy(plan, part.icc_program_na, mean(timing.t_prog), transfer),
            operation_energy(plan, part.icc_erase_na, static_cast<double>(timing.t_bers), 0)};
}

} // namespace

DrivePlan::DrivePlan(const SsdConfig& config) : SsdConfig(config), geometry(geometry_of(config)) {
    keeps_sectors = ftl.unit_bytes != 0 || data.store != DataStore::kNone;
    read_grain = !nand.column_change ? 0 : ecc.engine ? ecc.codeword : kSectorBytes;
    in_turn = buffer.dispatch == Dispatch::kInTurn ||
              (buffer.dispatch == Dispatch::kAuto && buffer.ncq_aware);
    cell_pages = static_cast<std::uint32_t>(nand.timing.t_prog.size());
    age_limit_cycles = age_limit_of(*this);
    map_log = map_log_of(power_loss);
    ftl_params = ftl_params_of(*this);
    partition = partition_of(*this);
    logical_pages = cavern::logical_pages(*ftl.scheme, geometry, ftl_params);
    host_pages = power_loss.happens() ? TrimMap::host_pages_of(logical_pages, geometry.page_bytes)
                                      : logical_pages;

    const bool divided = partition.page_bytes != 0;
    map_bytes = dram.map_traffic ? geometry.pages() * kMapEntryBytes : 0;
    frames = divided ? AdaptivePartition::most_pages(partition)
                     : static_cast<std::uint32_t>(buffer.bytes / geometry.page_bytes);
    const std::uint64_t left = (dram.bytes - map_bytes) / geometry.page_bytes - frames;
    copy_slots_per_die = copy_slots_of(*this, left);
    staging_slots = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(left - std::uint64_t{copy_slots_per_die} * geometry.dies(),
                                4ull * geometry.dies() * geometry.units_per_program()));

    constexpr double kFemto = 1e-15;
    drain_costs = drain_costs_of(*this);
    drained_pages = drain_costs.program == 0
                        ? 0
                        : static_cast<std::uint64_t>(static_cast<double>(power_loss.energy_fj) *
                                                     kFemto / drain_costs.program);
}

std::uint64_t DrivePlan::least_copies() const {
    return std::uint64_t{std::max(dram.copy_pages, geometry.word_line_pages)} * geometry.dies();
}

std::string_view name_of(CpuLookUp look_up) {
    constexpr std::string_view kNames[] = {"", "LM", "ML", "SQ", "SG", "BT", "DX"};
    return kNames[static_cast<std::size_t>(look_up)];
}

LookUpCost::Params look_up_params(const DrivePlan& plan, std::uint64_t logical_pages) {
    const std::uint64_t pages = plan.buffer.bytes / plan.geometry.page_bytes;
    return {find_look_up_cycles(name_of(plan.cpu.look_up), plan.cpu.look_up_groups),
            static_cast<std::uint32_t>(std::min<std::uint64_t>(pages, UINT32_MAX)), logical_pages};
}

} // namespace cavern
