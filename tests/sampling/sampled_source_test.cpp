#include "sampling/sampled_source.h"

#include <gtest/gtest.h>
#include <vector>

namespace cavern {
namespace {

/// Requests that say which they are.
class Numbers final : public RequestSourceIf {
  public:
    explicit Numbers(std::uint64_t requests) : requests_(requests) {}
    bool next(HostRequest& request) override {
        if (given_ == requests_) {
            return false;
        }
        request.offset = given_ * 4096;
        request.arrival = 1'000 + given_ * 10;
        ++given_;
        return true;
    }

  private:
    std::uint64_t requests_;
    std::uint64_t given_ = 0;
};

/// Two jobs that have one request outstanding each.
class Pair final : public RequestSourceIf {
  public:
    bool next(HostRequest& request) override {
        for (std::uint32_t job = 0; job < 2; ++job) {
            if (!outstanding_[job]) {
                outstanding_[job] = true;
                request.job = job;
                request.offset = given_++;
                return true;
            }
        }
        return false;
    }
    [[nodiscard]] bool has_jobs() const override { return true; }
    void answered(std::uint32_t job) override { outstanding_[job] = false; }

  private:
    bool outstanding_[2] = {false, false};
    std::uint64_t given_ = 0;
};

struct Ended {};

/// A player that goes on as the run, or as the process of one window.
class Player final : public WindowPlayerIf {
  public:
    explicit Player(std::size_t is_process_of, WindowApproach approach = {})
        : process_of_(is_process_of), approach_(approach) {}

    [[nodiscard]] std::uint64_t most_before() const override { return 50; }
    [[nodiscard]] WindowApproach approach(std::size_t) override { return approach_; }
    [[nodiscard]] bool fork_for(std::size_t window) override {
        forks.push_back(window);
        return window == process_of_;
    }
    [[noreturn]] void play(std::size_t, SampledSource& source) override {
        begin = source.begin();
        warmup = source.warmup();
        WindowSource window(source);
        for (HostRequest request; window.next(request);) {
            played.push_back(request);
            if (request.job != 0 || source.has_jobs()) {
                window.answered(request.job);
            }
        }
        throw Ended{};
    }

    std::vector<std::size_t> forks;
    std::vector<HostRequest> played;
    std::uint64_t begin = 0;
    std::uint64_t warmup = 0;

  private:
    std::size_t process_of_;
    WindowApproach approach_;
};

constexpr std::size_t kTheRun = 99;

SamplingPlan plan() {
    SamplingPlan plan;
    plan.measured = 5;
    plan.tail = 3;
    plan.places = {4, 60, 62, 90};
    return plan;
}

TEST(SampledSourceTest, TheRunHasEveryRequestOnce) {
    Numbers numbers(100);
    const SamplingPlan windows = plan();
    Player player(kTheRun, {10, 20});
    SampledSource source(numbers, windows, player);
    HostRequest request;
    for (std::uint64_t i = 0; i < 100; ++i) {
        ASSERT_TRUE(source.next(request));
        EXPECT_EQ(request.offset, i * 4096);
    }
    EXPECT_FALSE(source.next(request));
    EXPECT_EQ(player.forks, (std::vector<std::size_t>{0, 1, 2, 3}));
    EXPECT_EQ(source.first_arrival(), 1'000u);
    EXPECT_EQ(source.last_arrival(), 1'990u);
}

TEST(SampledSourceTest, AWindowHasItsWarmUpItsRequestsAndATail) {
    for (const std::size_t of : {0u, 1u, 2u, 3u}) {
        Numbers numbers(100);
        const SamplingPlan windows = plan();
        Player player(of, {10, 20});
        SampledSource source(numbers, windows, player);
        std::uint64_t without_time = 0;
        EXPECT_THROW(
            for (HostRequest request; source.next(request);) { ++without_time; }, Ended);
        const std::uint64_t place = windows.places[of];
        const std::uint64_t begin = place - std::min<std::uint64_t>(place, 10);
        EXPECT_EQ(player.begin, begin);
        EXPECT_EQ(player.warmup, place - begin);
        EXPECT_EQ(without_time, begin); // those of the lead among them
        ASSERT_EQ(player.played.size(), std::min<std::uint64_t>(place - begin + 8, 100 - begin));
        for (std::size_t i = 0; i < player.played.size(); ++i) {
            EXPECT_EQ(player.played[i].offset, (begin + i) * 4096);
            EXPECT_EQ(player.played[i].arrival, i * 10); // its clock begins with the first
        }
    }
}

TEST(SampledSourceTest, AWindowBeginsWithNothingOutstanding) {
    Pair pair;
    SamplingPlan windows = plan();
    windows.places = {6};
    Player player(0, {2, 0});
    SampledSource source(pair, windows, player);
    HostRequest request;
    ASSERT_TRUE(source.next(request));
    ASSERT_TRUE(source.next(request));
    EXPECT_FALSE(source.next(request)); // both jobs wait
    source.answered(0);
    ASSERT_TRUE(source.next(request));
    source.answered(1);
    ASSERT_TRUE(source.next(request));
    EXPECT_THROW((void)source.next(request), Ended);
    ASSERT_EQ(player.played.size(), 10u);
    EXPECT_EQ(player.played[0].offset, 4u);
    EXPECT_EQ(player.played[9].offset, 13u);
}

TEST(SampledSourceTest, AWindowCanBeEndedEarly) {
    Numbers numbers(100);
    const SamplingPlan windows = plan();
    Player player(kTheRun);
    SampledSource source(numbers, windows, player);
    WindowSource window(source);
    HostRequest request;
    ASSERT_TRUE(window.next(request));
    EXPECT_FALSE(window.ended());
    window.end();
    EXPECT_TRUE(window.ended());
    EXPECT_FALSE(window.next(request));
    EXPECT_EQ(window.ask_again_at(), kNever);
}

} // namespace
} // namespace cavern
