#include "firmware/lookup/host/play.h"

#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/error.h"
#include "core/base/output_file.h"

namespace cavern::lookup {
namespace {

struct FreeMemory {
    void operator()(void* memory) const { std::free(memory); }
};

/// Of this thread: what else runs on the machine takes none of it.
double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

} // namespace

LookUpMemory memory_of(const session_settings& settings, const session_result& result) {
    const look_up& how = *kLookUps[settings.look_up];
    const std::uint64_t lists = how.groups == kGroupsOfLists ? settings.groups : 1;
    const bool tree = &how == &kLookUpBt;
    return {settings.frames * std::uint64_t{12}, 2 * 4 * lists,
            tree ? result.tree_nodes * btree_node_bytes(settings.order) : 0};
}

session_result play_on_host(const session_settings& settings, access_log* log, double* seconds) {
    const std::uint64_t bytes = session_bytes(&settings);
    // Not a vector: most of a large flash is never touched.
    const std::unique_ptr<void, FreeMemory> memory(std::malloc(bytes));
    const auto session = std::make_unique<struct session>();
    if (!memory || !session_start(session.get(), &settings, memory.get(), bytes)) {
        throw ModelError("a session has the memory that it asked for");
    }
    session_result result{};
    session->log = log;
    const double start = processor_seconds();
    session_play(session.get(), nullptr, &result);
    if (seconds != nullptr) {
        *seconds = processor_seconds() - start;
    }
    if (const char* broken = ftl_cache_check(&session->cache)) {
        throw ModelError(broken);
    }
    return result;
}

std::string summary_json(const RunSettings& settings, const RunSources& sources,
                         const session_result& result, double host_seconds) {
    const session_settings& session = settings.session;
    const ftl_cache_counts& counts = result.counts;
    const LookUpMemory memory = memory_of(session, result);
    const std::uint64_t hits = counts.read_hits + counts.write_hits;
    const std::uint64_t accesses = counts.reads + counts.writes;
    nlohmann::ordered_json summary;
    summary["schema"] = "cavern-lookup-1";
    summary["complete"] = true;
    summary["trace"] = sources.workload;
    summary["seed"] = session.seed;
    summary["config"] = {{"look_up", kLookUps[session.look_up]->name},
                         {"groups", session.groups},
                         {"order", session.order},
                         {"frames", session.frames},
                         {"turns", session.turns},
                         {"blocks", session.blocks},
                         {"low_watermark", session.low_watermark},
                         {"high_watermark", session.high_watermark},
                         {"read_modify_write", session.read_modify_write != 0},
                         {"played_on", settings.played_on},
                         {"cache_bytes", settings.cache_bytes},
                         {"line_fill_cycles", settings.line_fill_cycles}};
    summary["records"] = result.records;
    summary["accesses"] = accesses;
    summary["reads"] = counts.reads;
    summary["writes"] = counts.writes;
    summary["hits"] = hits;
    summary["hit_ratio"] =
        accesses == 0 ? 0.0 : static_cast<double>(hits) / static_cast<double>(accesses);
    summary["first_writes"] = counts.first_writes;
    summary["unwritten_reads"] = counts.unwritten_reads;
    summary["flash"] = {{"reads", counts.flash_reads},
                        {"flushes", counts.flushes},
                        {"collections", counts.collections},
                        {"copies", counts.copies},
                        {"least_free", counts.least_free}};
    summary["search"] = {{"look_ups", result.cost.look_ups},
                         {"compares", result.cost.compares},
                         {"nodes", result.cost.nodes},
                         {"cycles", result.cost.cycles},
                         {"clock_cycles", result.clock_cycles}};
    summary["cycles"] = result.cycles;
    if (host_seconds >= 0) {
        summary["sim"] = {{"host_s", host_seconds}}; // alone differs from run to run
    }
    summary["tree_nodes"] = result.tree_nodes;
    summary["memory"] = {{"frames", memory.frames}, {"heads", memory.heads}, {"tree", memory.tree}};
    return summary.dump(2) + "\n";
}

void write_trace(const session_settings& settings, const std::string& path) {
    const workload_settings threads{settings.threads_per_kind, settings.file_pages,
                                    settings.page_bytes,       settings.least_bytes,
                                    settings.most_bytes,       settings.seed};
    workload workload{};
    workload_start(&workload, &threads);
    OutputFile file(path);
    file.print("time_us,op,offset,size\n");
    const std::uint64_t file_bytes = std::uint64_t{settings.file_pages} * settings.page_bytes;
    std::uint64_t time = 0;
    const auto request = [&](char op, const record& each) {
        file.print("{},{},{},{}\n", time, op, each.thread * file_bytes + each.offset, each.bytes);
        time += 25;
    };
    for (std::uint64_t i = 0; i < std::uint64_t{settings.turns} * workload.threads; ++i) {
        record each{};
        workload_next(&workload, &each);
        if (workload_reads(each.kind)) {
            request('R', each);
        }
        if (each.kind != kSequentialRead && each.kind != kRandomRead) {
            request('W', each);
        }
    }
    file.finish();
    file.commit();
}

} // namespace cavern::lookup
