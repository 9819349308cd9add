// The laws of summary.json: they name fields that exist, hold for drives of many kinds, and each of
// them can be broken.

#include "results/laws.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "config/config_keys.h"
#include "core/base/error.h"
#include "drive/core_builder.h"
#include "drive/untimed_drive.h"
#include "results/log_lists.h"
#include "results/request_rows.h"
#include "results/result_logs.h"
#include "results/summary.h"
#include "tests/drive/drive_bench.h"
#include "tests/support/in_another_process.h"
#include "tests/support/list_source.h"
#include "tests/support/systemc_test.h"

namespace cavern::testing {
namespace {

using Json = Law::Json;

/// Settings of drives that have between them what laws are about.
const std::vector<std::vector<std::string>>& timed_drives() {
    static const std::vector<std::vector<std::string>> drives{
        {"precondition.fill=1.0", "dram.part=ddr3-1600-2gb-x16", "host.link_energy=1pJ",
         "controller.power=2W", "data.store=fingerprint", "precondition.range=10",
         "precondition.slope=10"},
        {"host.interface=nvme", "host.queues=2", "buffer.policy=multichip",
         "buffer.eviction=[\"single\", \"idle\"]", "host.fdp.handles=2", "data.store=full"},
        {"ftl.scheme=dftl", "alloc.scheme=stripe-page", "ftl.dftl.cmt=64", "cpu.model=cost",
         "ftl.partition=adaptive", "channel.arbiter=lockstep"},
        {"ftl.unit=512B", "buffer.policy=none", "nand.ready=poll", "dram.map_traffic=true",
         "dram.model=ideal", "ecc.engine=per-channel", "ecc.codeword=512B"},
        {"ecc.engine=per-channel", "ecc.errors=mlc-2ynm", "ecc.cycles=10000", "ecc.soft_reads=2",
         "precondition.fill=1.0"},
    };
    return drives;
}
const std::vector<std::vector<std::string>>& untimed_drives() {
    static const std::vector<std::vector<std::string>> drives{
        {"fidelity=untimed", "precondition.fill=1.0", "precondition.until=steady",
         "nand.endurance=1000"},
        {"fidelity=untimed", "ftl.scheme=zoned"},
        {"fidelity=sampled"},
    };
    return drives;
}

std::vector<HostRequest> requests_for(const SsdConfig& config) {
    Mix mix;
    mix.requests = 400;
    std::vector<HostRequest> requests =
        random_requests(mix, capacity_of(config), DrivePlan(config).geometry.page_bytes);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        requests[i].job = i % 2;
    }
    return requests;
}

RunFacts facts() {
    RunFacts facts;
    facts.identity.input.kind = "trace";
    facts.wall_seconds = 0.5;
    return facts;
}

/// What three windows of a run have measured, each some reads and writes of several latencies.
Sample measured_sample() {
    std::vector<Window> windows(3);
    std::uint64_t latency = 1'000;
    for (Window& window : windows) {
        for (int i = 0; i < 8; ++i) {
            latency += 700;
            window.requests.push_back({latency, i % 2 == 0 ? RequestOp::kRead : RequestOp::kWrite});
        }
        window.span = latency * kNs;
        window.bytes = 8 * latency;
    }
    Sample sample;
    sample.windows = windows.size();
    sample.detailed = 100;
    sample.closed_loop = true;
    sample.estimates = estimate(windows, 0.95, 1);
    return sample;
}

Json untimed_summary(const std::vector<std::string>& overrides) {
    const ResolvedConfig config = small_drive_resolved(overrides);
    UntimedDrive drive(config.config, build_core(config.config, nullptr));
    ListSource source(requests_for(config.config));
    drive.run(source, 0, nullptr);
    const Sample sample = measured_sample();
    RunFacts found = facts();
    found.sample = config.config.fidelity == Fidelity::kSampled ? &sample : nullptr;
    return make_summary(drive, config, found);
}

class SummaryLawsTest : public SystemcTest {
  protected:
    /// With the totals of its rows.
    Json timed_summary(const std::vector<std::string>& overrides) {
        const ResolvedConfig config = small_drive_resolved(overrides);
        RequestLaws rows;
        const auto shares = HostShares::of({"even", "odd"}, config.config.host.queues);
        RequestLogs logs;
        logs.add(&rows);
        logs.add(shares.get());
        DriveBench::Options options;
        options.log = logs.get();
        bench_ = std::make_unique<DriveBench>("bench", config.config, requests_for(config.config),
                                              options);
        run();
        RunFacts measured = facts();
        measured.shares = shares.get();
        Json whole = make_summary(bench_->ssd(), config, measured);
        const Json totals = rows.totals();
        check_summary(whole, &totals);
        whole["rows"] = totals;
        return whole;
    }

