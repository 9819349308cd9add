#include "core/data/drive_data.h"
#include "results/run_results.h"

namespace cavern {

void add_data_fields(ObjectFields<RunResults>& summary) {
    const auto data = [](const RunResults& run) {
        return run.timed != nullptr ? run.timed->data() : run.untimed->data();
    };
    ObjectFields<RunResults> fields;
    fields
        .counters<DriveData::Statistics>(
            [data](const RunResults& run) -> const DriveData::Statistics& {
                return data(run)->statistics();
            })
        .counters<ContentStore::Statistics>(
            [data](const RunResults& run) -> const ContentStore::Statistics& {
                return data(run)->store().statistics();
            })
        .laws({"zero_sectors <= sectors_compared", "compressed_pages <= pages",
               "if config.data.store != \"full\": raw_bytes + held_bytes + compressed_pages = 0"});
    summary
        .object("data",
                "What the drive keeps of the data in its pages, and what reads of the host were "
                "compared with; since warm-up unless a field says otherwise.",
                fields, itself)
        .present("data.store = \"fingerprint\" or \"full\"",
                 [data](const RunResults& run) { return data(run) != nullptr; });
}

} // namespace cavern
