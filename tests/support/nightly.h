#pragma once

#include <cstddef>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace cavern::testing {

/// Whether the test that is running is for the night: its name, as its label, contains Nightly.
inline bool nightly() {
    const ::testing::TestInfo* test = ::testing::UnitTest::GetInstance()->current_test_info();
    const std::string name = std::string(test->test_suite_name()) + "." + test->name();
    return name.find("Nightly") != std::string::npos;
}

/// Every eighth case, or all others.
template <typename Case>
std::vector<Case> eighths(const std::vector<Case>& cases, bool eighth) {
    std::vector<Case> chosen;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if ((i % 8 == 0) == eighth) {
            chosen.push_back(cases[i]);
        }
    }
    return chosen;
}

/// What runs with --fast as well.
template <typename Case>
std::vector<Case> few_of(const std::vector<Case>& cases) {
    return eighths(cases, true);
}

/// The others, for an instance whose name begins with Slow.
template <typename Case>
std::vector<Case> rest_of(const std::vector<Case>& cases) {
    return eighths(cases, false);
}

} // namespace cavern::testing
