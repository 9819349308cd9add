#include <gtest/gtest.h>
#include <systemc>

// The main function of a SystemC program is in its library and calls this.
int sc_main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
