#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/buffer/write_buffer.h"
#include "tests/core/buffer/naive_buffer.h"
#include "tests/core/buffer/naive_policy.h"

namespace cavern::testing {

struct DrillOptions {
    std::uint32_t capacity = 37;
    std::uint32_t pages_per_block = 4;
    int steps = 250'000;
    bool cache_reads = false;   ///< pages read are inserted too
    bool read_touch = true;     ///< read hits reach the policy
    bool flush_keep = false;    ///< what a FLUSH writes stays
    bool pins = false;          ///< some units are pinned now and then
    std::uint32_t batch = 1;    ///< victims of a full buffer: 1 .. batch, as chance has it
    bool whole_batches = false; ///< always batch
    bool logged = true;         ///< with a decision log, whose units are compared as well
    std::uint64_t seed = 1;
    std::function<void(Random&)> world; ///< changes what else the policy looks at; once a step
};

/// A trigger that is told how many units leave together.
class SteeredTrigger final : public EvictionTriggerIf {
  public:
    [[nodiscard]] std::uint32_t units_on_full() const override { return units; }
    [[nodiscard]] bool wants_more(const BufferLoad&) override { return false; }
    std::uint32_t units = 1;
};

/// A write buffer with random writes, reads, TRIMs, FLUSHes, pins and evictions, beside the oracle
/// (NaiveBuffer).
class PolicyDrill {
  public:
    /// `naive` says who must leave; null: any victim will do that every policy may choose. A null
    /// `trigger` is one that the drill steers; another must evict `batch` units.
    PolicyDrill(std::unique_ptr<EvictionPolicyIf> policy, NaivePolicy* naive, DrillOptions options,
                std::unique_ptr<EvictionTriggerIf> trigger = nullptr);
    PolicyDrill(const PolicyDrill&) = delete;
    PolicyDrill& operator=(const PolicyDrill&) = delete;

    /// Where the two differ first; empty if nowhere. Once for each drill.
    std::string first_difference();

    /// Victims so far, and those of them that were taken though pinned.
    [[nodiscard]] std::uint64_t victims() const { return oracle_.victims(); }
    [[nodiscard]] int pinned_victims() const { return oracle_.pinned_victims(); }
    [[nodiscard]] const BufferCounters& counters() const { return buffer_.counters(); }

  private:
    [[nodiscard]] std::uint64_t footprint() const { return options_.capacity * 3ull; }
    void advance();
    void choose_batch();

    DrillOptions options_;
    UnitLog log_;
    SteeredTrigger* steered_ = nullptr; ///< null: another trigger
    bool pads_blocks_;
    WriteBuffer buffer_;
    NaiveBuffer oracle_;
    Random random_;
    std::uint64_t lpn_ = 0;
};

/// The drills that make up a million steps of a policy: a buffer of one page, of few, of more, with
/// batches, with pins, with large blocks.
std::vector<DrillOptions> drills_of_a_million_steps(bool cache_reads);

/// Empty when a drill went through and had enough to do, else what was wrong.
std::string finding_of(PolicyDrill& drill, const DrillOptions& options);

/// `make` and `make_naive` take the options.
template <typename Make, typename MakeNaive>
std::string first_difference_in_a_million_steps(bool cache_reads, Make make, MakeNaive make_naive) {
    for (DrillOptions& options : drills_of_a_million_steps(cache_reads)) {
        auto policy = make(options);
        auto naive = make_naive(options);
        PolicyDrill drill(std::move(policy), naive.get(), options);
        const std::string finding = finding_of(drill, options);
        if (!finding.empty()) {
            return "drill " + std::to_string(options.seed) + ": " + finding;
        }
    }
    return {};
}

} // namespace cavern::testing