    std::unique_ptr<DriveBench> bench_;
};

TEST(SummaryLawNamesTest, AreThoseOfFieldsColumnsAndKeys) {
    std::set<std::string> known;
    for (const FieldInfo& field : summary_fields()) {
        known.insert(field.path);
    }
    for (const ConfigKey& key : config_keys()) {
        known.insert("config." + key.name);
    }
    const Json totals = RequestLaws().totals();
    for (const auto& [op, total] : totals.items()) {
        for (const auto& [column, sum] : total.items()) {
            known.insert(std::string("rows.").append(op).append(".").append(column));
        }
    }
    const auto is_known = [&](std::string name) {
        if (known.count(name) == 0 && name.size() > 2 && name.substr(name.size() - 2) == "[]") {
            name.resize(name.size() - 2); // each element
        }
        return known.count(name) != 0;
    };
    EXPECT_GT(summary_laws().size(), 100u);
    for (const LawInfo& law : summary_laws()) {
        for (const Law::Field& field : Law(law.text).fields()) {
            EXPECT_TRUE(is_known(field.name) || is_known(law.place + "." + field.name))
                << law.place << ": " << law.text << ": " << field.name;
        }
    }
    std::set<std::string> columns{"before.complete_ns"};
    for (const FieldInfo& column : request_columns()) {
        columns.insert(column.path);
    }
    for (const LawInfo& law : request_laws()) {
        for (const Law::Field& field : Law(law.text).fields()) {
            EXPECT_EQ(columns.count(field.name), 1u) << law.text << ": " << field.name;
        }
    }
}

/// Changes a value in some ways; true: one of them breaks the law.
bool breaks(const Law& law, Json& value) {
    const Json before = value;
    std::vector<Json> others;
    if (before.is_array()) {
        return std::any_of(value.begin(), value.end(),
                           [&](Json& each) { return breaks(law, each); });
    }
    if (before.is_number()) {
        const double number = before.get<double>();
        others = {0, number + 1, number * 2 + 3, number * 1e6 + 1e6, 1e18};
        if (number >= 1) {
            others.push_back(number - 1);
        }
    } else {
        others = {"other", true, false, 1};
    }
    for (const Json& other : others) {
        value = other;
        const bool broken = !law.holds();
        value = before;
        if (broken) {
            return true;
        }
    }
    return false;
}

/// Likewise how many elements there are, of what a law counts: "dies[]" of `name`.
bool more_break(const LawInfo& info, const std::string& name, Json whole) {
    std::string path = "/" + (info.place.empty() ? "" : info.place + ".") + name;
    path = path.substr(0, path.rfind('[')); // without that of elements
    std::replace(path.begin(), path.end(), '.', '/');
    const Json::json_pointer list(
        whole.contains(Json::json_pointer(path)) ? path : path.substr(path.rfind('/')));
    for (int i = 0; i < 200; ++i) {
        whole[list].push_back(Json::object());
    }
    Law law(info.text);
    bool broken = false;
    each_place(whole, info.place, {}, [&](const Json& place, const std::string&) {
        law.apply_to(place, whole);
        broken = broken || !law.holds();
    });
    return broken;
}

/// Adds the laws that say something here and can be broken; `seen` are those that say something.
void note_laws(Json& whole, std::set<std::string>& seen, std::set<std::string>& breakable) {
    for (const LawInfo& info : summary_laws()) {
        Law law(info.text);
        const std::string name = info.family + ": " + info.text;
        if (breakable.count(name) != 0) {
            continue;
        }
        each_place(whole, info.place, {}, [&](const Json& place, const std::string&) {
            law.apply_to(place, whole);
            if (!law.is_kept()) {
                return;
            }
            seen.insert(name);
            for (const Law::Field& field : law.fields()) {
                const bool counted = info.text.find("count(" + field.name) != std::string::npos;
                bool broken = counted && more_break(info, field.name, whole);
                for (const Json* found : field.found) { // of `whole`, which is ours
                    broken = broken || breaks(law, const_cast<Json&>(*found));
                }
                if (broken) {
                    breakable.insert(name);
                    return;
                }
            }
        });
    }
}

/// Of a cut that has not happened here.
void add_recovery(Json& whole) {
    for (const auto& counter : RecoveryCounters::declared) {
        whole["recovery"][std::string(counter.name)] = 0;
    }
}

TEST_F(SummaryLawsTest, EachOfThemCanBeBroken) {
    std::set<std::string> seen;
    std::set<std::string> breakable;
    for (const std::vector<std::string>& settings : untimed_drives()) {
        Json whole = untimed_summary(settings);
        check_summary(whole, nullptr);
        note_laws(whole, seen, breakable);
    }
    std::vector<Json> wholes;
    for (const std::vector<std::string>& settings : timed_drives()) {
        wholes.push_back(
            Json::parse(in_another_process([&] { return timed_summary(settings).dump(); })));
    }
    for (Json& whole : wholes) {
        note_laws(whole, seen, breakable);
    }
    add_recovery(wholes.front());
    note_laws(wholes.front(), seen, breakable);
    for (const LawInfo& law : summary_laws()) {
        const std::string name = law.family + ": " + law.text;
        EXPECT_EQ(seen.count(name), 1u) << name;
        EXPECT_EQ(breakable.count(name), seen.count(name)) << name;
    }
}

} // namespace
} // namespace cavern::testing
