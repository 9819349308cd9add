// Pages that are read again, lost and copied, operation by operation.

#include <gtest/gtest.h>

#include "tests/timed/channel/flash_scheduler_fixture.h"
#include "timed/channel/ecc.h"

namespace cavern::testing {
namespace {

/// Half of the pages have a codeword with more errors than it may have.
class FlashSchedulerEccTest : public FlashSchedulerTest {
  protected:
    void SetUp() override {
        build(Discipline::kReadFirst);
        params_.engine = true;
        params_.errors.model = BitErrors::kTlc72;
        params_.errors.correctable = 24; // of a mean of 25
        params_.errors.retry_limit = 2;
        params_.errors.retry_gain = 1;
        make();
    }
    void make() {
        ecc_ = std::make_unique<Ecc>(geometry_, timing_, params_, array_, 1);
        scheduler_->queues().use(*ecc_);
    }
    /// The first page from `page` on that is bad, or good.
    std::uint32_t find(bool bad, std::uint32_t page) const {
        const ReadErrors errors(geometry_, array_, params_.errors, kBits, 1);
        while ((errors.errors(Ppn{page}, 0, errors.mean(Ppn{page}, 0)) > 24) != bad) {
            ++page;
        }
        return page;
    }
    static std::string read_of(std::uint32_t page) { return "R" + std::to_string(page); }
    static std::string program_of(std::uint32_t page) { return "P" + std::to_string(page); }

    static constexpr std::uint64_t kBits = 8 * (2048 + 64);
    NandTiming timing_;
    NandArray array_{[] {
                         Geometry geometry;
                         geometry.channels = geometry.ways = 1;
                         geometry.planes_per_die = 2;
                         geometry.blocks_per_plane = 4;
                         geometry.pages_per_block = 4;
                         return geometry;
                     }(),
                     false};
    EccParams params_;
    std::unique_ptr<Ecc> ecc_;
};

TEST_F(FlashSchedulerEccTest, AGoodPageIsReadOnceAndABadOneToTheLimit) {
    const std::uint32_t good = find(false, 0);
    const std::uint32_t bad = find(true, 0);
    scheduler_->queues().submit_read(Ppn{good}, kNoLpn, 1);
    finish();
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{1}));
    scheduler_->queues().submit_read(Ppn{bad}, kNoLpn, 2);
    finish();
    finish();
    EXPECT_TRUE(client_.lost.empty());
    finish();
    EXPECT_EQ(client_.lost, (std::vector<std::uint32_t>{2}));
    EXPECT_EQ(channel_.started, (Started{read_of(good), read_of(bad), read_of(bad), read_of(bad)}));
    EXPECT_EQ(scheduler_->check_idle(), 13u);
}

TEST_F(FlashSchedulerEccTest, ARetryQueuesBehindReadsThatWait) {
    const std::uint32_t bad = find(true, 0);
    const std::uint32_t good = find(false, 0);
    scheduler_->queues().submit_read(Ppn{bad}, kNoLpn, 1);
    scheduler_->queues().submit_read(Ppn{good}, kNoLpn, 2);
    finish();
    finish();
    EXPECT_EQ(channel_.started, (Started{read_of(bad), read_of(good), read_of(bad)}));
    finish();
    finish();
}

// Its block may not be erased in between.
TEST_F(FlashSchedulerEccTest, AnEraseWaitsForTheLastRetry) {
    const std::uint32_t bad = find(true, 0);
    scheduler_->queues().submit_read(Ppn{bad}, kNoLpn, 1);
    submit({erase(bad / 4 * 4)});
    finish();
    finish();
    EXPECT_EQ(channel_.started.size(), 3u);
    finish();
    EXPECT_EQ(channel_.started.back(), "E" + std::to_string(bad / 4 * 4));
    finish();
}

TEST_F(FlashSchedulerEccTest, ACopyOfALostPageIsLostUntilItsBlockIsErased) {
    params_.errors.retry_limit = 0;
    make();
    const std::uint32_t bad = find(true, 0);
    const std::uint32_t target = find(false, 16);
    const std::uint32_t next = find(false, target + 1);
    submit(copy(bad, target));
    finish();
    finish();
    submit(copy(target, next));
    finish();
    finish();
    EXPECT_EQ(channel_.started,
              (Started{read_of(bad), program_of(target), read_of(target), program_of(next)}));
    scheduler_->queues().submit_read(Ppn{next}, kNoLpn, 7);
    finish();
    EXPECT_EQ(client_.lost, (std::vector<std::uint32_t>{7}));
    EXPECT_EQ(ecc_->statistics().uncorrectable_pages, 1u);
    EXPECT_EQ(ecc_->statistics().lost_page_reads, 2u);
    EXPECT_EQ(ecc_->statistics().retries, 0u);
    submit({erase(next / 4 * 4), program(next)});
    finish();
    finish();
    scheduler_->queues().submit_read(Ppn{next}, kNoLpn, 8);
    finish();
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{8}));
}

