// What tests/cli/test_run_programs.py has the runner of tests run: each test does what its name
// says.
#include <cstdlib>
#include <ctime>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/test_events.h"

namespace {

TEST(Misbehaving, Passes) {}
TEST(Misbehaving, Fails) {
    EXPECT_EQ(1, 2) << "this is why";
}
TEST(Misbehaving, IsSkipped) {
    GTEST_SKIP();
}
TEST(Misbehaving, Crashes) {
    std::abort();
}
TEST(Misbehaving, Exits) {
    std::exit(0);
}
TEST(Misbehaving, Hangs) {
    while (true) {
        ::pause();
    }
}
TEST(Misbehaving, IsBusy) {
    while (std::clock() < CLOCKS_PER_SEC * 2 / 5) { // of processor time
    }
}
TEST(Misbehaving, LeavesAProcess) {
    if (::fork() == 0) {
        ::sleep(20);
        ::_exit(0);
    }
}
TEST(Misbehaving, CrashesTheEnd) {
    EXPECT_EQ(std::atexit(std::abort), 0);
}
TEST(MisbehavingSlow, Passes) {}
TEST(MisbehavingNightly, Passes) {}
TEST(Misbehaving, PassesAtLast) {}

} // namespace

int main(int argc, char** argv) {
    if (std::getenv("CAVERN_TEST_NO_START") != nullptr) {
        return 3;
    }
    testing::InitGoogleTest(&argc, argv);
    cavern::testing::report_test_events();
    return RUN_ALL_TESTS();
}
