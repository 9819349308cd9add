#pragma once

#include <string>
#include <vector>

namespace cavern::cpu {

/// The image of that name, as the build made it.
[[nodiscard]] std::string firmware_image(const std::string& name);
/// Names of the programs that check themselves (firmware/tests), without "test_".
[[nodiscard]] std::vector<std::string> firmware_tests();
/// Whether a program needs the processor to take traps instead of stopping.
[[nodiscard]] bool needs_traps(const std::string& firmware_test);

} // namespace cavern::cpu
