#pragma once

#include <string>
#include <vector>

namespace cavern::testing {

/// A drive that comes with the library, made small: 2 channels of 2 ways, 16 blocks of 8 pages of 2
/// KiB a die, 16 frames, 45 % of the raw pages exported.
[[nodiscard]] inline std::string small_config() {
    return "conventional.toml";
}
[[nodiscard]] inline std::vector<std::string>
small_settings(const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"nand.channels=2",          "nand.ways=2",
                                 "nand.blocks_per_plane=16", "nand.pages_per_block=8",
                                 "ftl.overprovision=0.55",   "buffer.policy=lru-page",
                                 "buffer.size=32KiB",        "dram.size=1MiB"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

} // namespace cavern::testing
