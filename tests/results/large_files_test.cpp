#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/console_report.h"

namespace cavern::testing {
namespace {

TEST(LargeFilesTest, AReportNamesThem) {
    nlohmann::ordered_json summary;
    summary["run"]["files"] = {{{"path", "requests.csv"}, {"bytes", 199'999'999}},
                               {{"path", "../timeline.json"}, {"bytes", 8'499'600'000}}};
    EXPECT_EQ(large_files_text(summary), "  file   ../timeline.json has 8500 MB\n");
    summary["run"]["files"] = nlohmann::ordered_json::array();
    EXPECT_EQ(large_files_text(summary), "");
}

} // namespace
} // namespace cavern::testing
