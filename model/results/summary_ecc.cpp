#include "results/run_results.h"
#include "timed/channel/ecc.h"

namespace cavern {

void add_ecc_fields(ObjectFields<RunResults>& summary) {
    const auto ecc = [](const RunResults& run) {
        return run.timed == nullptr ? nullptr : run.timed->ecc();
    };
    ObjectFields<RunResults> fields;
    fields
        .counters<Ecc::Statistics>([](const RunResults& run) -> const Ecc::Statistics& {
            return run.timed->ecc()->statistics();
        })
        .value("failed_requests", "requests",
               "Reads of the host that were answered with an error, because a page of them could "
               "not be corrected, or is a copy of one that could not: over NVMe the status "
               "Unrecovered Read Error (2h/81h), over SATA ERR with UNC.",
               [](const RunResults& run) {
                   return run.timed->host()
                       .statistics()
                       .by_op[static_cast<std::size_t>(RequestOp::kRead)]
                       .failed;
               })
        .laws({
            "failed_requests <= host.read.count",
            "retried_pages <= retries + soft_reads",
            "if sim.warmup_requests = 0: retries <= retried_pages * config.ecc.retry_limit",
            "if sim.warmup_requests = 0: "
            "soft_decoded_pages * config.ecc.soft_reads <= soft_reads",
            "if config.ecc.errors = \"none\": raw_bit_errors + retried_pages + retries + "
            "soft_decoded_pages + soft_reads + uncorrectable_pages + lost_page_reads + "
            "failed_requests = 0",
        });
    summary.object("ecc", "The ECC engines of all channels since warm-up.", fields, itself)
        .present("ecc.engine = \"per-channel\", in a run with time",
                 [ecc](const RunResults& run) { return ecc(run) != nullptr; });
}

} // namespace cavern
