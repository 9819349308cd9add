#include "tests/drive/drive_pair.h"

#include <algorithm>
#include <exception>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "config/config_keys.h"
#include "core/base/error.h"
#include "drive/core_builder.h"
#include "drive/untimed_drive.h"
#include "results/request_rows.h"
#include "results/summary.h"
#include "tests/drive/drive_cases.h"
#include "tests/support/in_another_process.h"
#include "tests/support/list_source.h"
#include "timed/tlm/time.h"
#include "workload/generator.h"

namespace cavern::testing {

namespace {

/// Writes every decision down, and passes it on.
class DecisionText final : public DecisionLogIf {
  public:
    DecisionLogIf* other = nullptr;
    std::string text;

    void write(Lpn lpn, bool hit) override {
        note("write", {raw(lpn), hit});
        tell([&](DecisionLogIf& log) { log.write(lpn, hit); });
    }
    void read(Lpn lpn, bool hit) override {
        note("read", {raw(lpn), hit});
        tell([&](DecisionLogIf& log) { log.read(lpn, hit); });
    }
    void trim(Lpn lpn) override {
        note("trim", {raw(lpn)});
        tell([&](DecisionLogIf& log) { log.trim(lpn); });
    }
    void pin_page(Lpn lpn) override {
        note("pin_page", {raw(lpn)});
        tell([&](DecisionLogIf& log) { log.pin_page(lpn); });
    }
    void pin_block(Lbn lbn) override {
        note("pin_block", {raw(lbn)});
        tell([&](DecisionLogIf& log) { log.pin_block(lbn); });
    }
    void evict_page(Lpn lpn) override {
        note("evict", {raw(lpn)});
        tell([&](DecisionLogIf& log) { log.evict_page(lpn); });
    }
    void evict_block(Lbn lbn, const std::vector<Lpn>& pages,
                     const std::vector<Lpn>& padding) override {
        note("evict_block", {raw(lbn), pages.size(), padding.size()});
        tell([&](DecisionLogIf& log) { log.evict_block(lbn, pages, padding); });
    }
    void clean_page(Lpn lpn) override {
        note("clean", {raw(lpn)});
        tell([&](DecisionLogIf& log) { log.clean_page(lpn); });
    }
    void clean_block(Lbn lbn, const std::vector<Lpn>& pages,
                     const std::vector<Lpn>& padding) override {
        note("clean_block", {raw(lbn), pages.size(), padding.size()});
        tell([&](DecisionLogIf& log) { log.clean_block(lbn, pages, padding); });
    }
    void allocate(Lbn lbn, DieId die, std::optional<DieId> from) override {
        note("allocate", {raw(lbn), raw(die), from ? raw(*from) + 1 : 0});
        tell([&](DecisionLogIf& log) { log.allocate(lbn, die, from); });
    }
    void program(Origin origin, Lpn lpn, Ppn page) override {
        note("program", {static_cast<std::uint64_t>(origin), raw(lpn), raw(page)});
        tell([&](DecisionLogIf& log) { log.program(origin, lpn, page); });
    }
    void merge(MergeKind kind, Lbn lbn, std::uint32_t copies, std::uint32_t erases) override {
        note("merge", {static_cast<std::uint64_t>(kind), raw(lbn), copies, erases});
        tell([&](DecisionLogIf& log) { log.merge(kind, lbn, copies, erases); });
    }
    void gc(BlockId victim, std::uint32_t copies) override {
        note("gc", {raw(victim), copies});
        tell([&](DecisionLogIf& log) { log.gc(victim, copies); });
    }
    void tune(const TuneEvent& event) override {
        note("tune", {event.request, event.buffer_bytes, event.map_bytes});
        tell([&](DecisionLogIf& log) { log.tune(event); });
    }
    void map(MapEvent event, std::uint32_t table, std::uint32_t entries) override {
        note("map", {static_cast<std::uint64_t>(event), table, entries});
        tell([&](DecisionLogIf& log) { log.map(event, table, entries); });
    }
    void level(BlockId block, std::uint32_t copies) override {
        note("level", {raw(block), copies});
        tell([&](DecisionLogIf& log) { log.level(block, copies); });
    }
    void refresh(BlockId block, std::uint32_t copies) override {
        note("refresh", {raw(block), copies});
        tell([&](DecisionLogIf& log) { log.refresh(block, copies); });
    }
    void fold(BlockId block, std::uint32_t copies) override {
        note("fold", {raw(block), copies});
        tell([&](DecisionLogIf& log) { log.fold(block, copies); });
    }
    void retire(BlockId block) override {
        note("retire", {raw(block)});
        tell([&](DecisionLogIf& log) { log.retire(block); });
    }

