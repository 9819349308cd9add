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

/// Every eighth case, which runs with --fast as well.
template <typename Case>
std::vector<Case> few_of(const std::vector<Case>& cases) {
    std::vector<Case> few;
    for (std::size_t i = 0; i < cases.size(); i += 8) {
        few.push_back(cases[i]);
    }
    return few;
}

/// The others, for an instance whose name begins with Slow.
template <typename Case>
std::vector<Case> rest_of(const std::vector<Case>& cases) {
    std::vector<Case> rest;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (i % 8 != 0) {
            rest.push_back(cases[i]);
        }
    }
    return rest;
}

} // namespace cavern::testing
