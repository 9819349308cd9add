#include "results/run_results.h"

namespace cavern {

void add_laws_between_sections(ObjectFields<RunResults>& summary) {
    summary.laws({
        "schema = \"cavern.summary/1\"",
        "seed = config.seed",
        "trace = run.input.path",
        "sim.fidelity = config.fidelity",
        // The host, and the pages that its requests touch.
        "if no recovery and ftl.scheme != \"zoned\": "
        "host.read.count + host.write.count <= buffer.read_hits + buffer.read_misses + "
        "buffer.write_hits + buffer.write_misses",
        // The translation layer decides what the dies do.
        "if sim.fidelity = \"at\" and sim.warmup_requests = 0 and no recovery: "
        "sum(dies[].programs) * config.nand.page_size = ftl.programmed_bytes",
        "if sim.fidelity = \"at\" and sim.warmup_requests = 0 and no recovery: "
        "sum(dies[].erases) = ftl.erases",
        "if no recovery: flash.programs * config.nand.page_size = ftl.programmed_bytes",
        "if no recovery: flash.erases = ftl.erases",
        "if sim.fidelity = \"untimed\": count(channels[]) + count(dies[]) = 0",
        "if sim.fidelity = \"at\": count(channels[]) = config.nand.channels",
        "if sim.fidelity = \"at\": "
        "count(dies[]) = config.nand.channels * config.nand.ways * config.nand.dies",
        "sum(dies[].polls) <= sum(channels[].grants)",
        // Nothing crosses a bus but pages that are read or programmed.
        "if sim.warmup_requests = 0 and no recovery and no ecc: sum(channels[].bytes) <= "
        "(sum(dies[].reads) + sum(dies[].register_reads) + sum(dies[].programs)) * "
        "(config.nand.page_size + config.nand.spare_size)",
        // The rows of requests.csv.
        "if no recovery and run.input.kind != \"clients\": rows.R.count = host.read.count",
        "if no recovery and run.input.kind != \"clients\": rows.W.count = host.write.count",
        "if no recovery and run.input.kind != \"clients\": rows.T.count = host.trim.count",
        "if no recovery and run.input.kind != \"clients\": rows.F.count = host.flush.count",
        "if no recovery and run.input.kind != \"clients\": rows.Z.count = host.zone.count",
        "if no recovery and run.input.kind != \"clients\" and ftl.scheme != \"zoned\": rows.R.size "
        "= host.read.bytes",
        "if no recovery and run.input.kind != \"clients\" and ftl.scheme != \"zoned\": rows.W.size "
        "= host.write.bytes",
        "if no recovery and run.input.kind != \"clients\" and ftl.scheme != \"zoned\": rows.T.size "
        "= host.trim.bytes",
        "if no recovery and run.input.kind != \"clients\": rows.R.latency_ns = "
        "host.read.lat_ns.mean * host.read.count",
        "if no recovery and run.input.kind != \"clients\": rows.W.latency_ns = "
        "host.write.lat_ns.mean * host.write.count",
        "if no recovery and run.input.kind != \"clients\": rows.T.latency_ns = "
        "host.trim.lat_ns.mean * host.trim.count",
        "if no recovery and run.input.kind != \"clients\": rows.F.latency_ns = "
        "host.flush.lat_ns.mean * host.flush.count",
        "if no recovery and sim.warmup_requests = 0: "
        "rows.R.pages = buffer.read_hits + buffer.read_misses",
        "if no recovery and sim.warmup_requests = 0: "
        "rows.W.pages = buffer.write_hits + buffer.write_misses",
        "if no recovery and sim.warmup_requests = 0: buffer.read_hits <= rows.R.hits",
        "if no recovery and sim.warmup_requests = 0: rows.W.hits = buffer.write_hits",
        "if no recovery and run.input.kind != \"clients\": rows.R.frame_wait_ns + "
        "rows.W.frame_wait_ns <= "
        "buffer.stall_ns + sim.requests",
    });
}

} // namespace cavern
