#include "tests/support/systemc_test.h"

#include <exception>

#include "timed/tlm/time.h"

namespace cavern::testing {
namespace {

void report(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
    if (report.get_severity() == sc_core::SC_WARNING) {
        ADD_FAILURE() << "SystemC warning: " << report.what();
    }
    sc_core::sc_report_handler::default_handler(report, actions & ~sc_core::SC_DISPLAY);
}

/// The error's text; empty without error. What a process throws arrives as an sc_report.
std::string run_and_catch(TimePs limit) {
    try {
        sc_core::sc_start(to_sc_time(limit), sc_core::SC_EXIT_ON_STARVATION);
    } catch (const std::exception& error) {
        return error.what();
    }
    return {};
}

} // namespace

SystemcTest::SystemcTest() {
    sc_core::sc_report_handler::set_handler(report);
}

SystemcTest::~SystemcTest() {
    sc_core::sc_report_handler::set_handler(nullptr);
}

void SystemcTest::run(TimePs limit) {
    const std::string error = run_and_catch(limit);
    EXPECT_EQ(error, "");
    EXPECT_FALSE(sc_core::sc_pending_activity()) << "still running at " << sc_core::sc_time_stamp();
}

std::string SystemcTest::run_to_error(TimePs limit) {
    const std::string error = run_and_catch(limit);
    EXPECT_NE(error, "") << "nothing stopped the run";
    return error;
}

} // namespace cavern::testing
