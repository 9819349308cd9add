#include "results/serve_summary.h"

#include "results/object_fields.h"

namespace cavern {
namespace {

constexpr std::string_view kServeSchema = "cavern.serve/1";

ObjectFields<PowerCut> cut_fields() {
    ObjectFields<PowerCut> fields;
    fields.value("at_ns", "ns", "When the power went.",
                 [](const PowerCut& cut) { return cut.at / kNs; });
    const auto pages = [&fields](const char* name, const char* meaning,
                                 std::uint64_t RecoveryCounters::*count) {
        fields.value(name, "pages", meaning,
                     [count](const PowerCut& cut) { return cut.pages.*count; });
    };
    pages("acknowledged", "Pages whose writes were answered.", &RecoveryCounters::acknowledged);
    pages("flushed", "Of these, pages that a FLUSH or FUA had made durable.",
          &RecoveryCounters::flushed);
    pages("recovered", "Pages that came back as they were.", &RecoveryCounters::recovered);
    pages("lost_unflushed", "Pages that came back older, and might.",
          &RecoveryCounters::lost_unflushed);
    pages("lost_flushed", "Pages that came back older, and must not.",
          &RecoveryCounters::lost_flushed);
    fields.value("wrong_data", "pages", "Pages that came back with the data of another.",
                 [](const PowerCut& cut) { return cut.pages.wrong_data + cut.pages.corrupt; });
    pages("torn_pages", "NAND pages whose program was cut.", &RecoveryCounters::torn_pages);
    pages("drained_pages", "Pages that stored energy wrote.", &RecoveryCounters::drained_pages);
    pages("undrained_pages", "Pages for which it did not last.",
          &RecoveryCounters::undrained_pages);
    fields.value("back_after_ns", "ns", "From the cut until the drive answered again.",
                 [](const PowerCut& cut) { return cut.back_after / kNs; });
    return fields;
}

ObjectFields<ServeFacts> server_fields() {
    using Facts = ServeFacts;
    ObjectFields<Facts> fields;
    const auto count = [&fields](const char* name, const char* unit, const char* meaning,
                                 std::uint64_t Facts::*number) {
        fields.value(name, unit, meaning, [number](const Facts& facts) { return facts.*number; });
    };
    const auto late = [&fields](const char* name, const char* meaning, auto get) {
        fields.value(name, "ns", meaning, [get](const Facts& facts) { return get(facts.late_ns); })
            .measured();
    };
    fields.value("schema", "", "\"cavern.serve/1\".", [](const Facts&) { return kServeSchema; })
        .value("time", "", "What --time gave.", [](const Facts& facts) { return facts.time; });
    count("connections", "", "Connections of clients.", &Facts::connections);
    count("connections_refused", "", "Of more clients than there may be.",
          &Facts::connections_refused);
    count("connections_most", "", "At a time.", &Facts::connections_most);
    count("requests", "requests", "Requests that were answered.", &Facts::requests);
    count("errors", "requests", "Of these, with an error.", &Facts::errors);
    count("bytes_read", "bytes", "Bytes that clients read.", &Facts::bytes_read);
    count("bytes_written", "bytes", "Bytes that clients wrote.", &Facts::bytes_written);
    fields.group("transport_ns", "What it takes to wake a client, measured at the start; 0 where "
                                 "the clock is free.");
    count("transport_ns.short_wait", "ns", "After a short wait.", &Facts::short_wait_ns);
    fields.measured();
    count("transport_ns.long_wait", "ns", "After a long wait.", &Facts::long_wait_ns);
    fields.measured();
    fields
        .value("processors_awake", "", "Whether processors were kept from deep sleep.",
               [](const Facts& facts) { return facts.processors_awake; })
        .measured()
        .group("late_ns", "By how much answers were late on the wall; 0 where the clock is free.");
    late("late_ns.mean", "Mean.", [](const Histogram& all) { return all.mean(); });
    late("late_ns.p50", "Median.", [](const Histogram& all) { return all.quantile(0.5); });
    late("late_ns.p99", "99 % were no later.",
         [](const Histogram& all) { return all.quantile(0.99); });
    late("late_ns.max", "Largest.", [](const Histogram& all) { return all.max(); });
    fields
        .list("power_cuts", "What became of the data, cut by cut.", cut_fields(),
              [](const Facts& facts) { return *facts.power_cuts; })
        .present("power_loss.at or power_loss.on_signal",
                 [](const Facts& facts) { return facts.power_cuts.has_value(); });
    return fields;
}

const ObjectFields<ServeFacts>& fields_of_server() {
    static const ObjectFields<ServeFacts> fields = server_fields();
    return fields;
}

} // namespace

nlohmann::ordered_json make_serve_summary(const ServeFacts& facts) {
    return fields_of_server().json(facts);
}

const std::vector<FieldInfo>& serve_fields() {
    return fields_of_server().infos();
}

nlohmann::ordered_json serve_schema() {
    nlohmann::ordered_json schema = schema_of_file("serve.json of cavern serve", serve_fields());
    schema["properties"]["schema"]["const"] = kServeSchema;
    return schema;
}

} // namespace cavern
