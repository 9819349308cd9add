#include "bench/dram_reference_comparison.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "bench/dram_reference_streams.h"
#include "core/base/error.h"
#include "core/base/random.h"

namespace cavern {

namespace {

struct Figures {
    double bytes_per_second = 0.0;
    double activates = 0.0;
};

/// Figures by "simulator controller stream".
using FigureTable = std::map<std::string, Figures>;

std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, ',');) {
        fields.push_back(field);
    }
    return fields;
}

FigureTable read_figures(const std::string& path) {
    std::ifstream in(path);
    if (!in) {
        throw UserError(path, 1, "the reference figures cannot be read",
                        "a CSV file such as tests/reference/ddr3-1600-reference.csv");
    }
    std::string line;
    std::getline(in, line);
    const std::vector<std::string> header = split(line);
    const auto column = [&](const std::string& name) {
        const auto found = std::find(header.begin(), header.end(), name);
        if (found == header.end()) {
            throw UserError(path, 1, "no column " + name,
                            "simulator,controller,stream,bandwidth_Bps,activates,...");
        }
        return static_cast<std::size_t>(found - header.begin());
    };
    const std::size_t simulator = column("simulator");
    const std::size_t controller = column("controller");
    const std::size_t stream = column("stream");
    const std::size_t bandwidth = column("bandwidth_Bps");
    const std::size_t activates = column("activates");
    FigureTable table;
    for (std::size_t number = 2; std::getline(in, line); ++number) {
        const std::vector<std::string> field = split(line);
        if (field.size() != header.size()) {
            throw UserError(path, number, "it has " + std::to_string(field.size()) + " fields",
                            "as many as the header");
        }
        try {
            table[field[simulator] + " " + field[controller] + " " + field[stream]] =
                Figures{std::stod(field[bandwidth]), std::stod(field[activates])};
        } catch (const std::logic_error&) {
            throw UserError(path, number, "a figure is no number", "a decimal number");
        }
    }
    return table;
}

const Figures& figures_of(const FigureTable& table, const std::string& key,
                          const std::string& path) {
    const auto found = table.find(key);
    if (found == table.end()) {
        throw UserError(path, 1, "no figures for " + key, "one line for each stream");
    }
    return found->second;
}

/// Random streams depend on the order in which a full queue is worked off, others hardly at all.
bool is_random(const std::string& stream) {
    return stream[0] >= 'c' && stream[0] <= 'e';
}

std::vector<ReferenceAccess> whole_bursts(const SdramTiming& timing, bool is_write) {
    std::vector<ReferenceAccess> stream;
    for (std::uint64_t i = 0; i < 100'000; ++i) {
        stream.push_back({0, i * timing.burst_bytes(), is_write});
    }
    return stream;
}

std::vector<ReferenceAccess> pages(std::uint64_t page_bytes) {
    std::vector<ReferenceAccess> stream;
    for (std::uint64_t i = 0; i < 2'000; ++i) {
        stream.push_back({0, i * page_bytes, false});
    }
    return stream;
}

/// Random rows, the banks in turn: no bank waits for its own row cycle longer than it must.
std::vector<ReferenceAccess> random_rows(const SdramTiming& timing) {
    Random random(8);
    std::vector<ReferenceAccess> stream;
    for (std::uint64_t i = 0; i < 100'000; ++i) {
        const std::uint64_t row = random.below(16'384);
        const std::uint64_t bank = i % timing.banks;
        const std::uint64_t lanes = timing.lanes(); // banks that share a stretch of addresses
        const std::uint64_t stretch = row * (timing.banks / lanes) + bank / lanes;
        stream.push_back(
            {0, stretch * lanes * timing.row_bytes + bank % lanes * timing.burst_bytes(), false});
    }
    return stream;
}

double latency(const SdramTiming& timing, const std::vector<std::uint64_t>& earlier_rows) {
    FrFcfsScheduler scheduler(timing);
    const std::uint64_t row_step = std::uint64_t{timing.row_bytes} * timing.banks;
    DramClock now = 0;
    for (const std::uint64_t row : earlier_rows) {
        scheduler.push(0, row * row_step, timing.burst_bytes(), false, now);
        now = scheduler.next_wake();
        scheduler.advance(now);
        (void)scheduler.pop_completion();
        now += timing.t_rc; // long enough for tRAS and tRTP
    }
    scheduler.push(1, 0, timing.burst_bytes(), false, now);
    const DramClock end = scheduler.next_wake();
    scheduler.advance(end);
    return static_cast<double>(scheduler.pop_completion().end - now);
}

} // namespace

bool ComparisonRow::holds() const {
    return bound == 0.0 ? ours == reference : std::abs(error()) <= bound;
}

