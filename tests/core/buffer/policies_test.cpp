#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/buffer/cave_trigger.h"
#include "core/buffer/eviction_policy_table.h"
#include "core/buffer/lru_block.h"
#include "core/buffer/lru_page.h"
#include "core/buffer/write_buffer.h"
#include "tests/core/buffer/policy_drill.h"
#include "tests/support/core_fixtures.h"

// What must hold whatever the order: every row of the table is put to it.

namespace {

std::uint64_t allocations = 0;

} // namespace

// Not inlined: GCC would see malloc and delete, or new and free, and warn of a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
    ++allocations;
    if (void* memory = std::malloc(bytes != 0 ? bytes : 1)) {
        return memory;
    }
    throw std::bad_alloc();
}
// The sanitizer's own would not go with the delete below; std::stable_sort asks for it.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    ++allocations;
    return std::malloc(bytes == 0 ? 1 : bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace cavern {

/// In messages of failures.
void PrintTo(const EvictionPolicyRow& row, std::ostream* out) {
    *out << row.name;
}

namespace {

using testing::DrillOptions;
using testing::PolicyDrill;

constexpr std::uint32_t kPagesPerBlock = 4;

std::unique_ptr<EvictionPolicyIf> make(const EvictionPolicyRow& row, std::uint32_t capacity) {
    EvictionPolicyContext params;
    params.capacity = capacity;
    params.geometry = testing::geometry_of(1, 1, 1, 64, kPagesPerBlock);
    return row.make(params);
}

DrillOptions options_of(std::uint32_t capacity, std::uint32_t victims) {
    DrillOptions options;
    options.capacity = capacity;
    options.pages_per_block = kPagesPerBlock;
    options.steps = testing::unless_sanitized(100'000, 4);
    options.read_touch = false;
    options.batch = victims;
    options.logged = false;
    options.seed = capacity * 31 + victims;
    return options;
}

/// Without a naive twin: what must hold whatever the order.
PolicyDrill drill_of(std::unique_ptr<EvictionPolicyIf> policy, const DrillOptions& options) {
    return PolicyDrill(std::move(policy), nullptr, options,
                       std::make_unique<CaveTrigger>(options.batch));
}

class EveryPolicyTest : public ::testing::TestWithParam<EvictionPolicyRow> {};

TEST_P(EveryPolicyTest, KeepsAndGivesEveryPage) {
    for (const std::uint32_t capacity : {1u, 3u, 40u}) {
        for (const std::uint32_t victims : {1u, 4u}) {
            for (const bool cache_reads : {false, true}) {
                DrillOptions options = options_of(capacity, victims);
                options.cache_reads = cache_reads;
                PolicyDrill drill = drill_of(make(GetParam(), capacity), options);
                EXPECT_EQ(drill.first_difference(), "") << capacity << " " << victims;
                EXPECT_GT(drill.counters().evicted_pages, 0u);
                EXPECT_EQ(drill.counters().dropped_pages > 0, cache_reads);
            }
        }
    }
}

TEST_P(EveryPolicyTest, WritesAllThatIsDirtyAndNothingElseInAFlush) {
    for (const std::uint32_t capacity : {1u, 3u, 40u}) {
        for (const bool cache_reads : {false, true}) {
            DrillOptions options = options_of(capacity, 4);
            options.cache_reads = cache_reads;
            options.flush_keep = true;
            options.pins = capacity == 40;
            PolicyDrill drill = drill_of(make(GetParam(), capacity), options);
            EXPECT_EQ(drill.first_difference(), "") << capacity << " " << cache_reads;
            EXPECT_GT(drill.counters().cleaned_pages, testing::unless_sanitized(100u, 4u));
            EXPECT_GT(drill.counters().dropped_pages, 0u);
        }
    }
}

TEST_P(EveryPolicyTest, GivesAPinnedUnitOnlyWhenAllArePinned) {
    for (const std::uint32_t capacity : {4u, 40u}) {
        for (const std::uint32_t victims : {1u, 4u}) {
            DrillOptions options = options_of(capacity, victims);
            options.pins = true;
            options.cache_reads = GetParam().needs_read_cache;
            PolicyDrill drill = drill_of(make(GetParam(), capacity), options);
            EXPECT_EQ(drill.first_difference(), "") << capacity << " " << victims;
            if (capacity == 4) {
                EXPECT_GT(drill.pinned_victims(), 0);
            }
        }
    }
}

/// Allocations while a buffer of the policy, made before, is used.
std::uint64_t allocations_of(std::unique_ptr<EvictionPolicyIf> policy, bool cache_reads,
                             bool flush_keep = false) {
    constexpr std::uint32_t kCapacity = 40;
    WriteBuffer buffer(kCapacity, testing::geometry_of(1, 1, 1, 64, kPagesPerBlock),
                       std::move(policy), std::make_unique<CaveTrigger>(4), false, nullptr,
                       cache_reads, ~std::uint64_t{0}, flush_keep);
    Random random(7);
    const std::uint64_t before = allocations;
    for (int step = 0; step < 20'000; ++step) {
        const Lpn lpn{random.below(kCapacity * 3)};
        switch (random.below(20)) {
        case 0:
            buffer.trim(lpn);
            break;
        case 1:
            while (buffer.flush_batch()) {
            }
            break;
        case 2:
        case 3:
        case 4:
            buffer.read(lpn);
            break;
        default:
            buffer.write(lpn);
        }
    }
    return allocations - before;
}

TEST_P(EveryPolicyTest, AllocatesNothingAfterItsConstruction) {
    const bool reads = GetParam().needs_read_cache;
    allocations_of(make(GetParam(), 40), reads); // what is made once in the life of a program
    EXPECT_EQ(allocations_of(make(GetParam(), 40), reads), 0u);
    EXPECT_EQ(allocations_of(make(GetParam(), 40), reads, true), 0u);
}

std::string name_of(const ::testing::TestParamInfo<EvictionPolicyRow>& info) {
    std::string name(info.param.name);
    name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
    name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
    return name;
}

INSTANTIATE_TEST_SUITE_P(Table, EveryPolicyTest, ::testing::ValuesIn(eviction_policy_table()),
                         name_of);

/// A policy with a fault in the victims it gives.
class Faulty final : public EvictionPolicyIf {
  public:
    using Fault = std::function<bool(std::vector<FrameId>& frames)>;

    Faulty(std::unique_ptr<EvictionPolicyIf> policy, Fault fault, bool ignores_pins = false)
        : policy_(std::move(policy)), fault_(std::move(fault)), ignores_pins_(ignores_pins) {}

    [[nodiscard]] bool evicts_blocks() const override { return policy_->evicts_blocks(); }
    void on_insert(FrameId frame, Lpn lpn, Access access) override {
        policy_->on_insert(frame, lpn, access);
    }
    void on_hit(FrameId frame, Lpn lpn, Access access) override {
        policy_->on_hit(frame, lpn, access);
    }
    void remove(FrameId frame, Lpn lpn) override { policy_->remove(frame, lpn); }
    /// With the same fault, as if the frames were a unit.
    void drain_order(std::vector<FrameId>& frames) const override {
        policy_->drain_order(frames);
        if (faulty_flush_) {
            fault_(frames);
        }
    }
    void on_clean(FrameId frame) override { policy_->on_clean(frame); }
    void break_flushes() { faulty_flush_ = true; }
    bool pop_victim(std::vector<FrameId>& frames, const Pins& pins) override {
        if (!policy_->pop_victim(frames, ignores_pins_ ? Pins() : pins)) {
            return false;
        }
        return fault_(frames);
    }

  private:
    std::unique_ptr<EvictionPolicyIf> policy_;
    Fault fault_;
    bool ignores_pins_;
    bool faulty_flush_ = false;
};

TEST(EveryPolicyCheckTest, NoticesAnAllocation) {
    auto hoard = std::make_shared<std::vector<FrameId>>();
    const auto keep = [hoard](std::vector<FrameId>& frames) {
        hoard->insert(hoard->end(), frames.begin(), frames.end());
        return true;
    };
    EXPECT_GT(allocations_of(std::make_unique<Faulty>(std::make_unique<LruPage>(40), keep), false),
              0u);
}

/// What a drill finds, without the step; empty for nothing.
std::string violation_of(std::unique_ptr<EvictionPolicyIf> policy, Faulty::Fault fault,
                         bool ignores_pins = false) {
    DrillOptions options = options_of(40, 1);
    options.pins = true;
    PolicyDrill drill = drill_of(
        std::make_unique<Faulty>(std::move(policy), std::move(fault), ignores_pins), options);
    const std::string text = drill.first_difference();
    return text.substr(0, text.rfind(" at step "));
}

TEST(EveryPolicyCheckTest, NoticesEachKindOfFault) {
    const auto pages = [] { return std::make_unique<LruPage>(40); };
    const auto blocks = [] { return std::make_unique<LruBlock>(40, kPagesPerBlock); };
    const auto none = [](std::vector<FrameId>&) { return true; };
    EXPECT_EQ(violation_of(pages(), none), "");
    EXPECT_EQ(violation_of(blocks(), none), "");
    EXPECT_EQ(violation_of(pages(), none, true), "a pinned unit leaves while others are there");

    int victims = 0;
    const auto now_and_then = [&victims] { return ++victims % 100 == 0; };
    // Half a block, whose other half the policy forgets.
    EXPECT_EQ(violation_of(blocks(),
                           [&](std::vector<FrameId>& frames) {
                               if (frames.size() > 1 && now_and_then()) {
                                   frames.pop_back();
                               }
                               return true;
                           }),
              "part of a unit stays");
    // A victim that is found and not given.
    EXPECT_NE(violation_of(pages(),
                           [&](std::vector<FrameId>& frames) {
                               if (now_and_then()) {
                                   frames.clear();
                                   return false;
                               }
                               return true;
                           }),
              "");
    // One that left already.
    FrameId last = kNoFrame;
    EXPECT_NE(violation_of(pages(),
                           [&](std::vector<FrameId>& frames) {
                               if (last != kNoFrame && now_and_then()) {
                                   frames.push_back(last);
                               }
                               last = frames.front();
                               return true;
                           }),
              "");
}

TEST(EveryPolicyCheckTest, NoticesAPageThatAFlushForgets) {
    DrillOptions options = options_of(40, 1);
    options.flush_keep = true;
    const auto finding = [&](bool forgets) {
        auto policy = std::make_unique<Faulty>(std::make_unique<LruPage>(40),
                                               [forgets](std::vector<FrameId>& frames) {
                                                   if (forgets && frames.size() > 20) {
                                                       frames.pop_back();
                                                   }
                                                   return true;
                                               });
        policy->break_flushes();
        return drill_of(std::move(policy), options).first_difference();
    };
    EXPECT_EQ(finding(false), "");
    EXPECT_NE(finding(true).find("the order policy knows every dirty page"), std::string::npos);
}

} // namespace
} // namespace cavern
