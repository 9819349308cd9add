#include "core/buffer/eviction_policy_table.h"
#include "core/buffer/eviction_trigger_table.h"
#include "results/run_results.h"

namespace cavern {
namespace {

std::string joined(const std::vector<const EvictionTriggerRow*>& triggers) {
    std::string text;
    for (const EvictionTriggerRow* trigger : triggers) {
        text += (text.empty() ? "" : "+") + std::string(trigger->name);
    }
    return text;
}

CounterView counters_of_policy(const RunResults& run) {
    const WriteBuffer* buffer = run.core.buffer();
    return buffer == nullptr ? CounterView() : buffer->policy().own_counters();
}

CounterView counters_of_trigger(const RunResults& run, const EvictionTriggerRow& row) {
    const std::vector<const EvictionTriggerRow*>& rows = run.config().buffer.eviction;
    const auto place = std::find(rows.begin(), rows.end(), &row);
    const WriteBuffer* buffer = run.core.buffer();
    return buffer == nullptr || place == rows.end()
               ? CounterView()
               : buffer->trigger().own_counters(static_cast<std::size_t>(place - rows.begin()));
}

/// Adds the own counters of the policy and the triggers in use.
void add_own_counters(ObjectFields<RunResults>& fields) {
    for (const EvictionPolicyRow& row : eviction_policy_table()) {
        if (row.counters == nullptr) {
            continue;
        }
        ObjectFields<RunResults> own;
        own.counters(*row.counters, counters_of_policy);
        const std::string name(row.name);
        fields.object(name, "What the eviction policy counts of its own.", own, itself)
            .present("buffer.policy = \"" + name + "\"",
                     [&row](const RunResults& run) { return run.config().buffer.policy == &row; });
    }
    for (const EvictionTriggerRow& row : eviction_trigger_table()) {
        if (row.counters == nullptr) {
            continue;
        }
        const std::string name(row.name);
        ObjectFields<RunResults> own;
        own.counters(*row.counters,
                     [&row](const RunResults& run) { return counters_of_trigger(run, row); });
        fields.object(name, "What the eviction trigger counts of its own.", own, itself)
            .present("buffer.eviction names \"" + name + "\" and there is a buffer",
                     [&row](const RunResults& run) {
                         return counters_of_trigger(run, row).set() != nullptr;
                     });
    }
}

} // namespace

ObjectFields<RunResults> buffer_fields() {
    const auto counters = [](const RunResults& run) { return run.core.buffer_counters(); };
    ObjectFields<RunResults> fields;
    fields
        .value("policy", "", "The eviction policy (buffer.policy): who leaves.",
               [](const RunResults& run) {
                   const EvictionPolicyRow* policy = run.config().buffer.policy;
                   return policy != nullptr ? policy->name : "none";
               })
        .value("ncq_aware", "",
               "Whether pages that waiting commands will use are held back (buffer.ncq_aware).",
               [](const RunResults& run) { return run.config().buffer.ncq_aware; })
        .counters<NcqAware::Counters>([](const RunResults& run) {
            return run.core.queue_pins() != nullptr ? run.core.queue_pins()->counters()
                                                    : NcqAware::Counters{};
        })
        .value("eviction", "",
               "The eviction triggers (buffer.eviction), joined by +: when, and how many at a "
               "time.",
               [](const RunResults& run) { return joined(run.config().buffer.eviction); })
        .value("pages", "pages",
               "Pages that the buffer may hold at the end; 0: there is no buffer.",
               [](const RunResults& run) {
                   return run.core.buffer() == nullptr ? 0 : run.core.buffer()->capacity();
               })
        .counters<BufferCounters>(counters)
        .value("hit_ratio", "share", "Hits of all pages read and written.",
               [counters](const RunResults& run) {
                   const BufferCounters c = counters(run);
                   const std::uint64_t hits = c.read_hits + c.write_hits;
                   return share(hits, hits + c.read_misses + c.write_misses);
               })
        .value("write_hit_ratio", "share", "Hits of all pages written.",
               [counters](const RunResults& run) {
                   const BufferCounters c = counters(run);
                   return share(c.write_hits, c.write_hits + c.write_misses);
               })
        .counters<BufferManager::Statistics>([](const RunResults& run) {
            if (run.timed != nullptr) {
                return run.timed->buffer_manager().statistics();
            }
            BufferManager::Statistics untimed;
            untimed.zero_reads = run.untimed->zero_reads();
            return untimed;
        });
    add_own_counters(fields);
    fields.laws({
        "hit_ratio * (read_hits + read_misses + write_hits + write_misses) = "
        "read_hits + write_hits",
        "write_hit_ratio * (write_hits + write_misses) = write_hits",
        "completed_pages <= read_misses",
        "if no recovery: zero_reads + in_flight_read_hits <= read_misses",
        "if no recovery: rmw_pages <= ftl.host_pages",
        "eviction_events <= victims <= evicted_pages + dropped_pages",
        "pinned_victims <= victims",
        "if policy != \"bplru\": padding_pages = 0",
        "if policy = \"none\": pages + victims + read_hits + write_hits = 0",
        "if config.buffer.flush_keep = false: cleaned_pages = 0",
        "if config.buffer.flush_keep = false and config.buffer.cache_reads = false: "
        "dropped_pages = 0",
        "if config.buffer.ncq_aware = false: pins + pins_refused + pinned_victims = 0",
        "if sim.fidelity = \"untimed\": stall_ns + in_flight_read_hits = 0",
        "if ftl.partition.mode = \"static\": "
        "evicted_pages + cleaned_pages <= write_hits + write_misses + pages",
        "multichip.idle_die_victims + multichip.lru_victims <= victims",
        "idle.units <= victims",
    });
    return fields;
}

} // namespace cavern
