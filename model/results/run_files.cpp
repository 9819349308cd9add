#include "results/run_files.h"

#include "results/flash_waves.h"
#include "results/fst_writer.h"
#include "results/power_log.h"
#include "results/result_logs.h"
#include "results/timeline_json.h"
#include "results/timeline_perfetto.h"
#include "timed/tlm/time.h"

namespace cavern {
namespace {

using File = std::unique_ptr<ResultFile>;

/// The signals of an arbiter's RTL, which writes them itself.
class ArbiterWaves final : public ResultFile {
  public:
    explicit ArbiterWaves(const std::string& path) : ResultFile(path) {}
    void finish() override {
        file_.finish();
        check_fst(file_.place(), file_.name());
    }
};

File make_requests(const AskedFile& asked, RunTaps& taps) {
    auto file = std::make_unique<RequestCsv>(asked.path, taps.has_origins);
    taps.requests.add(file.get());
    return file;
}

File make_decisions(const AskedFile& asked, RunTaps& taps) {
    auto file = std::make_unique<DecisionJsonl>(asked.path, taps.config.geometry, now_ps);
    taps.decisions = file.get();
    return file;
}

template <typename Encoding>
File make_timeline(const AskedFile& asked, RunTaps& taps) {
    return std::make_unique<Encoding>(asked.path, taps.draw(asked.window));
}

File make_power(const AskedFile& asked, RunTaps& taps) {
    auto file = std::make_unique<PowerLog>(asked.path);
    taps.activity.add(file.get());
    return file;
}

File make_waves(const AskedFile& asked, RunTaps& taps) {
    auto file = std::make_unique<ArbiterWaves>(asked.path);
    taps.waves = file->place();
    return file;
}

File make_bus_waves(const AskedFile& asked, RunTaps& taps) {
    auto file = std::make_unique<FlashWaves>(asked.path, taps.config.geometry,
                                             taps.config.nand.timing, asked.window, taps.waves);
    taps.activity.add(file.get());
    return file;
}

} // namespace

RunTaps::RunTaps(const DrivePlan& described, HostShares* shares)
    : config(described), has_origins(shares != nullptr) {
    requests.add(shares);
}

Timeline& RunTaps::draw(TimeWindow window) {
    if (!timeline) {
        timeline.emplace(config.geometry, window,
                         config.cpu.model == CpuModel::kNone ? 0 : config.cpu.cores);
        requests.add(&*timeline);
        activity.add(&*timeline);
    }
    return *timeline;
}

const std::vector<RunFileRow>& run_files() {
    using Row = RunFileRow;
    static const std::vector<Row> rows{
        {"requests", "writes the latency of every request, CSV", Row::kTimes | Row::kServed,
         make_requests},
        {"decisions", "writes every decision, JSON lines", Row::kServed | Row::kOneLife,
         make_decisions},
        {"timeline", "writes requests and what buses and dies do, trace-event JSON",
         Row::kTimes | Row::kWindow | Row::kServed, make_timeline<TimelineJson>},
        {"perfetto", "writes the same in Perfetto's own format; FILE.gz packs it", Row::kTimes,
         make_timeline<TimelinePerfetto>},
        {"power", "writes what each part takes over time, CSV",
         Row::kTimes | Row::kServed | Row::kOneLife, make_power},
        {"waves", "writes the signals of channel 0's RTL arbiter, FST", Row::kTimes | Row::kSignals,
         make_waves},
        {"bus-waves",
         "writes the signals of every flash bus, and with --waves of that arbiter, FST",
         Row::kTimes | Row::kWindow | Row::kSignals, make_bus_waves},
    };
    return rows;
}

} // namespace cavern
