#include "config/file_names.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "tests/support/source_dir.h"

namespace cavern::testing {
namespace {

namespace fs = std::filesystem;

class InstalledConfigsTest : public ::testing::Test {
  protected:
    InstalledConfigsTest()
        : prefix_(fs::path(::testing::TempDir()) /
                  ("cavern_prefix_" +
                   std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()))) {
        fs::remove_all(prefix_);
        fs::create_directories(prefix_ / "share" / "cavern" / "configs");
    }
    ~InstalledConfigsTest() override { fs::remove_all(prefix_); }

    fs::path prefix_;
};

TEST_F(InstalledConfigsTest, AreThoseOfThePrefixOfProgramAndLibrary) {
    const fs::path configs = prefix_ / "share" / "cavern" / "configs";
    EXPECT_EQ(configs_of(prefix_ / "bin" / "cavern-sim", "tree"), configs);
    EXPECT_EQ(configs_of(prefix_ / "lib" / "libcavern.so.0.2.0", "tree"), configs);
    EXPECT_EQ(configs_of(prefix_ / "lib" / "x86_64-linux-gnu" / "libcavern.so", "tree"), configs);
}

TEST_F(InstalledConfigsTest, AreThoseOfTheTreeWhereNothingIsInstalled) {
    EXPECT_EQ(configs_of(prefix_ / "a" / "b" / "c" / "cavern-sim", "tree"), "tree");
    EXPECT_EQ(configs_of("", "tree"), "tree");
    fs::remove_all(prefix_ / "share");
    EXPECT_EQ(configs_of(prefix_ / "bin" / "cavern-sim", "tree"), "tree");
}

TEST_F(InstalledConfigsTest, AreThoseOfTheTreeForThisTest) {
    EXPECT_EQ(fs::weakly_canonical(installed_configs()),
              fs::weakly_canonical(fs::path(source_dir()) / "configs"));
}

} // namespace
} // namespace cavern::testing
