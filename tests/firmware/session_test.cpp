#include "firmware/lookup/session.h"

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

// Files of 40 pages, 64 frames, 60 turns.
session_settings small_session() {
    session_settings settings = session_defaults();
    settings.frames = 64;
    settings.groups = 4;
    settings.blocks = 300;
    settings.pages_per_block = 4;
    settings.low_watermark = 4;
    settings.high_watermark = 8;
    settings.file_pages = 40;
    settings.warm_up_turns = 0;
    settings.turns = 60;
    return settings;
}

session_result played(const session_settings& settings, std::string* broken = nullptr) {
    EXPECT_EQ(session_refuses(&settings), nullptr);
    std::vector<std::uint64_t> memory(session_bytes(&settings) / 8 + 1);
    auto session = std::make_unique<struct session>();
    EXPECT_TRUE(session_start(session.get(), &settings, memory.data(), 8 * memory.size()));
    session_result result{};
    session_play(session.get(), nullptr, &result);
    const char* const what = ftl_cache_check(&session->cache);
    if (broken != nullptr) {
        *broken = what == nullptr ? "" : what;
    } else {
        EXPECT_EQ(what, nullptr);
    }
    return result;
}

std::vector<record> records(const workload_settings& settings, int count) {
    workload workload{};
    EXPECT_EQ(workload_refuses(&settings), nullptr);
    workload_start(&workload, &settings);
    std::vector<record> found(static_cast<std::size_t>(count));
    for (record& each : found) {
        workload_next(&workload, &each);
    }
    return found;
}

constexpr workload_settings kPaper{4, 25600, 8192, 4096, 12288, 1};

TEST(WorkloadTest, TwentyThreadsOfFiveKindsTakeTurns) {
    const std::vector<record> found = records(kPaper, 60);
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].thread, i % 20);
        EXPECT_EQ(found[i].kind, i % 20 / 4);
    }
}

TEST(WorkloadTest, SequentialThreadsGoOnWhereTheyWereAndRandomOnesDoNot) {
    std::map<std::uint32_t, std::uint32_t> end;
    int on = 0, elsewhere = 0;
    for (const record& each : records(kPaper, 20 * 1000)) {
        const bool goes_on = each.offset == end[each.thread];
        (each.kind <= kSequentialRead ? on : elsewhere) += goes_on ? 1 : 0;
        end[each.thread] = each.offset + each.bytes;
    }
    EXPECT_EQ(on, 8 * 1000);
    EXPECT_LE(elsewhere, 12); // no more than by chance
}

TEST(WorkloadTest, SequentialThreadsBeginAnewAtTheEndOfTheirFile) {
    workload_settings settings = kPaper;
    settings.file_pages = 3;
    int wraps = 0;
    for (const record& each : records(settings, 20 * 100)) {
        EXPECT_LE(each.offset + each.bytes, 3 * 8192);
        wraps += each.thread == 0 && each.offset == 0 ? 1 : 0;
    }
    EXPECT_GT(wraps, 30);
}

TEST(WorkloadTest, LengthsAndOffsetsAreEvenlySpread) {
    double bytes = 0, offset = 0;
    std::uint32_t least = ~0U, most = 0;
    int random = 0;
    const std::vector<record> found = records(kPaper, 20 * 5000);
    for (const record& each : found) {
        bytes += each.bytes;
        least = std::min(least, each.bytes);
        most = std::max(most, each.bytes);
        if (each.kind >= kRandomRead) {
            offset += each.offset;
            ++random;
        }
    }
    EXPECT_NEAR(bytes / static_cast<double>(found.size()), 8192, 30);
    EXPECT_NEAR(offset / random, 25600.0 * 8192 / 2, 25600.0 * 8192 / 100);
    EXPECT_GE(least, 4096);
    EXPECT_LT(least, 4100);
    EXPECT_LE(most, 12288);
    EXPECT_GT(most, 12284);
}

TEST(WorkloadTest, DependsOnItsSeedAlone) {
    const auto same = [](std::uint32_t a, std::uint32_t b) {
        workload_settings one = kPaper, other = kPaper;
        one.seed = a;
        other.seed = b;
        const std::vector<record> x = records(one, 100), y = records(other, 100);
        return std::memcmp(x.data(), y.data(), sizeof(record) * x.size()) == 0;
    };
    EXPECT_TRUE(same(1, 1));
    EXPECT_FALSE(same(1, 2));
}

// One record of thread 0, whose file was not there, or of thread 4, whose file was.
ftl_cache_counts after(const record& each, bool read_modify_write) {
    session_settings settings = small_session();
    settings.read_modify_write = read_modify_write ? 1 : 0;
    settings.prewrite_all = 1;
    std::vector<std::uint64_t> memory(session_bytes(&settings) / 8 + 1);
    auto session = std::make_unique<struct session>();
    EXPECT_TRUE(session_start(session.get(), &settings, memory.data(), 8 * memory.size()));
    session_play_record(session.get(), &each);
    return session->cache.counts;
}

