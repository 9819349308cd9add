// Every timing parameter of the SDRAM: the command it holds back comes at exactly the first legal
// clock, and one clock earlier breaks that rule and no other. Then random traffic against the same
// independent checker, with each parameter broken in turn as the negative control.

#include <gtest/gtest.h>

#include "bench/dram_reference_streams.h"
#include "core/base/random.h"
#include "tests/timed/dram/sdram_command_checker.h"
#include "tests/timed/dram/sdram_parts.h"

namespace cavern {
namespace {

constexpr auto kAct = SdramCommand::kActivate;
constexpr auto kPre = SdramCommand::kPrecharge;
constexpr auto kRd = SdramCommand::kRead;
constexpr auto kWr = SdramCommand::kWrite;

struct Arrival {
    DramClock at;
    std::uint32_t bank;
    std::uint64_t row;
    bool is_write;
    std::uint32_t bursts = 1;
};

std::uint64_t address_of(const SdramTiming& timing, std::uint32_t bank, std::uint64_t row) {
    const std::uint32_t lanes = timing.lanes();
    const std::uint64_t stretch = row * (timing.banks * timing.ranks / lanes) + bank / lanes;
    return stretch * lanes * timing.row_bytes + bank % lanes * timing.burst_bytes();
}

SdramRecorder run(const SdramTiming& timing, const std::vector<Arrival>& arrivals) {
    SdramRecorder recorder(timing);
    FrFcfsScheduler scheduler(timing);
    scheduler.set_observer(&recorder);
    for (const Arrival& a : arrivals) {
        scheduler.push(0, address_of(timing, a.bank, a.row), a.bursts * timing.burst_bytes(),
                       a.is_write, a.at);
    }
    while (scheduler.outstanding() != 0) {
        const DramClock now = scheduler.next_wake();
        scheduler.advance(now);
        while (scheduler.has_completion(now)) {
            (void)scheduler.pop_completion();
        }
    }
    return recorder;
}

struct Case {
    const char* rule;
    std::vector<Arrival> arrivals;
    SdramCommand command; ///< the one held back:
    std::uint32_t bank;
    std::size_t which; ///< of its kind and bank, from 0
    DramClock at;
    SdramTiming timing = {};
};

std::vector<Case> cases() {
    SdramTiming long_row_cycle;
    long_row_cycle.t_rc = 50;
    const DramClock due = SdramTiming{}.t_refi;
    return {
        {"tRCD", {{0, 0, 0, false}}, kRd, 0, 0, 11},
        {"tRCD", {{0, 0, 0, true}}, kWr, 0, 0, 11},
        {"tRAS", {{0, 0, 0, false}, {0, 0, 1, false}}, kPre, 0, 0, 28},
        {"tRTP", {{0, 0, 0, false, 16}, {0, 0, 1, false}}, kPre, 0, 0, 11 + 15 * 4 + 6},
        {"tWR", {{0, 0, 0, true, 3}, {0, 0, 1, false}}, kPre, 0, 0, 11 + 2 * 4 + 8 + 4 + 12},
        {"tRP", {{0, 0, 0, false, 16}, {0, 0, 1, false}}, kAct, 0, 1, 77 + 11},
        {"tRC", {{0, 0, 0, false}, {0, 0, 1, false}}, kAct, 0, 1, 50, long_row_cycle},
        {"tRRD", {{0, 0, 0, false}, {0, 1, 0, false}}, kAct, 1, 0, 5},
        {"tFAW",
         {{0, 0, 0, false}, {0, 1, 0, false}, {0, 2, 0, false}, {0, 3, 0, false}, {0, 4, 0, false}},
         kAct,
         4,
         0,
         24},
        {"tCCD", {{0, 0, 0, false}, {0, 0, 0, false}}, kRd, 0, 1, 15},
        {"tCCD", {{0, 0, 0, true}, {0, 0, 0, true}}, kWr, 0, 1, 15},
        {"tWTR", {{0, 0, 0, true}, {0, 0, 0, false}}, kRd, 0, 0, 11 + 8 + 4 + 6},
        {"RD to WR", {{0, 0, 0, false}, {0, 0, 0, true}}, kWr, 0, 0, 11 + 11 + 4 + 2 - 8},
        {"tRFC", {{due, 0, 0, false}}, kAct, 0, 0, due + 208},
        {"tRP", {{0, 0, 0, false}, {due, 0, 0, false}}, SdramCommand::kRefresh, 0, 0, due + 11},
        {"tRAS",
         {{due - 20, 0, 0, false}, {due, 0, 0, false}},
         SdramCommand::kPrechargeAll,
         0,
         0,
         due - 20 + 28},
        {"early refresh", {{due + 1, 0, 0, false}}, SdramCommand::kRefresh, 0, 0, due},
    };
}

/// Bank b of DDR4 is in group b mod 4. Rows are opened first, where the rows are not the matter.
std::vector<Case> group_cases() {
    const SdramTiming ddr4 = ddr4_3200();
    const SdramTiming lpddr4 = lpddr4_3200();
    const DramClock due = lpddr4.t_refi;
    return {
        {"tRRD_S", {{0, 0, 0, false}, {0, 1, 0, false}}, kAct, 1, 0, 4, ddr4},
        {"tRRD_L", {{0, 0, 0, false}, {0, 4, 0, false}}, kAct, 4, 0, 8, ddr4},
        {"tFAW",
         {{0, 0, 0, false},
          {0, 1, 0, false},
          {0, 2, 0, false},
          {14, 3, 0, false},
          {14, 4, 0, false}},
         kAct,
         4,
         0,
         34,
         ddr4},
        {"tCCD_L", {{0, 0, 0, false}, {0, 0, 0, false}}, kRd, 0, 1, 22 + 8, ddr4},
        {"tCCD_L", {{0, 0, 0, true}, {0, 0, 0, true}}, kWr, 0, 1, 22 + 8, ddr4},
        {"tCCD_S",
         {{0, 0, 0, false}, {0, 1, 0, false}, {500, 0, 0, false}, {500, 1, 0, false}},
         kRd,
         1,
         1,
         500 + 4,
         ddr4},
        {"tWTR_S",
         {{0, 0, 0, false}, {0, 1, 0, false}, {500, 0, 0, true}, {500, 1, 0, false}},
         kRd,
         1,
         1,
         500 + 16 + 4 + 4,
         ddr4},
        {"tWTR_L",
         {{0, 0, 0, false}, {0, 4, 0, false}, {500, 0, 0, true}, {500, 4, 0, false}},
         kRd,
         4,
         1,
         500 + 16 + 4 + 12,
         ddr4},
        {"RD to WR",
         {{0, 0, 0, false}, {0, 1, 0, false}, {500, 0, 0, false}, {500, 1, 0, true}},
         kWr,
         1,
         0,
         500 + 22 + 4 + 2 - 16,
         ddr4},
        {"tRPab",
         {{0, 0, 0, false}, {due, 0, 0, false}},
         SdramCommand::kRefresh,
         0,
         0,
         due + 34,
         lpddr4},
        {"tRFC", {{due, 0, 0, false}}, kAct, 0, 0, due + 448, lpddr4},
    };
}

/// Banks 0 to 7 are of the first rank, 8 to 15 of the second.
std::vector<Case> rank_cases() {
    SdramTiming two;
    two.ranks = 2;
    const DramClock due = two.t_refi;
    const std::vector<Arrival> open{{0, 0, 0, false}, {0, 8, 0, false}};
    const auto then = [&](bool first_writes, bool second_writes) {
        std::vector<Arrival> all = open;
        all.push_back({500, 0, 0, first_writes});
        all.push_back({500, 8, 0, second_writes});
        return all;
    };
    return {
        {"command bus", open, kAct, 8, 0, 1, two}, // tRRD is of each rank
        {"tRTRS", then(false, false), kRd, 8, 1, 500 + 4 + 2, two},
        {"tRTRS", then(true, true), kWr, 8, 0, 500 + 4 + 2, two},
        {"tRTRS", then(false, true), kWr, 8, 0, 500 + 11 + 4 + 2 - 8, two},
        {"tRTRS", then(true, false), kRd, 8, 1, 500 + 8 + 4 + 2 - 11, two},
        {"early refresh",
         {{2 * due, 0, 0, false}},
         SdramCommand::kRefresh,
         8,
         0,
         due + due / 2,
         two},
        {"tRFC", {{due + due / 2, 8, 0, false}}, kAct, 8, 0, due + due / 2 + 208, two},
    };
}

std::vector<Case> all_cases() {
    std::vector<Case> all = cases();
    for (const auto& more : {group_cases(), rank_cases()}) {
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

TEST(SdramConstraintTest, ARankWorksWhileAnotherIsRefreshed) {
    SdramTiming two;
    two.ranks = 2;
    const DramClock due = two.t_refi;
    const SdramRecorder recorder = run(two, {{due, 8, 0, false}});
    EXPECT_EQ(recorder.clocks_of(SdramCommand::kRefresh, 0).at(0), due);
    EXPECT_EQ(recorder.clocks_of(kAct, 8).at(0), due + 1);
}

/// A page of 4 KiB from closed banks of two groups: the bursts follow each other without a hole.
TEST(SdramConstraintTest, NeighbouringBurstsGoByTurnsToTwoGroups) {
    const SdramTiming timing = ddr4_3200();
    const SdramRecorder recorder = run(timing, {{100, 0, 0, false, 128}});
    const auto reads = recorder.clocks_of(kRd);
    ASSERT_EQ(reads.size(), 128u);
    for (std::size_t i = 0; i < reads.size(); ++i) {
        EXPECT_EQ(reads[i], 100 + 22 + 4 * i);
        EXPECT_EQ(recorder.sorted()[i + 2].bank, i % 2);
    }
    EXPECT_EQ(check_sdram_trace(recorder.sorted(), timing), std::vector<std::string>{});
    // One that is answered ahead takes the same commands: tRCD + 127 tCCD_S + CL + BL/2, 347.5 ns.
    FrFcfsScheduler scheduler(timing);
    const DramClock end = scheduler.push_alone(0, 4096, false, 100);
    EXPECT_EQ((end - 100) * timing.t_ck, 347'500 * kPs);
    EXPECT_EQ(scheduler.statistics().activates, 2u);
    EXPECT_EQ(scheduler.statistics().row_hits, 126u);
    EXPECT_EQ(scheduler.outstanding(), 0u);
}

TEST(SdramConstraintTest, EachCommandComesAtItsFirstLegalClock) {
    for (const Case& c : all_cases()) {
        SCOPED_TRACE(c.rule);
        const SdramRecorder recorder = run(c.timing, c.arrivals);
        const auto clocks = recorder.clocks_of(c.command, c.bank);
        ASSERT_GT(clocks.size(), c.which);
        EXPECT_EQ(clocks[c.which], c.at);
        EXPECT_EQ(check_sdram_trace(recorder.sorted(), c.timing), std::vector<std::string>{});
    }
}

TEST(SdramConstraintTest, OneClockEarlierBreaksThatRuleAlone) {
    for (const Case& c : all_cases()) {
        SCOPED_TRACE(c.rule);
        std::vector<SdramCommandRecord> trace = run(c.timing, c.arrivals).sorted();
        for (SdramCommandRecord& record : trace) {
            if (record.command == c.command && record.bank == c.bank && record.at == c.at) {
                --record.at;
            }
        }
        std::vector<std::string> broken = check_sdram_trace(trace, c.timing);
        // Bursts back to back fill the data bus, so tCCD and the data bus are broken together.
        broken.erase(std::remove(broken.begin(), broken.end(), "data bus"), broken.end());
        EXPECT_EQ(broken, std::vector<std::string>{c.rule});
    }
}

TEST(SdramConstraintTest, NoColumnCommandIsIssuedOnceARefreshIsDue) {
    SdramTiming timing;
    const DramClock due = timing.t_refi;
    // 128 bursts from due - 100: cut at the refresh, continued after the row is open again.
    const SdramRecorder recorder = run(timing, {{due - 100, 0, 0, false, 128}});
    const auto reads = recorder.clocks_of(kRd);
    ASSERT_EQ(reads.size(), 128u);
    const std::size_t before = (100 - timing.t_rcd - 1) / 4 + 1;
    EXPECT_LT(reads[before - 1], due);
    const DramClock last = reads[before - 1];
    const DramClock refresh = recorder.clocks_of(SdramCommand::kRefresh).at(0);
    EXPECT_EQ(recorder.clocks_of(SdramCommand::kPrechargeAll).at(0), last + timing.t_rtp);
    EXPECT_EQ(refresh, last + timing.t_rtp + timing.t_rp);
    EXPECT_EQ(recorder.clocks_of(kAct).at(1), refresh + timing.t_rfc);
    EXPECT_EQ(reads[before], refresh + timing.t_rfc + timing.t_rcd);
    EXPECT_EQ(check_sdram_trace(recorder.sorted(), timing), std::vector<std::string>{});
}

/// Bursts of mixed sizes over few rows, so that hits, conflicts and splits all occur; bursts of
/// arrivals with gaps, some longer than a refresh interval.
SdramRecorder random_traffic(const SdramTiming& timing, std::uint64_t seed, int transactions,
                             std::uint64_t& bursts_expected) {
    Random random(seed);
    SdramRecorder recorder(timing);
    FrFcfsScheduler scheduler(timing);
    scheduler.set_observer(&recorder);
    DramClock now = 0;
    bursts_expected = 0;
    const std::uint64_t burst = timing.burst_bytes();
    for (int i = 0; i < transactions; ++i) {
        const std::uint64_t sizes[] = {burst, burst, 64, 512, 4096, 100, 16384};
        const std::uint64_t bytes = sizes[random.below(7)];
        const std::uint64_t address = random.below(std::uint64_t{timing.row_bytes} * 64);
        bursts_expected += (address + bytes - 1) / burst - address / burst + 1;
        scheduler.push(static_cast<std::uint64_t>(i), address, bytes, random.below(2) != 0, now);
        const std::uint64_t pause = random.below(100);
        now += pause == 0 ? random.below(20'000) : pause < 40 ? random.below(200) : 0;
    }
    while (scheduler.outstanding() != 0) {
        const DramClock wake = scheduler.next_wake();
        scheduler.advance(wake);
        while (scheduler.has_completion(wake)) {
            (void)scheduler.pop_completion();
        }
    }
    return recorder;
}

TEST(SdramConstraintSlowTest, RandomTrafficKeepsEveryRule) {
    for (const SdramTiming& timing : parts()) {
        SCOPED_TRACE(::testing::Message() << timing.banks << " banks, groups " << timing.bank_groups
                                          << ", ranks " << timing.ranks << ", CL " << timing.cl);
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            std::uint64_t bursts = 0;
            const SdramRecorder recorder = random_traffic(timing, seed, 1500, bursts);
            EXPECT_EQ(check_sdram_trace(recorder.sorted(), timing), std::vector<std::string>{})
                << "seed " << seed;
            EXPECT_EQ(recorder.clocks_of(kRd).size() + recorder.clocks_of(kWr).size(), bursts);
            EXPECT_GT(recorder.clocks_of(SdramCommand::kRefresh).size(), 10u);
        }
    }
}

struct Break {
    const char* rule;
    std::uint32_t SdramTiming::*parameter;
};

/// Rules of `right` that a scheduler breaks which works by `wrong`.
std::vector<std::string> broken_by(const SdramTiming& wrong, const SdramTiming& right) {
    std::uint64_t bursts = 0;
    return check_sdram_trace(random_traffic(wrong, 1, 1500, bursts).sorted(), right);
}

void expect_seen(const SdramTiming& right, const std::vector<Break>& breaks) {
    for (const Break& b : breaks) {
        SdramTiming wrong = right;
        --(wrong.*b.parameter);
        const auto broken = broken_by(wrong, right);
        EXPECT_NE(std::find(broken.begin(), broken.end(), b.rule), broken.end()) << b.rule;
    }
}

TEST(SdramConstraintSlowTest, TheCheckerSeesEachParameterWhenItIsBroken) {
    SdramTiming right = narrow();
    right.banks = 8; // four banks never reach tFAW
    expect_seen(right, {{"tRCD", &SdramTiming::t_rcd},
                        {"tRP", &SdramTiming::t_rp},
                        {"tRAS", &SdramTiming::t_ras},
                        {"tRC", &SdramTiming::t_rc},
                        {"tRRD", &SdramTiming::t_rrd},
                        {"tFAW", &SdramTiming::t_faw},
                        {"tWR", &SdramTiming::t_wr},
                        {"tWTR", &SdramTiming::t_wtr},
                        {"tRTP", &SdramTiming::t_rtp},
                        {"tCCD", &SdramTiming::t_ccd},
                        {"tRFC", &SdramTiming::t_rfc},
                        {"RD to WR", &SdramTiming::cl}});
    SdramTiming late = right;
    ++late.t_refi;
    const auto broken = broken_by(late, right);
    EXPECT_NE(std::find(broken.begin(), broken.end(), "tREFI"), broken.end());
}

TEST(SdramConstraintSlowTest, TheCheckerSeesEachParameterOfBankGroupsAndRanksWhenItIsBroken) {
    SdramTiming right = groups_of_two();
    right.ranks = 2;
    expect_seen(right, {{"tRRD_S", &SdramTiming::t_rrd},
                        {"tRRD_L", &SdramTiming::t_rrd_l},
                        {"tFAW", &SdramTiming::t_faw},
                        {"tWTR_S", &SdramTiming::t_wtr},
                        {"tWTR_L", &SdramTiming::t_wtr_l},
                        {"tCCD_S", &SdramTiming::t_ccd},
                        {"tCCD_L", &SdramTiming::t_ccd_l},
                        {"tRPab", &SdramTiming::t_rp_ab},
                        {"tRTRS", &SdramTiming::t_rtrs}});
    SdramTiming alone = right; // as though each command came to a group of its own
    alone.bank_groups = 1;
    alone.t_ccd_l = alone.t_rrd_l = alone.t_wtr_l = 0;
    const auto broken = broken_by(alone, right);
    for (const char* rule : {"tRRD_L", "tCCD_L", "tWTR_L"}) {
        EXPECT_NE(std::find(broken.begin(), broken.end(), rule), broken.end()) << rule;
    }
}

} // namespace
} // namespace cavern
