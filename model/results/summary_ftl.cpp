#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "core/ftl/ftl_table.h"
#include "results/run_results.h"

namespace cavern {
namespace {

/// Erases of the blocks so far.
struct Wear {
    std::uint64_t least = ~std::uint64_t{0};
    std::uint64_t most = 0;
    double mean = 0;
    double deviation = 0;
};

Wear wear_of(const NandArray& array) {
    Wear wear;
    double sum = 0;
    double squares = 0;
    const std::uint32_t blocks = array.geometry().blocks();
    for (std::uint32_t block = 0; block < blocks; ++block) {
        const std::uint32_t erases = array.erase_count(BlockId{block});
        wear.least = std::min<std::uint64_t>(wear.least, erases);
        wear.most = std::max<std::uint64_t>(wear.most, erases);
        sum += erases;
        squares += static_cast<double>(erases) * erases;
    }
    wear.mean = sum / blocks;
    wear.deviation = std::sqrt(std::max(0.0, squares / blocks - wear.mean * wear.mean));
    return wear;
}

ObjectFields<Wear> wear_fields() {
    ObjectFields<Wear> fields;
    fields
        .value("min", "erases", "Erases of the block that has fewest, preconditioning included.",
               [](const Wear& wear) { return wear.least; })
        .value("mean", "erases", "Mean erases of a block.",
               [](const Wear& wear) { return wear.mean; })
        .value("max", "erases", "Erases of the block that has most.",
               [](const Wear& wear) { return wear.most; })
        .value("stddev", "erases", "Standard deviation of the erases of the blocks.",
               [](const Wear& wear) { return wear.deviation; })
        .laws({"min <= mean <= max", "stddev <= (max - min) / 2 + 0.001"});
    return fields;
}

/// Since the power was cut, as the counters of the translation layer.
std::uint64_t bytes_of_host(const RunResults& run) {
    const std::uint64_t before = run.timed == nullptr ? run.untimed->written_before_cut() : 0;
    return bytes_of(run, RequestOp::kWrite) - before;
}

std::uint64_t bytes_programmed(const RunResults& run) {
    return run.core.programs() * run.config().geometry.page_bytes;
}

/// The bytes that the host can write before blocks reach their endurance, at the write
/// amplification of this run: evenly worn, and with the wear as uneven as it is.
struct Lifetime {
    std::uint64_t endurance;
    double host_bytes;
    double host_bytes_first_block;
};

std::optional<Lifetime> lifetime_of(const RunResults& run) {
    const FtlCounters& ftl = run.core.ftl().counters();
    const auto& nand = run.config().nand;
    if (nand.endurance == 0 || ftl.erases == 0) {
        return std::nullopt; // not known, or nothing to go by
    }
    const Geometry& geometry = nand.geometry;
    const Wear wear = wear_of(run.array);
    const auto host_bytes = static_cast<double>(bytes_of_host(run));
    const double even = static_cast<double>(nand.endurance) * geometry.blocks() *
                        ratio(host_bytes, static_cast<double>(ftl.erases));
    return Lifetime{nand.endurance, even, even * ratio(wear.mean, static_cast<double>(wear.most))};
}

ObjectFields<Lifetime> lifetime_fields() {
    ObjectFields<Lifetime> fields;
    fields
        .value("endurance", "erases", "Erases that a block of the part withstands.",
               [](const Lifetime& life) { return life.endurance; })
        .value("host_bytes", "bytes",
               "Bytes that the host can write before the blocks wear out, if all wear evenly.",
               [](const Lifetime& life) { return life.host_bytes; })
        .value("host_bytes_first_block", "bytes",
               "Bytes that the host can write before the first block wears out, with the wear as "
               "uneven as it is.",
               [](const Lifetime& life) { return life.host_bytes_first_block; })
        .laws({"host_bytes_first_block <= host_bytes", "endurance = config.nand.endurance"});
    return fields;
}

ObjectFields<RunResults> map_cache_fields() {
    const auto cache_of = [](const RunResults& run) { return run.core.ftl().map_cache(); };
    ObjectFields<RunResults> fields;
    fields
        .value("bytes", "bytes",
               "Memory that the map may take at the end: the mapping cache of dftl, or the map of "
               "fast's log blocks.",
               [cache_of](const RunResults& run) {
                   const MapCacheIf* cache = cache_of(run);
                   return cache == nullptr ? 0 : cache->cache_bytes();
               })
        .counters<MapCacheCounters>([cache_of](const RunResults& run) {
            const MapCacheIf* cache = cache_of(run);
            return cache == nullptr ? MapCacheCounters{} : cache->cache_counters();
        });
    for (const FtlRow& row : ftl_table()) {
        if (row.cache_counters != nullptr) {
            fields.counters(*row.cache_counters, [cache_of](const RunResults& run) {
                const MapCacheIf* cache = cache_of(run);
                return cache == nullptr ? CounterView() : cache->own_cache_counters();
            });
        }
    }
    return fields;
}

ObjectFields<AdaptivePartition> partition_fields() {
    const auto total = [](const AdaptivePartition& p) { return p.map_bytes() + p.buffer_bytes(); };
    ObjectFields<AdaptivePartition> fields;
    fields
        .value("buffer_bytes", "bytes", "Memory of the write buffer at the end.",
               [](const AdaptivePartition& p) { return p.buffer_bytes(); })
        .value("map_bytes", "bytes", "Memory of the map at the end.",
               [](const AdaptivePartition& p) { return p.map_bytes(); })
        .value("map_ratio", "share", "The map's share of the memory of both at the end.",
               [total](const AdaptivePartition& p) { return share(p.map_bytes(), total(p)); })
        .value("mean_map_ratio", "share",
               "The map's share of the memory of both, its mean over all decisions.",
               [total](const AdaptivePartition& p) {
                   return p.mean_map_bytes() / static_cast<double>(total(p));
               })
        .value("decisions", "decisions",
               "Times that the sizes of buffer and map were decided anew.",
               [](const AdaptivePartition& p) { return p.decisions(); })
        .value("moved_bytes", "bytes", "Memory that went from buffer to map or back, added up.",
               [](const AdaptivePartition& p) { return p.moved_bytes(); })
        .laws({"map_ratio * (map_bytes + buffer_bytes) = map_bytes"});
    return fields;
}

ObjectFields<RunResults> partition_section() {
    ObjectFields<RunResults> fields;
    fields
        .value("mode", "", "static: sizes are fixed; adaptive: they change (ftl.partition).",
               [](const RunResults& run) {
                   return run.core.partition() == nullptr ? "static" : "adaptive";
               })
        .include(
            partition_fields(), [](const RunResults& run) { return run.core.partition(); },
            "ftl.partition = \"adaptive\"");
    return fields;
}

ObjectFields<HandleCounters> handle_fields() {
    ObjectFields<HandleCounters> fields;
    fields.counters<HandleCounters>([](const HandleCounters& handle) { return handle; })
        .value("programs", "pages", "All programs of the handle's data.",
               [](const HandleCounters& handle) { return handle.programs(); })
        .value("waf_pages", "ratio", "Programs of the handle's data per program of host data.",
               [](const HandleCounters& handle) {
                   return share(handle.programs(), handle.host_pages);
               })
        .laws({"programs = host_pages + moved_pages + padding_pages",
               "if host_pages != 0: waf_pages * host_pages = programs"});
    return fields;
}

ObjectFields<ReclaimHandles> fdp_fields() {
    const auto total = [](const ReclaimHandles& all) {
        HandleCounters sum;
        for (const HandleCounters& handle : all.counters()) {
            add_counters(sum, handle);
        }
        return sum;
    };
    ObjectFields<ReclaimHandles> fields;
    fields
        .value("invalid_identifiers", "commands",
               "Writes whose placement identifier (stream) names no handle; they used the default "
               "handle, 0.",
               [](const ReclaimHandles& all) { return all.invalid_identifiers(); })
        .object("total", "All handles together.", handle_fields(), total)
        .list("handles", "Each reclaim unit handle, from 0 on.", handle_fields(),
              [](const ReclaimHandles& all) { return all.counters(); })
        .laws({
            "total.host_pages = sum(handles[].host_pages)",
            "total.moved_pages = sum(handles[].moved_pages)",
            "total.padding_pages = sum(handles[].padding_pages)",
            "total.reclaim_units = sum(handles[].reclaim_units)",
            "count(handles[]) = config.host.fdp.handles",
            "total.host_pages = ftl.host_pages",
            "invalid_identifiers <= host.write.count",
        });
    return fields;
}

ObjectFields<ZoneStates> zone_fields() {
    ObjectFields<ZoneStates> fields;
    fields
        .value("zones", "zones", "Zones of the namespace.",
               [](const ZoneStates& zones) { return zones.shape().zones; })
        .value("size", "pages", "Pages of a zone in the address space.",
               [](const ZoneStates& zones) { return zones.shape().size; })
        .value("capacity", "pages", "Pages of a zone that can be written.",
               [](const ZoneStates& zones) { return zones.shape().capacity; })
        .value("open", "zones", "Open zones at the end.",
               [](const ZoneStates& zones) { return zones.open_zones(); })
        .value("active", "zones", "Open and closed zones at the end.",
               [](const ZoneStates& zones) { return zones.active_zones(); })
        .group("errors", "Commands that were answered with an error, by status.")
        .counters<ZoneCounters>([](const ZoneStates& zones) { return zones.counters(); })
        .laws({"open <= active <= zones", "capacity <= size", "zones * size = ftl.logical_pages",
               "appends <= host.write.count"});
    return fields;
}

void add_time_fields(ObjectFields<RunResults>& fields) {
    const auto time = [](const RunResults& run) -> const ExecutionTime& {
        return run.core.execution_time();
    };
    fields
        .value("write_time_ns", "ns",
               "The part of execution_time_ns that host programs take alone.",
               [time](const RunResults& run) { return to_ns(time(run).write_time()); })
        .value("gc_time_ns", "ns", "The rest of execution_time_ns.",
               [time](const RunResults& run) {
                   return to_ns(time(run).total()) - to_ns(time(run).write_time());
               })
        .value("gc_time_sum_ns", "ns",
               "The operations behind gc_time_ns, each by the time it takes alone on a die, added "
               "up: what they would take if none ran beside another (as Figure 2 of the CAVE "
               "paper counts copies and erases).",
               [time](const RunResults& run) { return to_ns(time(run).gc_time_sum()); })
        .value("execution_time_ns", "ns",
               "Time that the flash array would need for page writes and collection if batches "
               "followed each other without a gap: dies in parallel, dies of a channel sharing "
               "its bus, a multi-plane program counted once, buffer and host not counted (the "
               "measure of the CAVE paper).",
               [time](const RunResults& run) { return to_ns(time(run).total()); })
        .laws({"execution_time_ns = write_time_ns + gc_time_ns"});
}

} // namespace

ObjectFields<RunResults> ftl_fields() {
    ObjectFields<RunResults> fields;
    fields
        .value("scheme", "", "The translation layer (ftl.scheme).",
               [](const RunResults& run) { return run.config().ftl.scheme->name; })
        .value("logical_pages", "pages", "Pages (mapping units, ftl.unit) that the drive exports.",
               [](const RunResults& run) { return run.core.host_pages(); })
        .group("merges", "Merges of log blocks, by kind.")
        .counters<FtlCounters>([](const RunResults& run) { return run.core.ftl().counters(); });
    for (const FtlRow& row : ftl_table()) {
        if (row.counters != nullptr) {
            fields.counters(*row.counters,
                            [](const RunResults& run) { return run.core.ftl().own_counters(); });
        }
    }
    fields
        .value("host_bytes", "bytes",
               "Bytes that the host wrote; without time, since the last cut of power, as all other "
               "counters of ftl.",
               bytes_of_host)
        .value("programmed_bytes", "bytes",
               "Bytes that the flash programmed for all purposes, spare areas not counted.",
               bytes_programmed)
        .value(
            "waf", "ratio",
            "Write amplification: programmed_bytes per byte of host_bytes. What the write "
            "buffer still holds is not programmed yet.",
            [](const RunResults& run) { return share(bytes_programmed(run), bytes_of_host(run)); })
        .value("waf_pages", "ratio",
               "All programs per program of host data, in pages (mapping units): what collection "
               "adds, whatever part of a page the host wrote.",
               [](const RunResults& run) {
                   const FtlIf& ftl = run.core.ftl();
                   return share(run.core.programs(), ftl.counters().host_pages);
               });
    add_time_fields(fields);
    const std::string map_cache =
        "The part of the map that memory holds, where it can change size: "
        "with dftl, and with fast the map of its log blocks. 0 without.";
    fields.object("map_cache", map_cache, map_cache_fields(), itself)
        .object("cmt", "The old name of map_cache.", map_cache_fields(), itself)
        .deprecated("map_cache")
        .object("partition", "How memory is divided between write buffer and map.",
                partition_section(), itself)
        .object("bad_blocks", "Blocks that cannot be used.",
                ObjectFields<BadBlocks>().counters<BadBlocks>(
                    [](const BadBlocks& bad) -> const BadBlocks& { return bad; }),
                [](const RunResults& run) { return run.core.ftl().bad_blocks(); })
        .object("fdp", "What the reclaim unit handles wrote (Flexible Data Placement).",
                fdp_fields(),
                [](const RunResults& run) { return run.core.ftl().reclaim_handles(); })
        .present("host.fdp.handles is not 0",
                 [](const RunResults& run) { return run.core.ftl().reclaim_handles() != nullptr; })
        .object("zoned", "Zones and what was asked of them.", zone_fields(),
                [](const RunResults& run) { return run.core.ftl().zones(); })
        .present("ftl.scheme = \"zoned\"",
                 [](const RunResults& run) { return run.core.ftl().zones() != nullptr; })
        .object("wear", "Erases of a block so far, preconditioning included.", wear_fields(),
                [](const RunResults& run) { return wear_of(run.array); })
        .object("lifetime",
                "How much the host can write, at the write amplification of this run; null: "
                "nand.endurance is not known, or no block was erased.",
                lifetime_fields(), lifetime_of)
        .laws({
            "if no recovery: host_bytes = host.write.bytes",
            "host_bytes <= host.write.bytes",
            "if host_bytes != 0: waf * host_bytes = programmed_bytes",
            "moved_pages <= merge_pages",
            "slc_pages <= host_pages",
            "failed_erases <= erases",
            "folds <= erases",
            "if buffer.policy != \"none\" and no recovery: "
            "host_pages = buffer.evicted_pages + buffer.cleaned_pages",
            "if buffer.policy = \"none\" and no recovery: host_pages = buffer.write_misses",
            "if scheme = \"dftl\" and no recovery: "
            "map_cache.write_hits + map_cache.write_misses = host_pages",
            "map_cache.read_hits + map_cache.read_misses <= buffer.read_misses",
            "map_cache.batches + map_cache.gc_batches + map_cache.table_copies <= "
            "map_pages_written",
            "map_cache.batches <= map_cache.batch_entries",
            "map_cache.gc_batches <= map_cache.gc_batch_entries",
            "partition.buffer_bytes + partition.map_bytes <= config.dram.size",
            "bad_blocks.factory + bad_blocks.grown < config.nand.channels * config.nand.ways * "
            "config.nand.dies * config.nand.planes * config.nand.blocks_per_plane",
        });
    for (const auto& [is, bytes] : {std::pair{"= \"page\"", "config.nand.page_size"},
                                    std::pair{"!= \"page\"", "config.ftl.unit"}}) {
        fields.laws_where(
            fmt::format("config.ftl.unit {}", is),
            {fmt::format("if host_pages != 0: waf_pages * host_pages * {} = programmed_bytes",
                         bytes),
             fmt::format("if no recovery: programmed_bytes = (host_pages + gc_pages + merge_pages "
                         "+ padding_pages + wear_pages + refresh_pages + rescued_pages + "
                         "failed_programs + map_pages_written + fold_pages) * {}",
                         bytes)});
    }
    return fields;
}

ObjectFields<SteadyWindow> steady_window_fields(const std::string& what, std::string_view unit) {
    ObjectFields<SteadyWindow> window;
    window
        .value("mean", unit, "Mean " + what + " of the rounds of the window.",
               [](const SteadyWindow& w) { return w.mean; })
        .value("range", "ratio",
               "Largest less smallest " + what +
                   " of the rounds of the window, as a share of the mean.",
               [](const SteadyWindow& w) { return w.range; })
        .value("slope", "ratio",
               "Rise or fall of the line of least squares over the window, as a share of the mean.",
               [](const SteadyWindow& w) { return w.slope; });
    return window;
}

ObjectFields<PreconditionResult> precondition_fields() {
    ObjectFields<PreconditionResult> fields;
    fields
        .value("steady", "", "Whether the drive became steady.",
               [](const PreconditionResult& result) { return result.steady; })
        .value("rounds", "rounds",
               "Rounds of writes until the drive was steady, or until they ran out.",
               [](const PreconditionResult& result) { return result.amplification.size(); })
        .value("waf", "ratio", "Write amplification of each round of preconditioning.",
               [](const PreconditionResult& result) { return result.amplification; })
        .object("window", "The last rounds, by which the drive was judged.",
                steady_window_fields("write amplification", "ratio"),
                [](const PreconditionResult& result) { return result.window; })
        .laws({"rounds = count(waf[])"});
    return fields;
}

} // namespace cavern
