// cavern-dram-reference: runs the SDRAM scheduler over the reference streams and prints how close
// it comes, as one JSON object. Exit status 0 when every bound holds, 1 when one does not, 2 for
// wrong input.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "bench/dram_reference_comparison.h"
#include "bench/dram_reference_streams.h"
#include "core/base/error.h"

int main(int argc, char** argv) {
    CLI::App app{"Compares the SDRAM scheduler with DRAMSys, DRAMsim3 and closed forms."};
    std::string csv_path = "tests/reference/ddr3-1600-reference.csv";
    app.add_option("--reference", csv_path, "figures of the simulators")->capture_default_str();
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& error) {
        std::fprintf(stderr, "error: command line:1: %s; see --help\n", error.what());
        return 2;
    }

    try {
        const cavern::SdramTiming reference_part = cavern::ddr3_1600_2gb_x16();
        std::vector<cavern::ComparisonRow> rows =
            cavern::compare_with_simulators(csv_path, reference_part);
        for (const auto& [name, timing] : {std::pair{"ddr3-1600-2gb-x16", reference_part},
                                           std::pair{"ddr3-1600", cavern::SdramTiming{}},
                                           std::pair{"ddr4-3200", cavern::ddr4_3200()},
                                           std::pair{"lpddr4-3200", cavern::lpddr4_3200()}}) {
            for (cavern::ComparisonRow& row : cavern::compare_with_formulas(name, timing)) {
                rows.push_back(std::move(row));
            }
        }
        nlohmann::ordered_json out = {{"rows", nlohmann::ordered_json::array()}};
        bool all_hold = true;
        for (const cavern::ComparisonRow& row : rows) {
            all_hold = all_hold && row.holds();
            out["rows"].push_back({{"stream", row.stream},
                                   {"variant", row.variant},
                                   {"quantity", row.quantity},
                                   {"unit", row.unit},
                                   {"ours", row.ours},
                                   {"reference", row.reference},
                                   {"error", row.error()},
                                   {"bound", row.bound},
                                   {"holds", row.holds()},
                                   {"source", row.source}});
        }
        out["holds"] = all_hold;
        std::printf("%s\n", out.dump(1).c_str());
        return all_hold ? 0 : 1;
    } catch (const cavern::UserError& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 2;
    } catch (const cavern::ModelError& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
