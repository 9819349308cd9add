#include <fmt/format.h>
#include <utility>

#include "core/base/request_op.h"
#include "results/run_results.h"

namespace cavern {

void add_laws_between_sections(ObjectFields<RunResults>& summary) {
    summary.laws({
        "schema = \"cavern.summary/1\"",
        "seed = config.seed",
        "trace = run.input.path",
        "sim.fidelity = config.fidelity",
    });
    // The host, and the pages that its requests touch.
    summary.laws_where(
        "no recovery and ftl.scheme != \"zoned\"",
        {"host.read.count + host.write.count <= buffer.read_hits + buffer.read_misses + "
         "buffer.write_hits + buffer.write_misses"});
    // The translation layer decides what the dies do.
    summary.laws_where("no recovery",
                       {
                           "if sim.fidelity = \"at\" and sim.warmup_requests = 0: "
                           "sum(dies[].programs) * config.nand.page_size = ftl.programmed_bytes",
                           "if sim.fidelity = \"at\" and sim.warmup_requests = 0: "
                           "sum(dies[].erases) = ftl.erases",
                           "flash.programs * config.nand.page_size = ftl.programmed_bytes",
                           "flash.erases = ftl.erases",
                       });
    summary.laws_where("sim.fidelity = \"untimed\"", {"count(channels[]) + count(dies[]) = 0"});
    summary.laws_where(
        "sim.fidelity = \"at\"",
        {"count(channels[]) = config.nand.channels",
         "count(dies[]) = config.nand.channels * config.nand.ways * config.nand.dies"});
    summary.laws({"sum(dies[].polls) <= sum(channels[].grants)"});
    // Nothing crosses a bus but pages that are read or programmed.
    summary.laws_where("sim.warmup_requests = 0 and no recovery and no ecc",
                       {"sum(channels[].bytes) <= (sum(dies[].reads) + "
                        "sum(dies[].register_reads) + sum(dies[].programs)) * "
                        "(config.nand.page_size + config.nand.spare_size)"});
    // The rows of requests.csv.
    constexpr std::string_view kWithRows = "no recovery and run.input.kind != \"clients\"";
    for (const auto& [op, name] :
         {std::pair{RequestOp::kRead, "read"}, std::pair{RequestOp::kWrite, "write"},
          std::pair{RequestOp::kTrim, "trim"}, std::pair{RequestOp::kFlush, "flush"},
          std::pair{RequestOp::kZone, "zone"}}) {
        const char letter = kRequestLetters[static_cast<std::size_t>(op)];
        summary.laws_where(
            kWithRows, {fmt::format("rows.{}.count = host.{}.count", letter, name),
                        fmt::format("rows.{0}.latency_ns = host.{1}.lat_ns.mean * host.{1}.count",
                                    letter, name)});
        if (moves_data(op) || op == RequestOp::kTrim) {
            summary.laws_where(kWithRows, {fmt::format("if ftl.scheme != \"zoned\": "
                                                       "rows.{}.size = host.{}.bytes",
                                                       letter, name)});
        }
    }
    summary.laws_where(kWithRows, {"rows.R.frame_wait_ns + rows.W.frame_wait_ns <= "
                                   "buffer.stall_ns + sim.requests"});
    summary.laws_where("no recovery and sim.warmup_requests = 0",
                       {"rows.R.pages = buffer.read_hits + buffer.read_misses",
                        "rows.W.pages = buffer.write_hits + buffer.write_misses",
                        "buffer.read_hits <= rows.R.hits", "rows.W.hits = buffer.write_hits"});
}

} // namespace cavern