TEST_F(FlashSchedulerEccTest, ACopyOfAGoodPageIsNot) {
    const std::uint32_t good = find(false, 0);
    const std::uint32_t target = find(false, 16);
    submit(copy(good, target));
    finish();
    finish();
    scheduler_->queues().submit_read(Ppn{target}, kNoLpn, 7);
    finish();
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{7}));
}

TEST_F(FlashSchedulerEccTest, AHostProgramOfALostPageIsLost) {
    const std::uint32_t target = find(false, 16);
    client_.holds_lost = true;
    submit({program(target)});
    finish();
    scheduler_->queues().submit_read(Ppn{target}, kNoLpn, 7);
    finish();
    EXPECT_EQ(client_.lost, (std::vector<std::uint32_t>{7}));
}

// ---- what the rate depends on -------------------------------------------------------------------

class ReadErrorsTest : public FlashSchedulerEccTest {
  protected:
    double mean(const ReadErrors& errors, TimePs now = 0) const {
        return errors.mean(Ppn{0}, now) / static_cast<double>(kBits);
    }
    static constexpr double kDay = 86'400.0;
};

TEST_F(ReadErrorsTest, TheRateIsThatOfCyclesAgeAndReads) {
    params_.errors.cycles = 1000;
    params_.errors.days = 30;
    const BitErrorRate& rate = bit_error_rate(BitErrors::kTlc72);
    ReadErrors errors(geometry_, array_, params_.errors, kBits, 1);
    EXPECT_DOUBLE_EQ(mean(errors), rate.at(1000, 30, 0));
    EXPECT_DOUBLE_EQ(mean(errors, 86'400 * kSecond), rate.at(1000, 31, 0));
    for (int i = 0; i < 10; ++i) {
        errors.read(Ppn{3});
        errors.read(Ppn{4}); // of another block
    }
    EXPECT_DOUBLE_EQ(mean(errors), rate.at(1000, 30, 2.5)); // four pages a block
    array_.erase(BlockId{0});
    errors.erased(BlockId{0});
    errors.programmed(Ppn{0}, false, 3600 * kSecond);
    EXPECT_DOUBLE_EQ(mean(errors, 3600 * kSecond), rate.at(1001, 0, 0));
    EXPECT_DOUBLE_EQ(mean(errors, 2 * 3600 * kSecond), rate.at(1001, 1 / 24.0, 0));
}

TEST_F(ReadErrorsTest, ABlockIsAsOldAsItsFirstPage) {
    params_.errors.cycles = 1000;
    params_.errors.days = 30;
    const BitErrorRate& rate = bit_error_rate(BitErrors::kTlc72);
    ReadErrors errors(geometry_, array_, params_.errors, kBits, 1);
    errors.programmed(Ppn{1}, false, 5 * kSecond); // there was a page before the run
    EXPECT_DOUBLE_EQ(mean(errors, 5 * kSecond), rate.at(1000, 30 + 5 / kDay, 0));
    errors.programmed(Ppn{4}, false, 5 * kSecond);
    errors.programmed(Ppn{5}, false, 9 * kSecond);
    EXPECT_DOUBLE_EQ(errors.mean(Ppn{5}, 9 * kSecond) / kBits, rate.at(1000, 4 / kDay, 0));
}

TEST_F(ReadErrorsTest, TheErrorsOfACodewordGoByItsPlaceAndTheSeed) {
    const ReadErrors errors(geometry_, array_, params_.errors, kBits, 1);
    const ReadErrors same(geometry_, array_, params_.errors, kBits, 1);
    const ReadErrors other(geometry_, array_, params_.errors, kBits, 2);
    int different = 0;
    for (std::uint32_t page = 0; page < 32; ++page) {
        for (std::uint32_t i = 0; i < 8; ++i) {
            EXPECT_EQ(errors.errors(Ppn{page}, i, 25), same.errors(Ppn{page}, i, 25));
            different += errors.errors(Ppn{page}, i, 25) != other.errors(Ppn{page}, i, 25);
        }
    }
    EXPECT_GT(different, 200);
}

} // namespace
} // namespace cavern::testing
