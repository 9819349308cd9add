#include "core/buffer/eviction_trigger_table.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/buffer/cave_trigger.h"
#include "core/buffer/eviction_policy_table.h"
#include "core/buffer/idle_trigger.h"
#include "core/drive/precondition.h"
#include "tests/core/buffer/trigger_fixture.h"
#include "tests/core/drive/drive_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::CoreParts;
using testing::geometry_of;
using testing::lin_1;
using testing::make_core;
using testing::RecordingLog;
using testing::triggers_of;

// ---- lists --------------------------------------------------------------------------------------

TEST(RateListTest, ActsAsTheLargestOnAFullBufferAndAsAnyAheadOfIt) {
    const EvictionTriggerParams params = lin_1();
    const EvictionTriggerContext context{geometry_of(8, 4, 1, 8, 4)};
    const auto rates =
        make_eviction_trigger(triggers_of("linear-threshold+cave+idle"), context, params);
    EXPECT_EQ(rates->units_on_full(), 32u);
    EXPECT_TRUE(rates->works_ahead());
    EXPECT_EQ(rates->idle_after(), kMs);
    BufferLoad load;
    load.capacity = 20;
    load.resident = 12;
    EXPECT_FALSE(rates->wants_more(load));
    load.resident = 13;
    EXPECT_TRUE(rates->wants_more(load)); // linear-threshold
    load.resident = 12;
    load.idle_for = kMs;
    load.idle_dies = 1;
    EXPECT_TRUE(rates->wants_more(load)); // idle
    const auto alone = make_eviction_trigger(triggers_of("cave"), context, params);
    EXPECT_FALSE(alone->works_ahead());
    EXPECT_EQ(alone->idle_after(), kNever);
}

// ---- any rate with any policy -------------------------------------------------------------------

struct Pair {
    std::string policy;
    std::string rates;
};
void PrintTo(const Pair& pair, std::ostream* out) {
    *out << pair.policy << " and " << pair.rates;
}

class RateWithPolicyTest : public ::testing::TestWithParam<Pair> {};

// Whoever decides when, and whoever decides what: a page written is programmed once before it is
// gone from the buffer, and only such a page is.
TEST_P(RateWithPolicyTest, EveryDirtyPageReachesFlashOnce) {
    RecordingLog log;
    CoreParts parts;
    parts.geometry = geometry_of(2, 2, 1, 24, 4);
    parts.ftl.overprovision = 0.6;
    parts.frames = 20;
    parts.policy = GetParam().policy;
    parts.eviction = GetParam().rates;
    parts.cache_reads = find_eviction_policy(parts.policy)->needs_read_cache;
    parts.triggers = lin_1();
    parts.allocator = "block-round-robin";
    const auto core = make_core(parts);
    NandArray array(parts.geometry, false, true);
    const std::uint64_t pages = core->ftl().logical_pages();
    std::vector<bool> written(pages, false);
    std::vector<bool> dirty(pages, false);
    std::uint64_t ahead = 0;
    Random random(7);
    const auto apply = [&](const Batch& batch) {
        apply_untimed(batch.ops, array);
        for (const FlashOp& op : batch.ops) {
            if (op.kind == FlashOpKind::kProgram && op.origin == Origin::kHost) {
                ASSERT_TRUE(dirty[raw(op.lpn)]) << raw(op.lpn);
                dirty[raw(op.lpn)] = false;
            }
        }
    };
    for (int step = 0; step < 20'000; ++step) {
        const Lpn lpn{random.below(random.below(2) == 0 ? pages : pages / 8)};
        const std::uint64_t what = random.below(20);
        if (what < 14) {
            apply(core->write(lpn).batch);
            written[raw(lpn)] = dirty[raw(lpn)] = true;
            core->evict_ahead_untimed([&](const Batch& batch) {
                apply(batch);
                ++ahead;
            });
        } else if (what < 19) {
            const ReadDecision read = core->read(lpn);
            apply(read.batch);
            // Padding may have given a page of zeros a place.
            ASSERT_TRUE(read.hit || read.page != kNoPpn || !written[raw(lpn)]);
        } else {
            apply(core->trim(lpn).batch);
            written[raw(lpn)] = dirty[raw(lpn)] = false;
        }
        ASSERT_LE(core->buffer()->used(), 20u);
        // An idle host, now and then: one die is idle at a time.
        BufferLoad load;
        load.idle_for = step % 50 == 0 ? kMs : 0;
        load.idle_dies = 1;
        const Batch* batch = load.idle_for != 0 ? core->evict_ahead(load) : nullptr;
        if (batch != nullptr) {
            apply(*batch);
            ++ahead;
        }
    }
    ASSERT_GT(core->check_invariants(), 0u);
    const bool works_ahead = GetParam().rates.find("linear") != std::string::npos ||
                             GetParam().rates.find("idle") != std::string::npos;
    EXPECT_EQ(ahead > 100, works_ahead) << ahead;
    while (const Batch* batch = core->flush_step()) {
        apply(*batch);
    }
    // What is clean stays.
    EXPECT_EQ(core->buffer()->used() != 0, core->buffer()->counters().dropped_pages != 0);
    EXPECT_EQ(std::count(dirty.begin(), dirty.end(), true), 0);
    for (std::uint64_t page = 0; page < pages; ++page) {
        ASSERT_TRUE(!written[page] || core->ftl().location(Lpn{page}) != kNoPpn) << page;
    }
    testing::expect_array_follows(*core, array);
}

