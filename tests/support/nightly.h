#pragma once

#include <gtest/gtest.h>
#include <string>

namespace cavern::testing {

/// Whether the test that is running is for the night: its name, as its label, contains Nightly.
inline bool nightly() {
    const ::testing::TestInfo* test = ::testing::UnitTest::GetInstance()->current_test_info();
    const std::string name = std::string(test->test_suite_name()) + "." + test->name();
    return name.find("Nightly") != std::string::npos;
}

} // namespace cavern::testing
