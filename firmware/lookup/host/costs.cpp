#include "firmware/lookup/host/costs.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <iostream>
#include <memory>

#include "core/base/error.h"
#include "core/base/output_file.h"
#include "firmware/lookup/host/play.h"
#include "firmware/lookup/host/processor.h"

namespace cavern::lookup {
namespace {

struct Mean {
    double sum = 0;
    std::size_t count = 0;

    void add(double value) {
        sum += value;
        ++count;
    }
    [[nodiscard]] double value() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
};

bool same(const access_cost& host, const access_cost& processor) {
    return host.write == processor.write && host.look_up == processor.look_up &&
           host.hit == processor.hit && host.flush == processor.flush;
}

AccessEnd end_of(const access_cost& access) {
    if (access.hit != 0) {
        return AccessEnd::kHit;
    }
    return access.flush != 0 ? AccessEnd::kDirtyMiss : AccessEnd::kMiss;
}

/// Least squares of y = a + b · x.
void fit_find(const std::vector<MeasuredAccess>& accesses, LookUpCycles& row) {
    Mean x, y, xx, xy;
    for (const MeasuredAccess& each : accesses) {
        if (each.looked_up) {
            const double compares = each.compares;
            x.add(compares);
            y.add(each.find);
            xx.add(compares * compares);
            xy.add(compares * each.find);
        }
    }
    const double spread = xx.value() - x.value() * x.value();
    row.compare = spread > 0 ? (xy.value() - x.value() * y.value()) / spread : 0;
    row.find = y.value() - row.compare * x.value();
    if (row.find < 0 || row.compare < 0) {
        // No look-up takes less than nothing: through the origin then, or all alike.
        const bool alike = row.compare < 0 || xx.value() == 0;
        row.compare = alike ? 0 : xy.value() / xx.value();
        row.find = alike ? y.value() : 0;
    }
}

/// Groups of the paper's tables.
std::vector<std::uint32_t> groups_of(const look_up& how) {
    switch (how.groups) {
    case kGroupsOfLists:
        return {1, 2, 4, 8, 16, 32, 64, 128, 256};
    case kGroupsOfSearch:
        return {1, 2, 4, 8, 16, 32, 64, 127};
    case kGroupsUnused:
        break;
    }
    return {1};
}

std::string text_of(const LookUpCycles& row) {
    const auto three = [](const double(&of)[kAccessEnds]) {
        return fmt::format("{{{:.1f}, {:.1f}, {:.1f}}}", of[0], of[1], of[2]);
    };
    return fmt::format("{{\"{}\", {}, {:.2f}, {:.3f}, {}, {}}},\n", row.look_up, row.groups,
                       row.find, row.compare, three(row.read), three(row.write));
}

} // namespace

std::vector<MeasuredAccess> measured_accesses(const RunSettings& given) {
    RunSettings settings = given;
    settings.played_on = "iss";
    settings.session.log_accesses = 1;
    const auto host = std::make_unique<access_log>();
    const auto processor = std::make_unique<access_log>();
    (void)play_on_host(settings.session, host.get());
    const double clock = play_on_processor(settings, processor.get()).clock_cycles;
    if (host->count != processor->count) {
        throw ModelError("host and processor play the same accesses");
    }
    std::vector<MeasuredAccess> accesses;
    for (std::uint32_t i = 0; i < host->count && i < kMostLogged; ++i) {
        const access_cost& counted = host->entries[i];
        const access_cost& timed = processor->entries[i];
        if (!same(counted, timed)) {
            throw ModelError("host and processor play the same accesses");
        }
        const bool looked_up = counted.look_up != 0;
        // Of the two readings of the clock for a look-up, one time lies between them and one
        // around them.
        const double find = looked_up ? timed.find_cycles - clock : 0;
        const double clocks = clock * (looked_up ? 3 : 1);
        accesses.push_back({counted.compares, counted.write != 0, looked_up, end_of(counted), find,
                            timed.cycles - find - clocks});
    }
    return accesses;
}

LookUpCycles fitted_cycles(const RunSettings& settings,
                           const std::vector<MeasuredAccess>& accesses) {
    LookUpCycles row;
    row.look_up = kLookUps[settings.session.look_up]->name;
    row.groups = settings.session.groups;
    fit_find(accesses, row);
    Mean rest[2][kAccessEnds];
    for (const MeasuredAccess& each : accesses) {
        rest[each.writes ? 1 : 0][static_cast<std::size_t>(each.end)].add(each.rest);
    }
    for (std::size_t end = 0; end < kAccessEnds; ++end) {
        for (const bool writes : {false, true}) {
            const Mean(&means)[kAccessEnds] = rest[writes ? 1 : 0];
            std::size_t from = end;
            while (from > 0 && means[from].count == 0) {
                --from;
            }
            (writes ? row.write : row.read)[end] = means[from].value();
        }
    }
    return row;
}

void write_costs(const RunSettings& given, const std::string& path) {
    OutputFile file(path);
    file.print("// Made by `cavern-lookup costs`; docs/papers/lookup.md has the command.\n"
               "// Look-up, groups; cycles of a look-up and of a comparison; of the rest with a\n"
               "// hit, a miss, and a miss that evicts a dirty page: reads, writes.\n");
    for (std::uint32_t i = 0; i < kLookUpCount; ++i) {
        for (const std::uint32_t groups : groups_of(*kLookUps[i])) {
            RunSettings settings = given;
            settings.session.look_up = i;
            settings.session.groups = groups;
            const std::vector<MeasuredAccess> accesses = measured_accesses(settings);
            const LookUpCycles row = fitted_cycles(settings, accesses);
            Mean cycles, square;
            for (const MeasuredAccess& each : accesses) {
                cycles.add(each.find + each.rest);
                const double off = (each.looked_up ? row.of_find(each.compares) : 0) +
                                   row.of_rest(each.writes, each.end) - each.find - each.rest;
                square.add(off * off);
            }
            file.print("{}", text_of(row));
            std::cout << fmt::format(
                "{} {}: {} accesses, {:.1f} cycles each; off by {:.1f} (root mean square)\n",
                row.look_up, groups, cycles.count, cycles.value(), std::sqrt(square.value()));
        }
    }
    file.finish();
    file.commit();
}

} // namespace cavern::lookup
