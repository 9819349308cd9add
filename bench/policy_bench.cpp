// What an access to the write buffer costs in processor time, under one order policy, for buffers
// from small to large. One line per buffer: frames, then ns per access of each stream.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/base/flat_map.h"
#include "core/base/random.h"
#include "core/buffer/eviction_policy_table.h"
#include "core/buffer/single_trigger.h"
#include "core/buffer/write_buffer.h"

namespace cavern {
namespace {

constexpr std::uint32_t kDies = 32;
constexpr std::uint32_t kRun = 4;         ///< pages one behind the other, such as a request has
constexpr std::uint32_t kHotPages = 2048; ///< what the stream of hits uses: fits a processor cache
constexpr std::uint32_t kPages = 64;      ///< of a logical block
constexpr std::uint32_t kRuns = 3;        ///< each measured so often; the fastest counts

/// Static striping over dies.
class Striped final : public DestinationIf {
  public:
    [[nodiscard]] std::optional<DieId> destination(Lpn lpn) const override {
        return DieId{static_cast<std::uint32_t>(raw(lpn) % kDies)};
    }
};

/// A buffer of the policy.
class BufferUnderTest {
  public:
    BufferUnderTest(const EvictionPolicyRow& row, std::uint32_t frames) : load_(kDies) {
        for (std::uint32_t die = kDies / 4; die < kDies; ++die) {
            load_.submitted(DieId{die}); // three quarters of the dies are busy
        }
        EvictionPolicyContext params;
        params.capacity = frames;
        params.geometry.pages_per_block = kPages;
        params.load = &load_;
        params.destination = &destination_;
        reads_ = row.needs_read_cache;
        buffer_ = std::make_unique<WriteBuffer>(frames, params.geometry, row.make(params),
                                                std::make_unique<SingleTrigger>(), false, nullptr,
                                                reads_);
    }
    /// Every other run of pages is read where the policy is for that.
    void access(std::uint64_t lpn, std::uint64_t turn) {
        if (reads_ && (turn / kRun) % 2 != 0) {
            buffer_->read(Lpn{lpn});
        } else {
            buffer_->write(Lpn{lpn});
        }
    }

  private:
    DieLoad load_;
    Striped destination_;
    bool reads_ = false;
    std::unique_ptr<WriteBuffer> buffer_;
};

/// The least a buffer must do: say which frame holds a page, first in, first out.
class MapUnderTest {
  public:
    explicit MapUnderTest(std::uint32_t frames) : map_(frames), lpns_(frames, ~std::uint64_t{0}) {}
    void access(std::uint64_t lpn, std::uint64_t /*turn*/) {
        if (map_.find(lpn) != FlatMap::kNone) {
            return;
        }
        map_.erase(lpns_[next_]);
        lpns_[next_] = lpn;
        map_.set(lpn, next_);
        next_ = next_ + 1 == lpns_.size() ? 0 : next_ + 1;
    }

  private:
    FlatMap map_;
    std::vector<std::uint64_t> lpns_;
    std::uint32_t next_ = 0;
};

double processor_ns() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// ns per access of the fastest of some runs of `accesses`.
template <typename Step>
double fastest(std::uint64_t accesses, Step step) {
    double best = 0.0;
    for (std::uint32_t run = 0; run < kRuns; ++run) {
        const double begin = processor_ns();
        for (std::uint64_t turn = 0; turn < accesses; ++turn) {
            step(turn);
        }
        const double ns = (processor_ns() - begin) / static_cast<double>(accesses);
        best = run == 0 ? ns : std::min(best, ns);
    }
    return best;
}

template <typename Subject>
void measure(Subject& subject, std::uint32_t frames, std::uint64_t accesses) {
    const std::uint64_t footprint = 2ull * frames;
    Random random(frames);
    std::uint64_t lpn = 0;
    const auto random_run = [&](std::uint64_t turn) {
        lpn = turn % kRun == 0 ? random.below(footprint / kRun) * kRun : lpn + 1;
        subject.access(lpn, turn);
    };
    for (std::uint64_t turn = 0; turn < footprint; ++turn) {
        random_run(turn); // the state that lasts
    }
    const double mixed = fastest(accesses, random_run);
    // New pages all the time: each access makes one leave, or one in a block of them.
    std::uint64_t fresh = footprint;
    const double misses =
        fastest(accesses, [&](std::uint64_t turn) { subject.access(fresh++, turn); });
    // The same few pages again and again. Each is in a block of its own: FAB would evict larger
    // ones.
    const std::uint64_t hot = std::min<std::uint64_t>(kHotPages, frames) / 4;
    const auto hit = [&](std::uint64_t) { subject.access(fresh + random.below(hot) * kPages, 0); };
    for (std::uint64_t turn = 0; turn < 16 * hot; ++turn) {
        hit(turn);
    }
    const double hits = fastest(accesses, hit);
    std::printf("%u %.2f %.2f %.2f\n", frames, hits, misses, mixed);
    std::fflush(stdout);
}

} // namespace
} // namespace cavern

int main(int argc, char** argv) {
    using namespace cavern;
    if (argc < 4) {
        std::fprintf(stderr, "usage: cavern-policy-bench POLICY|map ACCESSES FRAMES...\n");
        return 2;
    }
    const std::string name = argv[1];
    const std::uint64_t accesses = std::strtoull(argv[2], nullptr, 10);
    const EvictionPolicyRow* row = find_eviction_policy(name);
    if (row == nullptr && name != "map") {
        std::fprintf(stderr, "error: no policy %s\n", name.c_str());
        return 2;
    }
    try {
        for (int i = 3; i < argc; ++i) {
            const auto frames = static_cast<std::uint32_t>(std::strtoul(argv[i], nullptr, 10));
            if (frames < 16 || accesses == 0) {
                std::fprintf(stderr, "error: a buffer of %u frames; at least 16\n", frames);
                return 2;
            }
            if (row != nullptr) {
                BufferUnderTest buffer(*row, frames);
                measure(buffer, frames, accesses);
            } else {
                MapUnderTest map(frames);
                measure(map, frames, accesses);
            }
        }
    } catch (const ModelError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
