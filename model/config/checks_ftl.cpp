#include <algorithm>

#include "config/rules.h"
#include "core/base/sectors.h"

namespace cavern {
namespace {

/// "ftl.scheme = page or dftl": those that have it.
std::string layers_that(bool FtlRow::*ability) {
    std::string names;
    for (const FtlRow& row : ftl_table()) {
        if (row.*ability) {
            names += (names.empty() ? "ftl.scheme = " : " or ") + std::string(row.name);
        }
    }
    return names;
}

std::string recoverable_layers() {
    std::string names;
    for (const FtlRow& row : ftl_table()) {
        if (row.rebuilding != Rebuilding::kNone) {
            names += (names.empty() ? "" : ", ") + std::string(row.name);
        }
    }
    return names;
}

} // namespace

Refused unit_rules(const DrivePlan& plan) {
    const std::uint64_t unit = plan.ftl.unit_bytes;
    const std::uint64_t page = plan.nand.geometry.page_bytes;
    const std::uint64_t least = std::max<std::uint64_t>(kSectorBytes, page / kMaxUnits);
    return first_broken({{unit != 0 && !(is_power_of_two(unit) && unit >= least && unit <= page),
                          {"ftl.unit", "nand.page_size"},
                          fmt::format("ftl.unit = {} on pages of {}", size_of(unit), size_of(page)),
                          fmt::format("a power of two from {} to {}", size_of(least),
                                      size_of(std::min(page, kMaxSectors * kSectorBytes)))},
                         {unit != 0 && unit != page && !plan.ftl.scheme->supports_units,
                          {"ftl.unit", "ftl.scheme"},
                          fmt::format("ftl.unit = {} on pages of {} with ftl.scheme = {}",
                                      size_of(unit), size_of(page), plan.ftl.scheme->name),
                          fmt::format("{}, or ftl.unit = page or {}",
                                      layers_that(&FtlRow::supports_units), size_of(page))}});
}

Refused watermark_rules(const DrivePlan& plan) {
    const FtlParams& f = plan.ftl_params;
    return first_broken({{f.gc_low >= f.gc_high,
                          {"ftl.gc_low", "ftl.gc_high"},
                          fmt::format("ftl.gc_low = {} and ftl.gc_high = {}", f.gc_low, f.gc_high),
                          "gc_low below gc_high"}});
}

/// A layer that needs blocks in SLC mode says so itself.
Refused slc_rules(const DrivePlan& plan) {
    const Geometry& nand = plan.nand.geometry;
    if (nand.slc_blocks == 0) {
        return {};
    }
    const NandTiming& timing = plan.nand.timing;
    const std::size_t types = timing.page_types();
    return first_broken({{!plan.ftl.scheme->caches_in_slc,
                          {"nand.slc_blocks", "ftl.scheme"},
                          fmt::format("nand.slc_blocks = {} with ftl.scheme = {}", nand.slc_blocks,
                                      plan.ftl.scheme->name),
                          "ftl.scheme = slc-cache, or nand.slc_blocks = 0"},
                         {types == 1 || nand.pages_per_block % types != 0,
                          {"nand.slc_blocks", "nand.part", "nand.t_read", "nand.t_program"},
                          fmt::format("blocks in SLC mode of a part of {} page type{}", types,
                                      types == 1 ? "" : "s"),
                          "a part of several page types, as many as bits in a cell"},
                         {timing.slc_t_r == 0 || timing.slc_t_prog == 0,
                          {"nand.slc_blocks", "nand.slc_t_read", "nand.slc_t_program"},
                          "nand.slc_blocks of a part without times of SLC mode",
                          "nand.slc_t_read and nand.slc_t_program above 0"}});
}

Refused own_rules_of_layers(const DrivePlan& plan) {
    Refused refused = own_parameters("ftl", ftl_table(), plan.ftl.scheme_params);
    return refused ? refused : own_parameters("ftl", victim_policy_table(), plan.ftl.victim_params);
}

/// An allocator may choose no more than the translation layer leaves it.
Refused placement_rules(const DrivePlan& plan) {
    const FtlRow& ftl = *plan.ftl.scheme;
    const AllocatorRow& row = *plan.alloc.scheme;
    const RoundRobinMode mode = row.mode_of(plan.alloc.params[row]);
    const bool homes = ftl.freedom == PlacementFreedom::kHomes;
    const bool blocks = homes || ftl.freedom == PlacementFreedom::kBlocks;
    const KeyNames schemes{"ftl.scheme", "alloc.scheme"};
    const KeyNames own = with_keys(schemes, "alloc", row);
    return first_broken(
        {{blocks && !row.keeps_blocks, schemes,
          fmt::format("alloc.scheme = {} with ftl.scheme = {}, which maps whole blocks", row.name,
                      ftl.name),
          "alloc.scheme = block-round-robin or stripe-block"},
         {blocks && mode == RoundRobinMode::kFree, own,
          fmt::format(
              "alloc.{}.mode = free with ftl.scheme = {}: a block cannot change its die for "
              "nothing",
              row.name, ftl.name),
          homes ? "sticky" : "move, gather or sticky"},
         {homes && mode != RoundRobinMode::kSticky, own,
          fmt::format("alloc.{}.mode = {} with ftl.scheme = {}, which moves no block for a new die",
                      row.name, mode == RoundRobinMode::kMove ? "move" : "gather", ftl.name),
          "sticky"},
         {ftl.freedom == PlacementFreedom::kNone && !row.stripes_by_address, schemes,
          fmt::format("alloc.scheme = {} with ftl.scheme = {}, which fixes the place of a page by "
                      "its address",
                      row.name, ftl.name),
          "alloc.scheme = stripe-page"}});
}

/// Buffer, pages on their way and the map share the SDRAM, and may divide it as the run goes.
Refused map_memory_rules(const DrivePlan& plan) {
    const FtlRow& ftl = *plan.ftl.scheme;
    const bool sized = ftl.map_memory != nullptr;
    const std::uint64_t bytes = sized ? ftl.map_memory(plan.geometry, plan.ftl_params).bytes : 0;
    const std::uint64_t others =
        plan.buffer.bytes + (1 + plan.least_copies()) * plan.nand.geometry.page_bytes;
    const bool adaptive = plan.ftl.adaptive;
    const std::uint64_t bitmap = plan.ftl.partition.bitmap_bytes;
    return first_broken(
        {{sized && bytes + others > plan.dram.bytes,
          with_keys({"ftl.map_cache", "ftl.log_blocks", "ftl.scheme", "buffer.size", "dram.size"},
                    "ftl", ftl),
          fmt::format("a map of {} beside a buffer of {} in an SDRAM of {}", size_of(bytes),
                      size_of(plan.buffer.bytes), size_of(plan.dram.bytes)),
          "both together at least a page for reads and those for copies below dram.size"},
         {adaptive && !sized,
          {"ftl.partition", "ftl.scheme"},
          fmt::format("ftl.partition = adaptive with ftl.scheme = {}, whose map has one size",
                      ftl.name),
          "ftl.scheme = dftl or fast"},
         {adaptive && plan.buffer.policy == nullptr,
          {"ftl.partition", "buffer.policy"},
          "ftl.partition = adaptive without a write buffer",
          "a buffer.policy such as lru-page"},
         {adaptive && plan.buffer.cache_reads,
          {"ftl.partition", "buffer.cache_reads"},
          "ftl.partition = adaptive with a buffer that keeps pages read",
          "buffer.cache_reads = false"},
         {adaptive && plan.buffer.flush_keep,
          {"ftl.partition", "buffer.flush_keep"},
          "ftl.partition = adaptive with a buffer that keeps pages a FLUSH wrote",
          "buffer.flush_keep = false"},
         {adaptive && !is_power_of_two(bitmap),
          {"ftl.adaptive.bitmap"},
          fmt::format("ftl.adaptive.bitmap = {} is no power of two", size_of(bitmap)),
          "64KiB, 128KiB, 256KiB, ..."}});
}

/// Not every layer has what the page-mapping one has.
Refused collection_rules(const DrivePlan& plan) {
    const FtlRow& ftl = *plan.ftl.scheme;
    const FtlParams& f = plan.ftl_params;
    const bool lacks = !ftl.supports_wear_and_faults;
    return first_broken(
        {{plan.nand.retire_worn && plan.nand.endurance == 0,
          {"nand.retire_worn", "nand.endurance", "nand.part"},
          "nand.retire_worn = true and no nand.endurance",
          "say how many erases are good"},
         {f.gc_pace != GcPace::kBurst && !ftl.collects_in_steps,
          {"ftl.scheme", "ftl.gc_pace"},
          fmt::format("ftl.gc_pace = paced with ftl.scheme = {}", ftl.name),
          layers_that(&FtlRow::collects_in_steps)},
         {f.gc_background != 0 && !ftl.only_on_demand.empty(),
          {"ftl.scheme", "ftl.gc_background"},
          fmt::format("ftl.gc_background with ftl.scheme = {}, {}", ftl.name, ftl.only_on_demand),
          "ftl.gc_background = 0"},
         {f.gc_placement != GcPlacement::kPlane && !ftl.joins_planes,
          {"ftl.scheme", "ftl.gc_placement"},
          fmt::format("a wider ftl.gc_placement than plane with ftl.scheme = {}", ftl.name),
          layers_that(&FtlRow::joins_planes)},
         {lacks && f.faults.any(),
          {"ftl.scheme", "nand.bad_blocks", "nand.program_failures", "nand.erase_failures",
           "nand.retire_worn", "nand.fault_list"},
          fmt::format("bad blocks or failures with ftl.scheme = {}", ftl.name),
          "ftl.scheme = page"},
         {lacks && (f.wear_leveling != WearLeveling::kNone || f.hot_cold || f.refreshes),
          {"ftl.scheme", "ftl.wear_leveling", "ftl.hot_cold", "ftl.refresh_reads",
           "ecc.refresh_errors"},
          fmt::format("ftl.wear_leveling, hot_cold or refresh with ftl.scheme = {}", ftl.name),
          "ftl.scheme = page"}});
}

/// What the layer says itself.
Refused layer_rules(const DrivePlan& plan) {
    const FtlRow& ftl = *plan.ftl.scheme;
    const auto why = ftl.why_not(plan.geometry, plan.ftl_params);
    if (!why) {
        return {};
    }
    return in_words_of(*why, with_keys({"ftl.scheme",
                                        "ftl.overprovision",
                                        "ftl.gc_low",
                                        "ftl.gc_high",
                                        "ftl.log_blocks",
                                        "ftl.map_cache",
                                        "ftl.partition",
                                        "nand.channels",
                                        "nand.ways",
                                        "nand.dies",
                                        "nand.planes",
                                        "nand.blocks_per_plane",
                                        "nand.pages_per_block",
                                        "nand.slc_blocks",
                                        "ftl.gc_unit",
                                        "ftl.gc_shared_frontier",
                                        "ftl.hot_cold",
                                        "ftl.unit",
                                        "nand.one_shot",
                                        "ftl.wear_leveling",
                                        "nand.bad_blocks",
                                        "nand.program_failures",
                                        "nand.erase_failures",
                                        "nand.retire_worn",
                                        "nand.fault_list",
                                        "host.fdp.handles",
                                        "seed"},
                                       "ftl", ftl));
}

/// A window takes over the state of the core and of the flash, and no other.
Refused sampled_rules(const DrivePlan& plan) {
    if (plan.fidelity != Fidelity::kSampled) {
        return {};
    }
    const auto with = [](const std::string& other) { return KeyNames{"fidelity", other}; };
    return first_broken(
        {{plan.power_loss.happens(),
          {"fidelity", "power_loss.at", "power_loss.cuts", "power_loss.on_signal"},
          "fidelity = sampled with a loss of power",
          "one of them"},
         {plan.data.store != DataStore::kNone, with("data.store"),
          "fidelity = sampled with data.store", "data.store = none"},
         {plan.buffer.ncq_aware, with("buffer.ncq_aware"),
          "fidelity = sampled with buffer.ncq_aware, whose decisions depend on time",
          "fidelity = at"},
         {plan.cpu.decides != Decides::kCore || executes_firmware(plan.cpu.model),
          {"fidelity", "cpu.decides", "cpu.model"},
          "fidelity = sampled where firmware decides or runs",
          "cpu.decides = core and cpu.model = none or cost"}});
}

Refused power_loss_rules(const DrivePlan& plan) {
    const PowerLossConfig& loss = plan.power_loss;
    if (!loss.happens()) {
        return {};
    }
    const auto with = [](const std::string& other) {
        return KeyNames{"power_loss.at", "power_loss.cuts", other};
    };
    const bool timed = plan.fidelity != Fidelity::kUntimed;
    return first_broken(
        {{timed && loss.cuts != 0,
          {"power_loss.cuts", "fidelity"},
          "power_loss.cuts in a run with time",
          "power_loss.at, or fidelity = untimed"},
         {!timed && loss.at != 0,
          {"power_loss.at", "fidelity"},
          "power_loss.at in a run without time",
          "power_loss.cuts, or fidelity = at"},
         {plan.ftl.scheme->rebuilding == Rebuilding::kNone, with("ftl.scheme"),
          fmt::format("a loss of power with ftl.scheme = {}, which cannot be rebuilt from flash",
                      plan.ftl.scheme->name),
          recoverable_layers()},
         {plan.ftl.adaptive, with("ftl.partition"),
          "a loss of power with memory divided at run time", "one of them"},
         {plan.cpu.decides != Decides::kCore, with("cpu.decides"),
          "a loss of power with firmware that decides", "cpu.decides = core"},
         {!timed && plan.buffer.ncq_aware, with("buffer.ncq_aware"),
          "power_loss.cuts with buffer.ncq_aware", "one of them"}});
}

Refused recovery_rules(const DrivePlan& plan) {
    const bool logs = plan.map_log.kind != MapLogKind::kNone;
    const bool marks = plan.map_log.kind == MapLogKind::kMarks;
    const bool drains =
        plan.power_loss.happens() && plan.power_loss.recovery == PowerRecovery::kPlp;
    const FtlRow& ftl = *plan.ftl.scheme;
    const std::string key = "power_loss.recovery";
    return first_broken(
        {{logs && (ftl.rebuilding != Rebuilding::kPages || ftl.caches_in_slc),
          {key, "ftl.scheme"},
          fmt::format("power_loss.recovery = checkpoint or ltftl with ftl.scheme = {}", ftl.name),
          "ftl.scheme = page, or power_loss.recovery = oob-scan"},
         {logs && plan.ftl.params.gc_placement != GcPlacement::kPlane,
          {key, "ftl.gc_placement"},
          "power_loss.recovery = checkpoint or ltftl with planes that ftl.gc_placement joins",
          "power_loss.recovery = oob-scan, or ftl.gc_placement = plane"},
         {logs && plan.ftl.params.faults.any(),
          {key, "nand.bad_blocks"},
          "power_loss.recovery = checkpoint or ltftl, whose blocks are fixed, with bad blocks",
          "power_loss.recovery = oob-scan, or nand.bad_blocks = 0"},
         {marks && plan.buffer.policy == nullptr,
          {key, "buffer.policy"},
          "power_loss.recovery = ltftl without a write buffer, where every write is durable",
          "a buffer.policy, or power_loss.recovery = checkpoint"},
         {marks && plan.cell_pages > 1 && !plan.power_loss.ends_programs,
          {key, "power_loss.ends_programs", "nand.t_program"},
          "power_loss.recovery = ltftl with pages that share their cells",
          "power_loss.ends_programs = true"},
         {drains && plan.drain_costs.program == 0,
          {key, "nand.part"},
          "power_loss.recovery = plp with a part whose currents are not known",
          "nand.vcc, nand.icc_read, nand.icc_program and nand.icc_erase, or another part"},
         {drains && plan.drained_pages == 0, // what does not fit is seen to be lost
          {"power_loss.energy", key},
          "power_loss.energy does not suffice for a page",
          fmt::format("at least {:.0f}uJ", 1 + 1e6 * plan.drain_costs.program)}});
}

} // namespace cavern
