#include "core/buffer/eviction_trigger_table.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/buffer/cave_trigger.h"
#include "core/buffer/eviction_policy_table.h"
#include "core/buffer/idle_trigger.h"
#include "core/buffer/linear_threshold_trigger.h"
#include "core/buffer/lru_block.h"
#include "core/buffer/write_buffer.h"
#include "core/drive/precondition.h"
#include "tests/core/drive/drive_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::CoreParts;
using testing::geometry_of;
using testing::make_core;
using testing::RecordingLog;
using testing::triggers_of;

using Lines = std::vector<std::string>;

/// docs/algorithms.md, CAVE-1: block LRU, K = 8, Np = 4.
class CaveExampleTest : public ::testing::Test {
  protected:
    void run(std::uint32_t victims) {
        buffer = std::make_unique<WriteBuffer>(8, geometry_of(1, 1, 1, 16, 4),
                                               std::make_unique<LruBlock>(8, 4),
                                               std::make_unique<CaveTrigger>(victims), false, &log);
        for (const std::uint64_t lpn : {0, 1, 4, 8, 12, 16, 20, 24, 2, 5, 8}) {
            buffer->write(Lpn{lpn});
        }
    }
    RecordingLog log;
    std::unique_ptr<WriteBuffer> buffer;
};

TEST_F(CaveExampleTest, FourVictimsLeaveAtOnce) {
    run(4);
    EXPECT_EQ(log.lines,
              (Lines{"W0 miss", "W1 miss", "W4 miss", "W8 miss", "W12 miss", "W16 miss", "W20 miss",
                     "W24 miss", "W2 miss", "evict block 0 [0,1]", "evict block 1 [4]",
                     "evict block 2 [8]", "evict block 3 [12]", "W5 miss", "W8 miss"}));
    EXPECT_EQ(buffer->counters().write_hits, 0u);
    EXPECT_EQ(buffer->counters().evicted_pages, 5u);
    EXPECT_EQ(buffer->counters().victims, 4u);
    EXPECT_EQ(buffer->counters().eviction_events, 1u);
}

TEST_F(CaveExampleTest, OneVictimKeepsThePageThatIsWrittenAgain) {
    run(1);
    EXPECT_EQ(log.starting_with("evict"), (Lines{"evict block 0 [0,1]"}));
    EXPECT_EQ(log.lines.back(), "W8 hit");
    EXPECT_EQ(buffer->counters().write_hits, 1u);
    EXPECT_EQ(buffer->counters().evicted_pages, 2u);
}

TEST_F(CaveExampleTest, FewerUnitsThanVictimsEmptyTheBuffer) {
    run(32);
    EXPECT_EQ(log.starting_with("evict").size(), 7u);
    EXPECT_EQ(buffer->used(), 3u); // pages 2, 5 and 8, written after the eviction
}

// ---- linear threshold ---------------------------------------------------------------------------

// docs/algorithms.md, LIN-1: page LRU, K = 20, L = 12, H = 18, Nmax = 8.
EvictionTriggerParams lin_1() {
    EvictionTriggerParams params(eviction_trigger_table());
    params[*find_eviction_trigger("linear-threshold")] = LinearThresholdParams{0.6, 0.9, 8};
    return params;
}

TEST(LinearThresholdRateTest, VictimsUnderWayRiseWithTheFillLevel) {
    const LinearThresholdTrigger rate(0.6, 0.9, 8);
    std::vector<std::uint32_t> victims;
    for (std::uint32_t used = 12; used <= 18; ++used) {
        victims.push_back(rate.victims(used, 20));
    }
    EXPECT_EQ(victims, (std::vector<std::uint32_t>{0, 2, 3, 4, 6, 7, 8}));
    EXPECT_EQ(rate.victims(20, 20), 8u);
    EXPECT_EQ(rate.victims(0, 20), 0u);
}

