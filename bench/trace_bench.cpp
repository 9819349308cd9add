// What reading a trace costs.
//   cavern-trace-bench FILE     reads all of it as a run does, with its first pass
// One line: requests, ns of processor time per request in the second pass, most memory resident.
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "workload/open_trace.h"

namespace cavern {
namespace {

double processor_ns() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// Of this program; getrusage counts what its parent had when it forked.
std::uint64_t most_resident_bytes() {
    std::ifstream status("/proc/self/status");
    std::string word;
    std::uint64_t kib = 0;
    while (status >> word) {
        if (word == "VmHWM:") {
            status >> kib;
        }
    }
    return kib * 1024;
}

int bench(const char* path) {
    const TraceOptions options{path, "", ""};
    const std::optional<TraceInfo> info = scan_trace(options);
    if (!info) {
        std::fprintf(stderr, "error: %s:1: a pipe is read once only; give a file\n", path);
        return 2;
    }
    const std::unique_ptr<TraceReader> trace = open_trace(options, &*info);
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    const double start = processor_ns();
    for (HostRequest request; trace->next(request); ++count) {
        bytes += request.bytes;
    }
    const double end = processor_ns();
    std::printf("%llu requests %llu bytes %.2f ns %llu resident\n",
                static_cast<unsigned long long>(count), static_cast<unsigned long long>(bytes),
                (end - start) / static_cast<double>(count > 0 ? count : 1),
                static_cast<unsigned long long>(most_resident_bytes()));
    return 0;
}

} // namespace
} // namespace cavern

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: cavern-trace-bench FILE\n");
        return 2;
    }
    try {
        return cavern::bench(argv[1]);
    } catch (const cavern::UserError& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 2;
    }
}