std::vector<ComparisonRow> compare_with_simulators(const std::string& csv_path,
                                                   const SdramTiming& timing) {
    struct Variant {
        const char* name;
        const char* simulator;
        const char* controller;
        std::uint32_t queue_depth;
        std::uint32_t bank_queue_depth;
    };
    static const Variant variants[] = {
        {"8 a bank", "DRAMSys v5.1", "fr_fcfs", 64, 8},
        {"32 shared", "DRAMSys v5.1", "fr_fcfs_shared32", 32, 0},
        {"8 a bank", "DRAMsim3", "default (per-bank 8 + trans 32)", 64, 8}};
    const FigureTable table = read_figures(csv_path);
    std::vector<ComparisonRow> rows;
    for (const std::string& name : reference_stream_names()) {
        const std::vector<ReferenceAccess> stream = make_reference_stream(name);
        const bool one_outstanding = name[0] == 'i';
        std::map<std::string, ReferenceRun> runs; // by variant: two simulators have the same limits
        for (const Variant& variant : variants) {
            const std::string simulator = variant.simulator;
            if (simulator == "DRAMsim3" && one_outstanding) {
                continue; // it answers a clock later, and a closed loop adds that up
            }
            SdramTiming limits = timing;
            limits.queue_depth = variant.queue_depth;
            if (runs.count(variant.name) == 0) {
                runs[variant.name] =
                    run_stream(stream, limits, variant.bank_queue_depth, one_outstanding);
            }
            const ReferenceRun& run = runs[variant.name];
            const Figures& known =
                figures_of(table, simulator + " " + variant.controller + " " + name, csv_path);
            rows.push_back({name, variant.name, "bandwidth", "B/s", run.bytes_per_second,
                            known.bytes_per_second, is_random(name) ? 0.05 : 0.01, simulator});
            if (is_random(name) || name[0] >= 'i') {
                rows.push_back({name, variant.name, "activates", "1",
                                static_cast<double>(run.statistics.activates), known.activates,
                                0.01, simulator});
            }
            if (simulator != "DRAMsim3") {
                rows.push_back(
                    {name, variant.name, "refreshes", "1", static_cast<double>(run.refreshes),
                     static_cast<double>(run.clocks / timing.t_refi), 0.0, "floor(total / tREFI)"});
            }
        }
    }
    return rows;
}

std::vector<ComparisonRow> compare_with_formulas(const std::string& part,
                                                 const SdramTiming& timing) {
    std::vector<ComparisonRow> rows;
    const double burst = timing.burst_clocks();
    const double hit = timing.cl + burst;
    rows.push_back({"unloaded read, row open", part, "latency", "clk", latency(timing, {0}), hit,
                    0.0, "CL + BL/2"});
    rows.push_back({"unloaded read, bank closed", part, "latency", "clk", latency(timing, {}),
                    timing.t_rcd + hit, 0.0, "tRCD + CL + BL/2"});
    rows.push_back({"unloaded read, other row open", part, "latency", "clk", latency(timing, {1}),
                    timing.t_rp + timing.t_rcd + hit, 0.0, "tRP + tRCD + CL + BL/2"});

    const double clocks_per_second =
        static_cast<double>(kSecond) / static_cast<double>(timing.t_ck);
    const double spacing = std::max(timing.t_ccd, timing.burst_clocks());
    const double peak = timing.burst_bytes() / spacing * clocks_per_second;
    const double reopen = timing.rp_ab() + timing.t_rfc + timing.t_rcd - spacing;
    const auto limit = [&](double rate, double lost) {
        return rate * (1.0 - lost / timing.t_refi);
    };
    const auto bandwidth = [&](const std::string& stream, const ReferenceRun& run, double allowed,
                               const std::string& formula) {
        rows.push_back(
            {stream, part, "bandwidth", "B/s", run.bytes_per_second, allowed, 0.02, formula});
    };
    const std::string read_formula =
        "peak * (1 - (tRTP + tRP + tRFC + tRCD - tCCD) / tREFI), peak = burst bytes / (tCCD * tCK)";
    bandwidth("sequential read",
              run_stream(whole_bursts(timing, false), timing, 0, false, timing.burst_bytes()),
              limit(peak, timing.t_rtp + reopen), read_formula);
    bandwidth("sequential read, 16 KiB each", run_stream(pages(16 * kKiB), timing, 0, false, 16384),
              limit(peak, timing.t_rtp + reopen), read_formula);
    bandwidth("sequential write",
              run_stream(whole_bursts(timing, true), timing, 0, false, timing.burst_bytes()),
              limit(peak, timing.write_to_precharge() + reopen),
              "peak * (1 - (CWL + BL/2 + tWR + tRP + tRFC + tRCD - tCCD) / tREFI)");

    const double activate_every =
        std::max({timing.t_faw / 4.0, static_cast<double>(timing.t_rrd),
                  static_cast<double>(timing.t_rc) / timing.banks, spacing});
    bandwidth("random rows, banks in turn",
              run_stream(random_rows(timing), timing, 0, false, timing.burst_bytes()),
              limit(timing.burst_bytes() / activate_every * clocks_per_second,
                    timing.t_ras + timing.rp_ab() + timing.t_rfc + timing.t_rcd - activate_every),
              "burst bytes / (a * tCK) * (1 - (tRAS + tRP + tRFC + tRCD - a) / tREFI), "
              "a = max(tFAW / 4, tRRD, tRC / banks, tCCD)");
    if (timing.bank_groups > 1) {
        // A column command may take the clock at which tFAW would let the next activate go.
        rows.back().bound = 1.0 / timing.t_faw;
    }
    return rows;
}

} // namespace cavern
