#pragma once

#include <string>

namespace cavern::testing {

/// The folder of the tree that was compiled, for tests that read its files.
std::string source_dir();

} // namespace cavern::testing