TEST(LinearThresholdRateTest, PagesBeingProgrammedCountAsFullFrames) {
    LinearThresholdTrigger rate(0.6, 0.9, 8);
    BufferLoad load;
    load.capacity = 20;
    load.resident = 11;
    load.in_flight = 2; // 13 frames: two victims
    load.in_flight_units = 2;
    EXPECT_FALSE(rate.wants_more(load));
    load.in_flight_units = 1; // of two pages
    EXPECT_TRUE(rate.wants_more(load));
    load.in_flight = 1;
    EXPECT_FALSE(rate.wants_more(load)); // 12 frames: none
}

TEST(LinearThresholdRateTest, SharesThatMakeNoThresholdAreRefused) {
    EXPECT_THROW(LinearThresholdTrigger(0.5, 0.5, 1), ModelError);
    EXPECT_THROW(LinearThresholdTrigger(-0.1, 0.5, 1), ModelError);
    EXPECT_THROW(LinearThresholdTrigger(0.1, 0.5, 0), ModelError);
}

CoreParts lin_1_core(RecordingLog& log) {
    CoreParts parts;
    parts.geometry = geometry_of(2, 2, 1, 16, 4);
    parts.ftl.overprovision = 0.5;
    parts.frames = 20;
    parts.eviction = "linear-threshold";
    parts.triggers = lin_1();
    parts.log = &log;
    return parts;
}

TEST(LinearThresholdRateTest, WorkedExampleWithoutTime) {
    RecordingLog log;
    const auto core = make_core(lin_1_core(log));
    std::vector<std::uint32_t> used;
    for (std::uint64_t page = 0; page < 24; ++page) {
        EXPECT_FALSE(core->write(Lpn{page}).batch.evicts());
        core->evict_ahead_untimed([](const Batch&) {});
        used.push_back(core->buffer()->used());
    }
    const std::vector<std::uint32_t> tail(used.begin() + 12, used.end());
    EXPECT_EQ(tail, (std::vector<std::uint32_t>{11, 12, 11, 12, 11, 12, 11, 12, 11, 12, 11, 12}));
    Lines expected;
    for (std::uint64_t page = 0; page < 24; ++page) {
        expected.push_back("W" + std::to_string(page) + " miss");
        if (page >= 12 && page % 2 == 0) { // the 13th, 15th, .. insert
            for (const std::uint64_t victim : {page - 12, page - 11}) {
                expected.push_back("evict [" + std::to_string(victim) + "]");
            }
        }
    }
    Lines seen;
    for (const std::string& line : log.lines) {
        if (line[0] == 'W' || line[0] == 'e') {
            seen.push_back(line);
        }
    }
    EXPECT_EQ(seen, expected);
}

TEST(LinearThresholdRateTest, AHitEvictsNothingWithoutTime) {
    RecordingLog log;
    CoreParts parts = lin_1_core(log);
    parts.triggers[*find_eviction_trigger("linear-threshold")] =
        LinearThresholdParams{0.6, 0.9, 1}; // the level stays above the threshold
    const auto core = make_core(parts);
    for (std::uint64_t page = 0; page < 16; ++page) {
        core->write(Lpn{page});
    }
    core->evict_ahead_untimed([](const Batch&) {});
    EXPECT_EQ(core->buffer()->used(), 15u);
    core->write(Lpn{8});
    core->evict_ahead_untimed([](const Batch&) {});
    EXPECT_EQ(core->buffer()->used(), 15u);
    core->write(Lpn{30});
    core->evict_ahead_untimed([](const Batch&) {});
    EXPECT_EQ(core->buffer()->used(), 15u);
}

// ---- idle ---------------------------------------------------------------------------------------

