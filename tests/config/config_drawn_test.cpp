#include <algorithm>

#include "config/config_show.h"
#include "core/base/random.h"
#include "tests/config/config_fixture.h"
#include "tests/support/nightly.h"

namespace cavern {
namespace {

namespace fs = std::filesystem;

using Names = std::vector<std::string>;

/// A value in the range of a key: one of its ends, a power of two, a small one, or any.
std::uint64_t drawn_number(const ConfigKey& key, Random& random) {
    const std::uint64_t span = key.high - key.low;
    std::uint64_t value = 0;
    switch (random.below(5)) {
    case 0:
        value = random.below(2) == 0 ? key.low : key.high;
        break;
    case 1:
    case 2:
        value = std::uint64_t{1} << random.below(48);
        break;
    case 3:
        value = key.low + random.below(std::min<std::uint64_t>(span, 20) + 1);
        break;
    default:
        value = span == ~std::uint64_t{0} ? random.next() : key.low + random.below(span + 1);
    }
    return std::clamp(value, key.low, key.high);
}

std::string drawn_value(const ConfigKey& key, Random& random) {
    const auto whole = [&] {
        const std::uint64_t value = drawn_number(key, random);
        const auto quantity = quantity_of(key.type);
        return quantity ? format_quantity(value, *quantity) : std::to_string(value);
    };
    const auto word = [&] { return key.words.at(random.below(key.words.size())); };
    switch (key.type) {
    case KeyType::kFlag:
        return random.below(2) == 0 ? "false" : "true";
    case KeyType::kReal: {
        const double share =
            random.below(4) == 0 ? static_cast<double>(random.below(2)) : random.uniform();
        return std::to_string(key.real_low + share * (key.real_high - key.real_low));
    }
    case KeyType::kWord:
        return word();
    case KeyType::kWords:
        return random.below(2) == 0 ? word() : "[\"" + word() + "\", \"" + word() + "\"]";
    case KeyType::kText:
        return key.fallback;
    case KeyType::kTimes:
        return random.below(2) == 0 ? whole() : "[\"" + whole() + "\", \"" + whole() + "\"]";
    default:
        return whole();
    }
}

/// Whatever is asked for together, a drive comes of it or one line that says what does not go
/// together: the checks stop for nothing that a check after them would have refused.
class ConfigDrawnTest : public ConfigFixture, public ::testing::WithParamInterface<std::uint64_t> {
  protected:
    static Names drawn_settings(Random& random) {
        Names settings;
        for (std::uint64_t left = std::uint64_t{1} << random.below(6); left > 0; --left) {
            const ConfigKey& key = config_keys()[random.below(config_keys().size())];
            const std::string value = drawn_value(key, random);
            if (!value.empty()) {
                settings.push_back(key.name + "=" + value);
            }
        }
        return settings;
    }
};

TEST_P(ConfigDrawnTest, ADriveOrOneLine) {
    std::vector<fs::path> drives;
    for (const fs::directory_entry& entry : fs::directory_iterator(shipped())) {
        if (entry.path().extension() == ".toml") {
            drives.push_back(entry.path());
        }
    }
    std::sort(drives.begin(), drives.end());
    const int draws = testing::nightly() ? 50'000 : 500;
    Random random(GetParam());
    int built = 0;
    int refused = 0;
    for (int i = 0; i < draws; ++i) {
        const fs::path& drive = drives.at(random.below(drives.size()));
        const Names settings = drawn_settings(random);
        std::string shown = drive.filename().string();
        for (const std::string& setting : settings) {
            shown += " --set '" + setting + "'";
        }
        try {
            const ResolvedConfig resolved = load_config(drive, settings, shipped());
            EXPECT_NE(config_to_toml(resolved), "");
            ++built;
        } catch (const UserError& error) {
            const std::string line = error.what();
            EXPECT_NE(line.find("; "), std::string::npos) << shown << ": " << line;
            EXPECT_EQ(line.find('\n'), std::string::npos) << shown << ": " << line;
            ++refused;
        } catch (const std::exception& error) {
            ADD_FAILURE() << shown << ": " << error.what();
        }
    }
    EXPECT_GT(built, draws / 20);
    EXPECT_GT(refused, draws / 20);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ConfigDrawnTest, ::testing::Range<std::uint64_t>(1, 3));
INSTANTIATE_TEST_SUITE_P(Nightly, ConfigDrawnTest, ::testing::Range<std::uint64_t>(100, 110));

/// What such a draw has found.
using ConfigDivisionTest = ConfigFixture;

TEST_F(ConfigDivisionTest, UnitsLargerThanAPageAreRefusedBeforeHandlesLookAtTheDriveInUnits) {
    const std::string error =
        error_of("[host]\ninterface = \"nvme\"\nfdp.handles = 1\n[ftl]\nunit = \"32KiB\"\n");
    EXPECT_EQ(error.rfind("drive.toml:5: ftl.unit = 32KiB on pages of ", 0), 0u) << error;
}

} // namespace
} // namespace cavern
