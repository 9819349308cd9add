// Speed and memory of the page-mapping layer alone.
//   cavern-ftl-bench writes POLICY WRITES     uniform random writes on a full drive
//   cavern-ftl-bench memory PLANES BLOCKS PAGES_PER_BLOCK WRITES
// One line of figures each; see usage().
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/ftl/ftl_table.h"
#include "core/ftl/page_ftl_why_not.h"
#include "core/ftl/victim_policy_table.h"

namespace cavern {
namespace {

double processor_ns() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// Memory of this process that is really there.
std::uint64_t resident_bytes() {
    std::ifstream statm("/proc/self/statm");
    std::uint64_t size = 0;
    std::uint64_t resident = 0;
    statm >> size >> resident;
    return resident * 4096;
}

Geometry geometry_of(std::uint32_t planes, std::uint32_t blocks, std::uint32_t pages) {
    Geometry geometry;
    geometry.channels = planes;
    geometry.ways = 1;
    geometry.blocks_per_plane = blocks;
    geometry.pages_per_block = pages;
    return geometry;
}

/// Writes pages striped over the planes, as an allocator that chooses by address would.
class Writer {
  public:
    Writer(const Geometry& geometry, const FtlParams& params)
        : planes_(geometry.planes()), ftl_(find_ftl("page")->make(geometry, params, nullptr)) {}

    void fill() {
        for (std::uint64_t page = 0; page < ftl_->logical_pages(); ++page) {
            write(page);
        }
        ftl_->reset_counters();
    }
    void overwrite(std::uint64_t writes) {
        Random random(1);
        for (std::uint64_t i = 0; i < writes; ++i) {
            write(random.below(ftl_->logical_pages()));
        }
    }
    [[nodiscard]] const FtlIf& ftl() const { return *ftl_; }

  private:
    void write(std::uint64_t page) {
        ops_.clear();
        ftl_->write(Lpn{page}, PlaneId{static_cast<std::uint32_t>(page % planes_)}, ops_);
    }

    std::uint32_t planes_;
    std::unique_ptr<FtlIf> ftl_;
    FlashOpList ops_;
};

int writes(const char* policy, std::uint64_t count) {
    FtlParams params;
    params.gc_policy = find_victim_policy(policy); // null is refused below
    const Geometry geometry = geometry_of(4, 512, 64);
    if (const auto problem = page_ftl_why_not(geometry, params)) {
        std::fprintf(stderr, "error: %s\n", problem->c_str());
        return 2;
    }
    Writer writer(geometry, params);
    writer.fill();
    const double begin = processor_ns();
    writer.overwrite(count);
    const double ns = processor_ns() - begin;
    const FtlCounters& c = writer.ftl().counters();
    std::printf("%.1f ns/write %.4f WA\n", ns / static_cast<double>(count),
                static_cast<double>(c.host_pages + c.gc_pages) / static_cast<double>(c.host_pages));
    return 0;
}

int memory(std::uint32_t planes, std::uint32_t blocks, std::uint32_t pages, double share) {
    const Geometry geometry = geometry_of(planes, blocks, pages);
    const FtlParams params;
    if (const auto problem = page_ftl_why_not(geometry, params)) {
        std::fprintf(stderr, "error: %s\n", problem->c_str());
        return 2;
    }
    const std::uint64_t before = resident_bytes();
    const auto start = std::chrono::steady_clock::now();
    Writer writer(geometry, params);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const std::uint64_t built = resident_bytes() - before;
    std::uint64_t filled = built;
    if (share > 0) {
        writer.fill();
        writer.overwrite(
            static_cast<std::uint64_t>(share * static_cast<double>(writer.ftl().logical_pages())));
        filled = resident_bytes() - before;
    }
    std::printf("%llu pages %.6f s %llu bytes built %llu bytes filled\n",
                static_cast<unsigned long long>(geometry.pages()), seconds.count(),
                static_cast<unsigned long long>(built), static_cast<unsigned long long>(filled));
    return 0;
}

int usage() {
    std::fprintf(stderr,
                 "usage: cavern-ftl-bench writes POLICY WRITES\n"
                 "       cavern-ftl-bench memory PLANES BLOCKS PAGES_PER_BLOCK OVERWRITES\n");
    return 2;
}

std::uint32_t number(const char* text) {
    return static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

} // namespace
} // namespace cavern

int main(int argc, char** argv) {
    using namespace cavern;
    const std::string what = argc > 1 ? argv[1] : "";
    try {
        if (what == "writes" && argc == 4) {
            return writes(argv[2], std::strtoull(argv[3], nullptr, 10));
        }
        if (what == "memory" && argc == 6) {
            return memory(number(argv[2]), number(argv[3]), number(argv[4]),
                          std::strtod(argv[5], nullptr));
        }
    } catch (const ModelError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return usage();
}
