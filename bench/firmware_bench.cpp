// cavern-firmware-bench IMAGE [REPETITIONS]: instructions per second of the interpreter on a
// firmware image that ends by itself. Prints, for each way to run it, the instructions, the
// simulated cycles and the median of the seconds (CPU time).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <vector>

#include "cpu/machine.h"
#include "cpu/program.h"

namespace {

struct Measured {
    std::uint64_t instructions = 0;
    std::uint64_t cycles = 0;
    double seconds = 0;
};

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

Measured once(const cavern::cpu::Program& program, bool traced) {
    cavern::cpu::Machine machine;
    machine.load(program);
    const std::uint64_t limit = std::uint64_t{1} << 40;
    std::uint64_t stores = 0;
    const double start = cpu_seconds();
    const auto outcome = traced ? machine.run(limit,
                                              [&stores](const cavern::cpu::Retired& retired) {
                                                  stores += retired.write_mask != 0 ? 1 : 0;
                                              })
                                : machine.run(limit);
    const double seconds = cpu_seconds() - start;
    if (outcome.end != cavern::cpu::End::kExit || outcome.status != 0 || (traced && stores == 0)) {
        std::fprintf(stderr, "the firmware did not end well\n");
        std::exit(1);
    }
    return {machine.hart().instructions(), machine.hart().cycle(), seconds};
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: cavern-firmware-bench IMAGE [REPETITIONS]\n");
        return 2;
    }
    try {
        const auto program = cavern::cpu::Program::read(argv[1], {});
        const int repetitions = argc > 2 ? std::max(1, std::atoi(argv[2])) : 5;
        for (const bool traced : {false, true}) {
            std::vector<Measured> runs;
            for (int i = 0; i < repetitions; ++i) {
                runs.push_back(once(program, traced));
            }
            std::sort(runs.begin(), runs.end(),
                      [](const Measured& a, const Measured& b) { return a.seconds < b.seconds; });
            const Measured& median = runs[runs.size() / 2];
            std::printf("%s %llu %llu %.6f\n", traced ? "observed" : "plain",
                        static_cast<unsigned long long>(median.instructions),
                        static_cast<unsigned long long>(median.cycles), median.seconds);
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 2;
    }
    return 0;
}