// docs/algorithms.md, IDLE-1: page LRU, pages 1..7 resident, idle_low = 4, two dies.
class IdleExampleTest : public ::testing::Test {
  protected:
    IdleExampleTest() {
        CoreParts parts;
        parts.geometry = geometry_of(2, 1, 1, 16, 4);
        parts.ftl.overprovision = 0.5;
        parts.frames = 8;
        parts.eviction = "idle";
        parts.allocator = "least-loaded";
        parts.log = &log_;
        parts.triggers[*find_eviction_trigger("idle")] = IdleParams{kMs, 0.5};
        core_ = make_core(parts);
        for (std::uint64_t page = 1; page <= 7; ++page) {
            core_->write(Lpn{page});
        }
    }
    /// What the timed shell does when it asks after a silence; the pages that leave.
    std::vector<std::uint64_t> evict(TimePs silence) {
        std::vector<std::uint64_t> pages;
        BufferLoad load;
        for (;;) {
            load.in_flight = load.in_flight_units = static_cast<std::uint32_t>(programs_.size());
            load.idle_dies = core_->load()->idle_dies();
            load.idle_for = silence;
            const Batch* batch = core_->evict_ahead(load);
            if (batch == nullptr) {
                return pages;
            }
            for (const FlashOp& op : batch->ops) {
                const DieId die{static_cast<std::uint32_t>(raw(op.page) / (16 * 4))};
                core_->load()->submitted(die, true);
                programs_.push_back(die);
                pages.push_back(raw(op.lpn));
            }
        }
    }
    void complete_oldest() {
        core_->load()->completed(programs_.front());
        programs_.erase(programs_.begin());
    }
    using Pages = std::vector<std::uint64_t>;
    RecordingLog log_;
    std::unique_ptr<DriveCore> core_;
    std::vector<DieId> programs_;
};

TEST_F(IdleExampleTest, EveryIdleDieGetsAVictimDownToTheShare) {
    EXPECT_EQ(evict(kMs), (Pages{1, 2}));
    EXPECT_EQ(evict(2 * kMs), Pages{}); // both dies are busy
    complete_oldest();
    EXPECT_EQ(evict(2 * kMs), (Pages{3}));
    complete_oldest();
    complete_oldest();
    EXPECT_EQ(evict(3 * kMs), Pages{}); // half of the buffer is left
    EXPECT_EQ(core_->buffer()->used(), 4u);
}

TEST_F(IdleExampleTest, ASilenceTooShortOrACommandEvictsNothing) {
    EXPECT_EQ(evict(kMs - 1), Pages{});
    EXPECT_EQ(evict(0), Pages{});
    EXPECT_EQ(evict(kMs), (Pages{1, 2}));
    complete_oldest();
    EXPECT_EQ(evict(0), Pages{}); // a command has come
    EXPECT_EQ(evict(kMs), (Pages{3}));
}

TEST(IdleRateTest, NoMoreVictimsAreUnderWayThanDies) {
    IdleTrigger rate(kMs, 0.5, 2);
    BufferLoad load;
    load.capacity = 8;
    load.resident = 7;
    load.idle_dies = 1; // though all victims went to the other die
    load.idle_for = kMs;
    load.in_flight_units = 1;
    EXPECT_TRUE(rate.wants_more(load));
    load.in_flight_units = 2;
    EXPECT_FALSE(rate.wants_more(load));
    EXPECT_EQ(rate.idle_after(), kMs);
    EXPECT_TRUE(rate.works_ahead());
}

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

TEST(EvictionRateTableTest, CaveTakesAsManyVictimsAsDiesUnlessTold) {
    EvictionTriggerContext context{geometry_of(8, 4, 2, 8, 4)};
    context.geometry.dies_per_way = 2;
    EXPECT_EQ(find_eviction_trigger("cave")->make(context)->units_on_full(), 64u);
    EXPECT_EQ(find_eviction_trigger("cave")->make(context, CaveParams{5})->units_on_full(), 5u);
    EXPECT_EQ(find_eviction_trigger("single")->make(context)->units_on_full(), 1u);
}

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

TEST(EvictionRateTableTest, NoVictimAtAllIsRefused) {
    EXPECT_THROW(CaveTrigger{0}, ModelError);
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
