// image_mutation SECONDS SEED IMAGE ...: mutated firmware images through the reader of ELF and
// DWARF, for SECONDS of wall time. An image is either taken, and then its symbols, lines and code
// can be asked for and executed, or refused with one line. Built with the sanitizers.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/base/error.h"
#include "core/base/random.h"
#include "cpu/disassemble.h"
#include "cpu/machine.h"
#include "cpu/program.h"

namespace cavern::cpu {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// One edit: a byte, a word of the headers made extreme, a stretch copied over another, the end
/// cut.
void edit(Bytes& image, Random& random) {
    if (image.size() < 64) {
        return;
    }
    const std::size_t headers = random.below(2) == 0 ? 116 : image.size();
    const std::size_t place = random.below(std::min(headers, image.size()) - 4);
    switch (random.below(4)) {
    case 0:
        image[place] = static_cast<std::uint8_t>(random.next());
        break;
    case 1:
        for (std::size_t i = 0; i < 4; ++i) {
            image[place + i] = random.below(2) == 0 ? 0xFF : 0;
        }
        break;
    case 2:
        for (std::size_t i = 0; i < 16 && place + i < image.size(); ++i) {
            image[place + i] = image[random.below(image.size())];
        }
        break;
    default:
        if (random.below(8) == 0) {
            image.resize(place);
        }
    }
}

/// Instructions executed of an image that is taken; nothing of one that is refused.
std::uint64_t check(const Bytes& image, Random& random) {
    try {
        const Program program = Program::parse("image", image, {});
        for (int i = 0; i < 20; ++i) {
            const auto address = static_cast<std::uint32_t>(0x0010'0000 + random.below(16384));
            CAVERN_CHECK(!program.describe(address).empty(), "an address has a description");
        }
        static Machine machine{{}, {}, FaultPolicy::kTrap};
        machine.load(program);
        machine.run(2000);
        return machine.hart().executed();
    } catch (const UserError& error) {
        CAVERN_CHECK(std::string(error.what()).find('\n') == std::string::npos,
                     "a message has one line");
        return 0;
    }
}

int run(int argc, char** argv) {
    if (argc < 4) {
        std::fprintf(stderr, "usage: image_mutation SECONDS SEED IMAGE...\n");
        return 2;
    }
    std::vector<Bytes> samples;
    for (int i = 3; i < argc; ++i) {
        std::ifstream in(argv[i], std::ios::binary);
        samples.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
        CAVERN_CHECK(samples.back().size() > 1000, "a sample is an image");
    }
    Random random(std::strtoull(argv[2], nullptr, 10));
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::duration<double>(std::strtod(argv[1], nullptr));
    std::uint64_t images = 0;
    std::uint64_t taken = 0;
    while (std::chrono::steady_clock::now() < end || images < 50) {
        Bytes image = samples[random.below(samples.size())];
        for (std::uint64_t edits = 1 + random.below(6); edits > 0; --edits) {
            edit(image, random);
        }
        taken += check(image, random) > 0 ? 1 : 0;
        ++images;
    }
    std::printf("%llu images, %llu of them taken\n", static_cast<unsigned long long>(images),
                static_cast<unsigned long long>(taken));
    return taken > 0 && taken < images ? 0 : 1; // one that takes or refuses everything may not pass
}

} // namespace
} // namespace cavern::cpu

int main(int argc, char** argv) {
    return cavern::cpu::run(argc, argv);
}
