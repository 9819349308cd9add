#include "tests/drive/drive_cases.h"

#include <cctype>
#include <ostream>

#include "config/config_keys.h"

namespace cavern::testing {

void PrintTo(const DriveCase& each, std::ostream* out) {
    *out << each.name;
}

std::string name_of(const ::testing::TestParamInfo<DriveCase>& test) {
    return test.param.name;
}

std::unique_ptr<DriveBench> make_bench(const DriveCase& each, bool run_ahead) {
    const SsdConfig config = small_drive(each.overrides);
    DriveBench::Options options;
    options.closed_loop = each.closed_loop;
    options.run_ahead = run_ahead;
    return std::make_unique<DriveBench>(
        "bench", config,
        random_requests(each.mix, capacity_of(config), DrivePlan(config).geometry.page_bytes),
        options);
}

void loop_or_gap(DriveCase& each, TimePs mean_gap) {
    each.closed_loop = each.mix.seed % 3 != 0;
    each.mix.mean_gap = each.closed_loop ? 0 : mean_gap;
}

std::vector<std::string> words_of_key(std::string_view key) {
    const auto index = find_config_key(key);
    EXPECT_TRUE(index.has_value()) << key;
    const std::vector<std::string> words =
        index ? config_keys()[*index].words : std::vector<std::string>{};
    EXPECT_GT(words.size(), 1u) << key;
    return words;
}

std::vector<std::string> settings_for(const FtlRow& layer) {
    if (layer.has_zones) {
        return {"host.interface=nvme", "precondition.fill=0"};
    }
    if (!layer.caches_in_slc) {
        return {};
    }
    return {"nand.slc_blocks=2", "nand.t_program=[\"150us\", \"250us\"]", "nand.slc_t_read=20us",
            "nand.slc_t_program=90us"};
}

std::string camel(std::string_view word) {
    std::string text;
    bool begins = true;
    for (const char letter : word) {
        if (letter != '-') {
            text += begins ? static_cast<char>(std::toupper(static_cast<unsigned char>(letter)))
                           : letter;
        }
        begins = letter == '-';
    }
    return text;
}

} // namespace cavern::testing