std::vector<Pair> all_pairs() {
    std::vector<Pair> pairs;
    for (const EvictionPolicyRow& policy : eviction_policy_table()) {
        for (const EvictionTriggerRow& rate : eviction_trigger_table()) {
            pairs.push_back({std::string(policy.name), std::string(rate.name)});
        }
        for (const char* rates :
             {"cave+linear-threshold", "linear-threshold+idle", "cave+linear-threshold+idle"}) {
            pairs.push_back({std::string(policy.name), rates});
        }
    }
    return pairs;
}

INSTANTIATE_TEST_SUITE_P(Of, RateWithPolicyTest, ::testing::ValuesIn(all_pairs()),
                         [](const auto& test) {
                             std::string name = test.param.policy + test.param.rates;
                             name.erase(std::remove_if(name.begin(), name.end(),
                                                       [](char c) { return !std::isalnum(c); }),
                                        name.end());
                             return name;
                         });

TEST(EvictionRateTableTest, AnInsertWaitsForTheBatchIfAnyTriggerSaysSo) {
    const auto waits = [](const std::string& words, bool block_all) {
        EvictionTriggerParams params(eviction_trigger_table());
        params[*find_eviction_trigger("cave")] = CaveParams{0, block_all};
        return make_eviction_trigger(triggers_of(words), {geometry_of(2, 2, 1, 8, 4)}, params)
            ->insert_waits_for_batch();
    };
    EXPECT_TRUE(waits("cave", true));
    EXPECT_TRUE(waits("idle+cave", true));
    EXPECT_FALSE(waits("cave", false));
    EXPECT_FALSE(waits("idle+cave", false));
    EXPECT_FALSE(waits("single", true));
    EXPECT_FALSE(waits("single+idle", true));
}

TEST(EvictionRateTableTest, ParametersOfAnotherSchemeAreRefused) {
    const EvictionTriggerContext context{geometry_of(2, 2, 1, 8, 4)};
    EXPECT_THROW((void)find_eviction_trigger("cave")->make(context, IdleParams{}), ModelError);
    EXPECT_THROW((void)find_eviction_trigger("single")->make(context, IdleParams{}), ModelError);
}

template <typename Rows>
void expect_rows_are_printable(const Rows& rows) {
    std::set<std::string> names;
    for (const auto& row : rows) {
        EXPECT_TRUE(names.insert(std::string(row.name)).second) << row.name;
        ASSERT_FALSE(row.description.empty());
        EXPECT_EQ(row.description.back(), '.') << row.name;
    }
}

TEST(EvictionRateTableTest, RowsHaveOneNameAndOneSentenceEach) {
    expect_rows_are_printable(eviction_trigger_table());
    expect_rows_are_printable(eviction_policy_table());
    EXPECT_EQ(find_eviction_trigger("caves"), nullptr);
    EXPECT_EQ(find_eviction_policy("lru"), nullptr);
}

TEST(OrderPolicyTableTest, RowsMakeThePolicyTheyName) {
    EvictionPolicyContext params;
    params.capacity = 4;
    params.geometry = geometry_of(1, 1, 1, 8, 4);
    EXPECT_FALSE(find_eviction_policy("lru-page")->make(params)->evicts_blocks());
    EXPECT_TRUE(find_eviction_policy("lru-block")->make(params)->evicts_blocks());
}

} // namespace
} // namespace cavern
