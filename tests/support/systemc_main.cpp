#include <cstdlib>
#include <gtest/gtest.h>
#include <systemc>

namespace {

/// The kernel greets before it calls sc_main, unless this is set.
const bool kSilent = ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0) == 0;

} // namespace

// The main function of a SystemC program is in its library and calls this.
int sc_main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    return kSilent ? RUN_ALL_TESTS() : 1;
}