TEST(SessionTest, WhatAWriteCoversInPartIsReadBefore) {
    // Bytes 4096 to 20479: half of page 0, all of page 1, half of page 2.
    const record written{0, kSequentialWrite, 4096, 16384};
    EXPECT_EQ(after(written, true).reads, 2);
    EXPECT_EQ(after(written, true).writes, 3);
    EXPECT_EQ(after(written, true).write_hits, 2);
    EXPECT_EQ(after(written, false).reads, 0);
    EXPECT_EQ(after(written, false).writes, 3);
    const record whole{0, kSequentialWrite, 8192, 8192};
    EXPECT_EQ(after(whole, true).reads, 0);
    EXPECT_EQ(after(whole, true).writes, 1);
    const record within{0, kSequentialWrite, 8292, 100};
    EXPECT_EQ(after(within, true).reads, 1);
    EXPECT_EQ(after(within, true).writes, 1);
}

TEST(SessionTest, EachKindReadsAndWritesWhatItsNameSays) {
    const auto of = [](thread_kind kind) { return after({4, kind, 0, 16384}, true); };
    EXPECT_EQ(of(kSequentialRead).reads, 2);
    EXPECT_EQ(of(kSequentialRead).writes, 0);
    EXPECT_EQ(of(kRandomRead).reads, 2);
    EXPECT_EQ(of(kRandomWrite).writes, 2);
    EXPECT_EQ(of(kRandomWrite).reads, 0);
    EXPECT_EQ(of(kRandomOverwrite).reads, 2);
    EXPECT_EQ(of(kRandomOverwrite).write_hits, 2);
}

TEST(SessionTest, FilesThatAreReadAreThereAtTheStart) {
    session_settings settings = small_session();
    settings.turns = 0;
    std::vector<std::uint64_t> memory(session_bytes(&settings) / 8 + 1);
    auto session = std::make_unique<struct session>();
    ASSERT_TRUE(session_start(session.get(), &settings, memory.data(), 8 * memory.size()));
    for (std::uint32_t thread = 0; thread < 20; ++thread) {
        const bool there = ftl_cache_page(&session->cache, thread * 40 + 39) < kMapMostPages;
        const std::uint32_t kind = thread / 4;
        EXPECT_EQ(there, kind == 1 || kind == 2 || kind == 4);
    }
    EXPECT_EQ(session_bytes(&settings) > 0, true);
    EXPECT_FALSE(session_start(session.get(), &settings, memory.data(), 1000));
}

TEST(SessionTest, WhatIsCachedDoesNotDependOnTheLookUp) {
    for (const std::uint32_t warm_up : {0U, 20U}) {
        session_settings settings = small_session();
        settings.groups = 1;
        settings.warm_up_turns = warm_up;
        const session_result first = played(settings);
        EXPECT_GT(first.counts.read_hits, 100);
        EXPECT_EQ(first.records, 60 * 20);
        for (std::uint32_t row = 0; row < kLookUpCount; ++row) {
            settings.look_up = row;
            const session_result result = played(settings);
            EXPECT_EQ(std::memcmp(&result.counts, &first.counts, sizeof first.counts), 0) << row;
            EXPECT_EQ(result.cost.look_ups, first.cost.look_ups);
        }
        settings.seed = 2; // the control: another workload is another count
        const session_result other = played(settings);
        EXPECT_NE(std::memcmp(&other.counts, &first.counts, sizeof first.counts), 0);
    }
}

TEST(SessionTest, AWarmUpIsTheStartOfTheSameWorkload) {
    for (std::uint32_t row = 0; row < kLookUpCount; ++row) {
        session_settings settings = small_session();
        settings.look_up = row;
        settings.turns = 20;
        const session_result first = played(settings);
        settings.turns = 60;
        const session_result all = played(settings);
        settings.warm_up_turns = 20;
        settings.turns = 40;
        const session_result rest = played(settings);
        EXPECT_EQ(first.counts.read_hits + rest.counts.read_hits, all.counts.read_hits);
        // The tree's shape depends on how its keys came.
        if (kLookUps[row] != &kLookUpBt) {
            EXPECT_EQ(first.cost.compares + rest.cost.compares, all.cost.compares);
        }
    }
}

TEST(SessionTest, BothStructuresHaveTheLayoutOfTheProcessor) {
    EXPECT_EQ(sizeof(session_settings), 20 * 4);
    EXPECT_EQ(sizeof(session_result), (11 + 4 + 3) * 8 + 8);
}

} // namespace
