#include "timed/tlm/restart_kernel.h"

#include <gtest/gtest.h>
#include <systemc>

#include "tests/support/systemc_test.h"
#include "timed/tlm/time.h"

#if defined(__SANITIZE_ADDRESS__)
/// The stacks of SystemC's threads, which only these tests have, have guard pages: the search for
/// leaks reads them, and dies of it on Linux 6.18.
extern "C" int __lsan_is_turned_off() {
    return 1;
}
#endif

namespace cavern {
namespace {

/// Waits, and writes down when it woke.
class Sleeper : public sc_core::sc_module {
  public:
    Sleeper(const sc_core::sc_module_name& name, TimePs delay)
        : sc_core::sc_module(name), delay_(delay) {
        SC_THREAD(sleep);
    }
    SC_HAS_PROCESS(Sleeper);
    [[nodiscard]] TimePs woke() const { return woke_; }

  private:
    void sleep() {
        wait(to_sc_time(delay_));
        woke_ = now_ps();
    }
    TimePs delay_;
    TimePs woke_ = 0;
};

class RestartKernelTest : public testing::SystemcTest {};
class OwnKernelTest : public RestartKernelTest, public ::testing::WithParamInterface<int> {};

/// As often as it runs in a process, in whatever order.
TEST_P(OwnKernelTest, EveryTestHasAKernelOfItsOwn) {
    EXPECT_EQ(kernel_ps(), 0);
    EXPECT_EQ(now_ps(), 0);
    EXPECT_TRUE(sc_core::sc_get_top_level_objects().empty());
    Sleeper sleeper("sleeper", 5 * kNs);
    run();
    EXPECT_EQ(sleeper.woke(), 5 * kNs);
    EXPECT_EQ(kernel_ps(), 5 * kNs);
}
INSTANTIATE_TEST_SUITE_P(Of, OwnKernelTest, ::testing::Range(0, 3));

TEST_F(RestartKernelTest, AKernelThatHasRunTakesNoModule) {
    {
        Sleeper sleeper("sleeper", 1 * kNs);
        run();
    }
    EXPECT_THROW(Sleeper("late", 1 * kNs), sc_core::sc_report);
    restart_kernel();
    Sleeper sleeper("late", 2 * kNs);
    run();
    EXPECT_EQ(sleeper.woke(), 2 * kNs);
}

TEST_F(RestartKernelTest, ItBeginsAnewAnyNumberOfTimes) {
    for (int i = 0; i < 100; ++i) {
        restart_kernel();
        Sleeper sleeper("sleeper", 3 * kNs);
        run();
        ASSERT_EQ(sleeper.woke(), 3 * kNs);
    }
}

} // namespace
} // namespace cavern
