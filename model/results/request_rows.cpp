#include "results/request_rows.h"

#include <fmt/format.h>
#include <string>

#include "core/base/error.h"
#include "results/object_fields.h"

namespace cavern {
namespace {

ObjectFields<RequestRow> all_columns() {
    ObjectFields<RequestRow> fields;
    fields
        .value("id", "", "Position in the workload, from 0.",
               [](const RequestRow& row) { return row.id; })
        .value("op", "", "R, W, T (TRIM), F (flush), or Z for a command on a zone.",
               [](const RequestRow& row) { return std::string(1, row.op); })
        .counters<RequestRow>([](const RequestRow& row) -> const RequestRow& { return row; })
        .include(
            ObjectFields<RequestOrigin>().counters<RequestOrigin>(
                [](const RequestOrigin& origin) -> const RequestOrigin& { return origin; }),
            [](const RequestRow&) { return std::optional<RequestOrigin>(); },
            "there are several jobs, or several queues")
        .laws({
            "latency_ns = queue_ns + cpu_ns + frame_wait_ns + flash_ns + transfer_ns",
            "start_ns = arrival_ns + queue_ns + cpu_ns",
            "complete_ns = arrival_ns + latency_ns",
            "before.complete_ns <= complete_ns + 1",
            "hits <= pages",
            "if op = \"R\": size != 0",
            "if op = \"F\": offset + size + pages + hits + frame_wait_ns = 0",
            "if op = \"T\": hits + frame_wait_ns = 0",
            "if op = \"Z\": size + hits + frame_wait_ns = 0",
        });
    return fields;
}

const ObjectFields<RequestRow>& columns() {
    static const ObjectFields<RequestRow> fields = all_columns();
    return fields;
}

} // namespace

RequestRow::RequestRow(const CompletedRequest& done) {
    const HostCommandExtension& where = *done.where;
    const TimePs taken_up = where.dispatch - where.arrival;
    const TimePs framed = taken_up + where.frame_wait;
    id = where.id;
    op = kRequestLetters[static_cast<std::size_t>(done.request.op)];
    offset = done.request.offset;
    size = done.request.bytes;
    arrival = to_ns(where.arrival);
    latency = to_ns(done.completed - where.arrival);
    queue = to_ns(taken_up - where.processor);
    cpu = to_ns(taken_up) - queue;
    frame_wait = to_ns(framed) - to_ns(taken_up);
    flash = to_ns(framed + where.flash) - to_ns(framed);
    transfer = latency - to_ns(framed + where.flash);
    start = arrival + to_ns(taken_up);
    complete = arrival + latency;
    pages = where.pages;
    hits = where.hits;
}

const std::vector<FieldInfo>& request_columns() {
    return columns().infos();
}

const std::vector<LawInfo>& request_laws() {
    return columns().laws();
}

RequestLaws::RequestLaws() {
    columns().fill({}, row_);
    row_["before"]["complete_ns"] = 0;
    for (std::size_t i = 0; i < RequestRow::declared.size(); ++i) {
        values_[i] = &row_[std::string(RequestRow::declared[i].name)];
    }
    for (const LawInfo& law : request_laws()) {
        laws_.emplace_back(law.text).apply_to(row_, row_);
    }
}

void RequestLaws::take(const RequestRow& row) {
    row_["id"] = row.id;
    if (row_["op"].get_ref<const std::string&>().front() != row.op) {
        row_["op"] = std::string(1, row.op);
    }
    std::uint64_t bits = row.id;
    for (std::size_t i = 0; i < values_.size(); ++i) {
        const std::uint64_t value = RequestRow::declared[i].value(row);
        *values_[i] = value;
        bits |= value;
    }
    if (bits >> 63 != 0) { // one of them is beyond its bounds
        check_bounds(request_columns(), row_, fmt::format("requests.csv, request {}", row.id));
    }
    for (const Law& law : laws_) {
        if (!law.holds()) {
            throw ModelError(fmt::format("law broken: requests.csv, request {}: {}; {}", row.id,
                                         law.text(), law.values()));
        }
    }
}

void RequestLaws::completed(const CompletedRequest& done) {
    const RequestRow row(done);
    Total& total = totals_[static_cast<std::size_t>(done.request.op)];
    ++total.count;
    add_counters(total.sum, row);
    take(row);
    row_["before"]["complete_ns"] = row.complete;
}

Law::Json RequestLaws::totals() const {
    Law::Json totals;
    for (std::size_t op = 0; op < kRequestOps; ++op) {
        Law::Json& total = totals[std::string(1, kRequestLetters[op])];
        total["count"] = totals_[op].count;
        for (const Counter<RequestRow>& column : RequestRow::declared) {
            total[std::string(column.name)] = column.value(totals_[op].sum);
        }
    }
    return totals;
}

} // namespace cavern
