#include <gtest/gtest.h>

#include "tests/support/test_events.h"

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    cavern::testing::report_test_events();
    return RUN_ALL_TESTS();
}