  private:
    void note(const char* what, std::initializer_list<std::uint64_t> numbers) {
        text += what;
        for (const std::uint64_t number : numbers) {
            text += ' ';
            text += std::to_string(number);
        }
        text += '\n';
    }
    template <typename Tell>
    void tell(Tell tell) {
        if (other != nullptr) {
            tell(*other);
        }
    }
};

using Counts = std::vector<std::pair<std::string, std::uint64_t>>;

void add(Counts& counts, const std::string& part, const CounterView& view) {
    for (std::size_t i = 0; view.set() != nullptr && i < view.set()->counters().size(); ++i) {
        counts.emplace_back(part + std::string(view.set()->counters()[i].name), view.value(i));
    }
}

/// Numbers in one, order included.
class Sum {
  public:
    void add(std::uint64_t value) { sum_ = (sum_ ^ value) * 0x100000001B3u; }
    [[nodiscard]] std::uint64_t value() const { return sum_; }

  private:
    std::uint64_t sum_ = 0xCBF29CE484222325u;
};

bool exists(const DriveCore& core, Lpn lpn) {
    return (core.buffer() != nullptr && core.buffer()->is_resident(lpn)) ||
           core.ftl().location(lpn) != kNoPpn;
}

/// What both fidelities have.
void gather(const DriveCore& core, const NandArray& array, PairOutcome& outcome) {
    const BufferCounters buffer = core.buffer_counters();
    Sum contents;
    Sum places;
    for (std::uint64_t page = 0; page < core.ftl().logical_pages(); ++page) {
        // A buffer that keeps reads also keeps pages that were never written.
        contents.add(exists(core, Lpn{page}) && core.newest_version(Lpn{page}) != 0 ? 1 : 0);
        places.add(raw(core.ftl().location(Lpn{page})));
        places.add(core.buffer() != nullptr && core.buffer()->is_resident(Lpn{page}) ? 1 : 0);
        places.add(core.newest_version(Lpn{page}));
    }
    outcome.contents.emplace_back("pages read", buffer.read_hits + buffer.read_misses);
    outcome.contents.emplace_back("pages written", buffer.write_hits + buffer.write_misses);

    const FtlIf& ftl = core.ftl();
    Counts& counts = outcome.counts;
    counts.emplace_back("pages that exist", contents.value());
    counts.emplace_back("ftl.mapped_pages", ftl.mapped_pages());
    add(counts, "ftl.", ftl.counters());
    add(counts, "ftl own ", ftl.own_counters());
    counts.emplace_back("ftl programs", ftl.programs());
    counts.emplace_back("ftl.table_pages", ftl.table_pages());
    add(counts, "ftl.bad_blocks.", ftl.bad_blocks());
    if (const ZoneStates* zones = ftl.zones()) {
        add(counts, "zones.", zones->counters());
        counts.emplace_back("zones.open", zones->open_zones());
        counts.emplace_back("zones.active", zones->active_zones());
    }
    if (const ReclaimHandles* handles = ftl.reclaim_handles()) {
        for (const HandleCounters& handle : handles->counters()) {
            add(counts, "fdp.", handle);
        }
        counts.emplace_back("fdp.invalid_identifiers", handles->invalid_identifiers());
    }
    if (const MapCacheIf* cache = ftl.map_cache()) {
        counts.emplace_back("map_cache.bytes", cache->cache_bytes());
        add(counts, "map_cache.", cache->cache_counters());
        add(counts, "map_cache own ", cache->own_cache_counters());
    }
    add(counts, "buffer.", buffer);
    if (core.buffer() != nullptr) {
        counts.emplace_back("buffer.capacity", core.buffer()->capacity());
        counts.emplace_back("buffer.used", core.buffer()->used());
        add(counts, "buffer.policy ", core.buffer()->policy().own_counters());
        add(counts, "buffer.trigger ", core.buffer()->trigger().own_counters(0));
    }
    counts.emplace_back("execution_time.total", core.execution_time().total());
    counts.emplace_back("execution_time.write", core.execution_time().write_time());
    counts.emplace_back("execution_time.gc_sum", core.execution_time().gc_time_sum());
    counts.emplace_back("places of pages", places.value());
    Sum blocks;
    for (std::uint32_t block = 0; block < array.geometry().blocks(); ++block) {
        blocks.add(array.write_pointer(BlockId{block}));
        blocks.add(array.erase_count(BlockId{block}));
        blocks.add(ftl.valid_count(BlockId{block}).value_or(0));
    }
    counts.emplace_back("state of blocks", blocks.value());
    outcome.looks_at_time = core.queue_pins() != nullptr;
}

void add_host(Counts& counts, RequestOp op, std::uint64_t requests, std::uint64_t bytes) {
    const std::string part = "host op " + std::to_string(static_cast<int>(op));
    counts.emplace_back(part + " requests", requests);
    counts.emplace_back(part + " bytes", bytes);
}

constexpr RequestOp kOps[] = {RequestOp::kRead, RequestOp::kWrite, RequestOp::kTrim,
                              RequestOp::kFlush, RequestOp::kZone};

/// The message of an error without what the kernel puts around it.
std::string own_words(const std::string& text) {
    constexpr std::string_view kBefore = "uncaught exception: ";
    const std::size_t before = text.find(kBefore);
    if (before == std::string::npos) {
        return text;
    }
    const std::size_t begin = before + kBefore.size();
    return text.substr(begin, text.find('\n', begin) - begin);
}

/// Runs until nothing is left to do; the error that stopped it, if any.
std::string run_simulation() {
    try {
        sc_core::sc_start(to_sc_time(1000 * kSecond), sc_core::SC_EXIT_ON_STARVATION);
    } catch (const std::exception& error) {
        return own_words(error.what());
    }
    EXPECT_FALSE(sc_core::sc_pending_activity()) << "still running at " << sc_core::sc_time_stamp();
    return {};
}

/// Every other write becomes a zone append, every TRIM a command on a zone.
void suit_zones(std::vector<HostRequest>& requests, const SsdConfig& config) {
    const Geometry geometry = DrivePlan(config).geometry;
    const std::uint64_t page = geometry.page_bytes;
    const std::uint64_t zone = page * geometry.pages_per_block * geometry.planes();
    const ZoneAction actions[] = {ZoneAction::kReset, ZoneAction::kOpen, ZoneAction::kReset,
                                  ZoneAction::kClose, ZoneAction::kFinish};
    std::size_t changed = 0;
    for (HostRequest& request : requests) {
        if (request.op == RequestOp::kTrim) {
            request.op = RequestOp::kZone;
            request.zone = actions[changed++ % 5];
            request.offset -= request.offset % zone;
            request.bytes = 0;
        }
        request.fua = false; // the bench asks for the pages that the host named
        if (request.op == RequestOp::kWrite && ++changed % 4 != 0) {
            request.zone = ZoneAction::kAppend;
            request.offset -= request.offset % zone;
            request.bytes = (request.bytes + page - 1) / page * page;
        }
    }
}

} // namespace

std::vector<HostRequest> requests_of(const DrivePair& pair, const SsdConfig& config) {
    std::vector<HostRequest> requests =
        random_requests(pair.mix, capacity_of(config), DrivePlan(config).geometry.page_bytes);
    if (config.ftl.scheme->has_zones) {
        suit_zones(requests, config);
    }
    return requests;
}

namespace {

/// Of a run whose summary is only looked at.
RunFacts facts_of(const DrivePair& pair) {
    RunFacts facts;
    facts.identity.input.kind = pair.jobs ? "workload" : "trace";
    return facts;
}

/// `order`: set to the requests in the order in which the device had them.
PairOutcome play_timed(const DrivePair& pair, std::vector<HostRequest>& order) {
    const ResolvedConfig resolved = small_drive_resolved(pair.overrides);
    const SsdConfig& config = resolved.config;
    PairOutcome outcome;
    outcome.firmware_decides = config.cpu.decides == Decides::kFirmware;
    DecisionText decisions;
    DriveBench::Options options;
    options.closed_loop = pair.closed_loop;
    RequestLaws rows;
    options.log = &rows;
    if (pair.jobs) {
        options.source = std::make_shared<Generator>(*pair.jobs);
    }
    options.make_core = [&](const SsdConfig& built, DecisionLogIf* log) {
        decisions.other = log;
        return build_core(built, &decisions);
    };
    std::unique_ptr<DriveBench> bench;
    try {
        bench = std::make_unique<DriveBench>("bench", config, requests_of(pair, config), options);
    } catch (const UserError& error) { // worn out before the run
        outcome.ends = error.what();
        return outcome;
    }
    const std::string error = run_simulation();
    order = bench->arrived();
    if (!error.empty()) {
        const std::exception_ptr users = bench->ssd().core().user_error();
        (void)bench.release(); // it has stopped midway, and will not be tidied up
        if (users == nullptr) {
            throw ModelError(error);
        }
        try {
            std::rethrow_exception(users);
        } catch (const UserError& worn_out) {
            outcome.ends = worn_out.what();
        }
        outcome.decisions = std::move(decisions.text);
        return outcome;
    }
    bench->expect_sound();
    const Law::Json totals = rows.totals();
    check_summary(make_summary(bench->ssd(), resolved, facts_of(pair)), &totals);
    gather(bench->ssd().core(), bench->ssd().array(), outcome);
    outcome.decisions = std::move(decisions.text);
    outcome.looks_at_time =
        outcome.looks_at_time || const_cast<DriveCore&>(bench->ssd().core()).load() != nullptr;
    outcome.counts.emplace_back("zero_reads",
                                bench->ssd().buffer_manager().statistics().zero_reads);
    for (const RequestOp op : kOps) {
        std::uint64_t requests = 0;
        for (const Answered& each : bench->answered()) {
            requests += each.request.op == op ? 1 : 0;
        }
        add_host(outcome.contents, op, requests,
                 bench->ssd().host().statistics().by_op[static_cast<std::size_t>(op)].bytes);
    }
    return outcome;
}

PairOutcome play_untimed(const DrivePair& pair, const std::vector<std::string>& more,
                         const std::vector<HostRequest>& order) {
    std::vector<std::string> overrides = pair.overrides;
    overrides.insert(overrides.end(), more.begin(), more.end());
    ResolvedConfig resolved = small_drive_resolved(overrides);
    resolved.settings[*find_config_key("fidelity")].reset(); // which says that it has time
    resolved.config.fidelity = Fidelity::kUntimed;
    const SsdConfig& config = resolved.config;
    PairOutcome outcome;
    DecisionText decisions;
    try {
        UntimedDrive drive(config, build_core(config, &decisions));
        ListSource source(order);
        drive.run(source, 0, nullptr, config.host.queue_depth);
        EXPECT_GT(drive.check_end_of_run(), 0u);
        check_summary(make_summary(drive, resolved, facts_of(pair)), nullptr);
        gather(drive.core(), drive.array(), outcome);
        outcome.counts.emplace_back("zero_reads", drive.zero_reads());
        for (const RequestOp op : kOps) {
            add_host(outcome.contents, op, drive.count(op).requests, drive.count(op).bytes);
        }
    } catch (const UserError& error) {
        outcome.ends = error.what();
    }
    outcome.decisions = std::move(decisions.text);
    return outcome;
}

std::string difference(const Counts& timed, const Counts& untimed) {
    std::string text;
    for (std::size_t i = 0; i < std::max(timed.size(), untimed.size()) && text.empty(); ++i) {
        if (i >= timed.size() || i >= untimed.size() || timed[i].first != untimed[i].first) {
            text = "one run has a count that the other has not";
        } else if (timed[i].second != untimed[i].second) {
            text = timed[i].first + ": " + std::to_string(timed[i].second) + " timed, " +
                   std::to_string(untimed[i].second) + " untimed";
        }
    }
    return text;
}

/// The decisions without those that give a logical block a die.
std::string without_allocations(const std::string& decisions) {
    std::string kept;
    std::istringstream lines(decisions);
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("allocate ", 0) != 0) {
            kept += line + '\n';
        }
    }
    return kept;
}

