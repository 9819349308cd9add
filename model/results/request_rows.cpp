#include "results/request_rows.h"

#include <fmt/format.h>
#include <string>

#include "core/base/error.h"
#include "results/object_fields.h"

namespace cavern {
namespace {

char letter(RequestOp op) {
    switch (op) {
    case RequestOp::kRead:
        return 'R';
    case RequestOp::kWrite:
        return 'W';
    case RequestOp::kTrim:
        return 'T';
    case RequestOp::kFlush:
        return 'F';
    case RequestOp::kZone:
        break;
    }
    return 'Z';
}

ObjectFields<RequestRow> all_columns() {
    ObjectFields<RequestRow> fields;
    for (const Counter<RequestRow>& column : RequestRow::declared) {
        fields.value(column.name, column.unit, column.meaning,
                     [column](const RequestRow& row) { return column.value(row); });
        if (column.name == "id") {
            fields.value("op", "", "R, W, T (TRIM), F (flush), or Z for a command on a zone.",
                         [](const RequestRow& row) { return std::string(1, row.op); });
        }
    }
    fields.laws({
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
    op = letter(done.request.op);
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
    row_["before"]["complete_ns"] = 0;
    for (const FieldInfo& column : request_columns()) {
        row_[column.path] = nullptr;
        for (const char* op : {"R", "W", "T", "F", "Z"}) {
            totals_[op][column.path] = 0;
            totals_[op]["count"] = 0;
        }
    }
    std::vector<LawInfo> declared = bounds_of(request_columns());
    declared.insert(declared.end(), request_laws().begin(), request_laws().end());
    for (const LawInfo& law : declared) {
        laws_.emplace_back(law.text).apply_to(row_, row_);
    }
}

void RequestLaws::completed(const CompletedRequest& done) {
    const RequestRow row(done);
    columns().fill(row, row_);
    Law::Json& total = totals_[std::string(1, row.op)];
    total["count"] = total["count"].get<std::uint64_t>() + 1;
    for (const Counter<RequestRow>& column : RequestRow::declared) {
        Law::Json& sum = total[std::string(column.name)];
        sum = sum.get<std::uint64_t>() + column.value(row);
    }
    for (const Law& law : laws_) {
        if (!law.holds()) {
            throw ModelError(fmt::format("law broken: requests.csv, request {}: {}; {}", row.id,
                                         law.text(), law.values()));
        }
    }
    row_["before"]["complete_ns"] = row.complete;
}

} // namespace cavern
