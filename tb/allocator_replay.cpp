// The RTL channel allocator as a filter: each line of standard input is a burst, the number of its
// victims and, if not 0, the channels that are busy throughout as a hexadecimal mask; each line of
// output is a hand-out, channel and way. Properties are on.
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include "tb/channel_allocator_if.h"

namespace cavern {
namespace {

constexpr std::uint32_t kMostVictims = 255; // of the models

int replay(std::uint32_t channels, std::uint32_t ways) {
    const auto rtl = make_rtl_allocator({channels, ways, kMostVictims}, 1, "allocator");
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::uint32_t victims = 0;
        std::uint32_t busy = 0;
        words >> victims >> std::hex >> busy;
        const std::uint32_t all = (1u << channels) - 1;
        if (victims < 1 || victims > kMostVictims || (busy & all) == all) {
            std::cerr << "error: a burst has 1 to 255 victims and a channel that is free\n";
            return 2;
        }
        for (AllocatorOutputs out = rtl->step({true, victims, busy}); !out.ready;) {
            out = rtl->step({false, 0, busy});
            if (out.valid) {
                std::cout << out.channel << ' ' << out.way << '\n';
            }
        }
    }
    return 0;
}

} // namespace
} // namespace cavern

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: " << argv[0] << " CHANNELS WAYS\n";
        return 2;
    }
    try {
        return cavern::replay(static_cast<std::uint32_t>(std::atoi(argv[1])),
                              static_cast<std::uint32_t>(std::atoi(argv[2])));
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << '\n';
        return 1;
    }
}