/// Where the firmware decides, programs alone tell the dies: not one that was chosen for a page and
/// was full when the page's turn came. So the core tells of more dies, and all else is the same.
std::string first_decided_apart(const PairOutcome& timed, const PairOutcome& untimed) {
    std::string decided = first_difference(timed.decisions, untimed.decisions);
    const std::string& core = timed.firmware_decides ? untimed.decisions : timed.decisions;
    const std::string& firmware = timed.firmware_decides ? timed.decisions : untimed.decisions;
    if (!decided.empty() && timed.firmware_decides != untimed.firmware_decides &&
        std::count(core.begin(), core.end(), '\n') >
            std::count(firmware.begin(), firmware.end(), '\n')) {
        decided = first_difference(without_allocations(timed.decisions),
                                   without_allocations(untimed.decisions));
    }
    return decided;
}

} // namespace

std::string difference(const PairOutcome& timed, const PairOutcome& untimed) {
    const bool looks_at_time = timed.looks_at_time || untimed.looks_at_time;
    if (timed.ends != untimed.ends && !looks_at_time) {
        return "ends: " + timed.ends + " | " + untimed.ends;
    }
    std::string text;
    if (timed.ends.empty() && untimed.ends.empty()) {
        text = difference(timed.contents, untimed.contents);
        if (text.empty() && !looks_at_time) {
            text = difference(timed.counts, untimed.counts);
        }
    }
    if (!looks_at_time) {
        const std::string decided = first_decided_apart(timed, untimed);
        text += decided.empty() ? "" : (text.empty() ? "" : "; ") + ("decided " + decided);
    }
    return text;
}

