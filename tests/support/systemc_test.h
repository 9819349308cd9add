#pragma once

#include <gtest/gtest.h>
#include <string>
#include <systemc>

#include "core/base/units.h"

namespace cavern::testing {

/// A test with one simulation. Warnings of the kernel fail it, and so does a simulation that stops
/// for another reason than having nothing left to do.
class SystemcTest : public ::testing::Test {
  protected:
    SystemcTest();
    ~SystemcTest() override;

    /// Runs until nothing is left to do; fails where that takes more than `limit` of simulated
    /// time, or an error stops it.
    static void run(TimePs limit = 100 * kSecond);
    /// Runs likewise, expects an error to stop it, and returns its text.
    static std::string run_to_error(TimePs limit = 100 * kSecond);
};

} // namespace cavern::testing
