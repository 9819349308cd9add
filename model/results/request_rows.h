#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/counter.h"
#include "results/laws.h"
#include "timed/host/host_interface.h"

namespace cavern {

/// A row of requests.csv: a completed request, and where its time went. Rounded so that the parts
/// add up to the latency of the summary.
struct RequestRow {
    std::uint64_t id = 0;
    char op = 'R';
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t arrival = 0;
    std::uint64_t start = 0;
    std::uint64_t complete = 0;
    std::uint64_t latency = 0;
    std::uint64_t queue = 0;
    std::uint64_t frame_wait = 0;
    std::uint64_t flash = 0;
    std::uint64_t transfer = 0;
    std::uint64_t pages = 0;
    std::uint64_t hits = 0;
    std::uint64_t cpu = 0;

    RequestRow() = default;
    explicit RequestRow(const CompletedRequest& done);

    /// The columns after `id` and `op`, in their order.
    static constexpr auto declared = counters_of(
        counter(&RequestRow::offset, "offset", "bytes", "Where it begins; 0 for a flush."),
        counter(&RequestRow::size, "size", "bytes",
                "What it covers; 0 for a flush or a command on a zone."),
        counter(&RequestRow::arrival, "arrival_ns", "ns", "When the host wants it."),
        counter(&RequestRow::start, "start_ns", "ns", "When the device takes it up."),
        counter(&RequestRow::complete, "complete_ns", "ns",
                "When it is answered: arrival_ns and latency_ns. Rows are in the order of answers, "
                "to the picosecond, and both terms are rounded, so that it may be 1 less than in "
                "the row before."),
        counter(&RequestRow::latency, "latency_ns", "ns",
                "From its arrival to its answer: the sum of cpu_ns and the next four."),
        counter(&RequestRow::queue, "queue_ns", "ns",
                "Waiting for a tag, on its way to the device, and, where commands are taken up in "
                "turn, waiting for those before it."),
        counter(&RequestRow::frame_wait, "frame_wait_ns", "ns",
                "Waiting for a free frame, of the page that finished last; of a page read into the "
                "buffer, what it waits when its data have come."),
        counter(&RequestRow::flash, "flash_ns", "ns",
                "Flash read, or program with write-through, of the page that finished last; for a "
                "TRIM, the operations that it waits for."),
        counter(&RequestRow::transfer, "transfer_ns", "ns",
                "The rest: link and SDRAM, including waiting for them; for a flush, the programs "
                "that it waits for."),
        counter(&RequestRow::pages, "pages", "pages", "Pages (mapping units, ftl.unit) touched."),
        counter(&RequestRow::hits, "hits", "pages", "Of these, pages found in the buffer."),
        counter(&RequestRow::cpu, "cpu_ns", "ns",
                "Waiting for a processor of the controller, and handled by it; 0 with cpu.model = "
                "\"none\"."));
};

/// The last columns, where there are several jobs or queues.
struct RequestOrigin {
    std::uint64_t job = 0;
    std::uint64_t queue = 0;
    std::uint64_t stream = 0;

    explicit RequestOrigin(const CompletedRequest& done)
        : job(done.request.job), queue(done.where->queue), stream(done.request.stream) {}

    static constexpr auto declared = counters_of(
        counter(&RequestOrigin::job, "job", "", "Number of its job in the workload, from 0."),
        counter(&RequestOrigin::queue, "queue", "", "Number of its queue pair, from 0."),
        counter(&RequestOrigin::stream, "stream", "",
                "Of a write, whose data it carries (placement identifier); 0: not said."));
};

/// The columns of requests.csv, and their laws.
[[nodiscard]] const std::vector<FieldInfo>& request_columns();
[[nodiscard]] const std::vector<LawInfo>& request_laws();

/// Verifies the laws of every row. Throws ModelError that names the first one broken.
class RequestLaws final : public RequestLogIf {
  public:
    RequestLaws();
    void completed(const CompletedRequest& done) override;
    /// `rows` of the laws of a summary: for each letter of `op` the number of its rows, "count",
    /// and the sum of each column.
    [[nodiscard]] Law::Json totals() const;

  private:
    struct Total {
        std::uint64_t count = 0;
        RequestRow sum;
    };

    void take(const RequestRow& row);

    Law::Json row_; ///< the last one, and complete_ns of the one "before"
    std::array<Law::Json*, RequestRow::declared.size()> values_{}; ///< its columns
    std::array<Total, kRequestOps> totals_;
    std::vector<Law> laws_; ///< of that object
};

} // namespace cavern
