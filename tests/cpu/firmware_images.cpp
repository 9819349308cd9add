#include "tests/cpu/firmware_images.h"

#include <sstream>

namespace cavern::cpu {

std::string firmware_image(const std::string& name) {
    return CAVERN_FIRMWARE_DIR "/" + name + ".elf";
}

std::vector<std::string> firmware_tests() {
    std::vector<std::string> names;
    std::istringstream list(CAVERN_FIRMWARE_TESTS);
    for (std::string name; std::getline(list, name, ',');) {
        names.push_back(name);
    }
    return names;
}

bool needs_traps(const std::string& firmware_test) {
    return firmware_test == "traps" || firmware_test == "misaligned";
}

} // namespace cavern::cpu