/// Plays both; the result as a line of text.
std::string play_both(const DrivePair& pair, const std::vector<std::string>& untimed_too) {
    ::testing::TestPartResultArray complaints;
    std::vector<HostRequest> order;
    PairOutcome timed;
    PairOutcome untimed;
    {
        ::testing::ScopedFakeTestPartResultReporter listening(
            ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &complaints);
        timed = play_timed(pair, order);
        untimed = play_untimed(pair, untimed_too, order);
    }
    std::string different = difference(timed, untimed);
    if (complaints.size() != 0) {
        different = std::string("unsound: ") + complaints.GetTestPartResult(0).message() +
                    ", the first of " + std::to_string(complaints.size()) + "; " + different;
    }
    const bool placed_anew = different.empty() && timed.decisions != untimed.decisions;
    return std::to_string(timed.looks_at_time ? 1 : 0) + " " +
           std::to_string(placed_anew && !timed.looks_at_time ? 1 : 0) + " " +
           std::to_string(std::count(timed.decisions.begin(), timed.decisions.end(), '\n')) + " " +
           different;
}

PairResult play_pair(const DrivePair& pair, const std::vector<std::string>& untimed_too) {
    std::string text = in_another_process([&] {
        try {
            return play_both(pair, untimed_too);
        } catch (const std::exception& error) {
            return std::string("0 0 0 the run stopped: ") + error.what();
        }
    });
    std::replace(text.begin(), text.end(), '\n', ' ');
    PairResult result;
    std::istringstream fields(text);
    if (!(fields >> result.looks_at_time >> result.placed_anew >> result.decisions)) {
        result.difference = "the process died";
        return result;
    }
    std::getline(fields >> std::ws, result.difference);
    return result;
}

std::string kind_of(const std::string& difference) {
    return difference.substr(0, difference.find_first_of("0123456789"));
}

} // namespace cavern::testing
