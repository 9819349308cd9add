#include "tests/support/source_dir.h"

namespace cavern::testing {

std::string source_dir() {
    return CAVERN_SOURCE_DIR;
}

} // namespace cavern::testing
