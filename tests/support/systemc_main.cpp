#include <cstdlib>
#include <gtest/gtest.h>
#include <systemc>

#include "tests/support/test_events.h"
#include "timed/tlm/restart_kernel.h"

namespace {

/// The kernel greets before it calls sc_main, unless this is set.
const bool kSilent = ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0) == 0;

/// A kernel elaborates once: each test has its own.
class NewKernel : public testing::EmptyTestEventListener {
    void OnTestStart(const testing::TestInfo&) override { cavern::restart_kernel(); }
};

} // namespace

// The main function of a SystemC program is in its library and calls this.
int sc_main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    cavern::testing::report_test_events();
    testing::UnitTest::GetInstance()->listeners().Append(new NewKernel); // gtest deletes it
    return kSilent ? RUN_ALL_TESTS() : 1;
}
