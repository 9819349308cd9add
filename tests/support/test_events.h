#pragma once

namespace cavern::testing {

/// Tells whoever runs the program, on the descriptor that CAVERN_TEST_EVENTS names, when a test
/// begins and when and how it ends, with its processor time: python/cavern/devtools/run_programs.py
/// can then name the test that crashed or hangs, and run those after it.
void report_test_events();

} // namespace cavern::testing
