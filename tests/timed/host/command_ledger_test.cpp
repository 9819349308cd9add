#include "timed/host/command_ledger.h"

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace cavern {
namespace {

/// Text of the invariant that `act` breaks; empty if none.
std::string broken_by(const std::function<void()>& act) {
    try {
        act();
    } catch (const ModelError& error) {
        return error.what();
    }
    return {};
}

class CommandLedgerTest : public ::testing::Test {
  protected:
    void take(std::uint32_t tag, std::uint64_t id) {
        ledger_.issued(tag, id);
        ledger_.taken_by_device(tag, id);
    }
    void play(std::uint32_t tag, std::uint64_t id) {
        take(tag, id);
        ledger_.answered(tag, id);
        ledger_.completed(tag, id);
    }
    void expect_broken(const std::string& invariant, const std::function<void()>& act) {
        const std::string text = broken_by(act);
        EXPECT_NE(text.find("invariant: " + invariant), std::string::npos) << text;
    }

    CommandLedger ledger_{4};
};

TEST_F(CommandLedgerTest, CommandsThatTakeTheirStepsSettle) {
    for (std::uint64_t id = 0; id < 100; ++id) {
        play(id % 4, id);
    }
    EXPECT_EQ(ledger_.check_settled(100), 400u);
}

TEST_F(CommandLedgerTest, CommandsMayOvertakeEachOther) {
    take(0, 0);
    take(1, 1);
    ledger_.answered(1, 1);
    ledger_.completed(1, 1);
    EXPECT_EQ(ledger_.outstanding(), 1u);
    play(1, 2);
    ledger_.answered(0, 0);
    ledger_.completed(0, 0);
    EXPECT_EQ(ledger_.check_settled(3), 12u);
}

TEST_F(CommandLedgerTest, ALostCommandIsReported) {
    take(0, 0);
    expect_broken("no command is lost: 1", [&] { static_cast<void>(ledger_.check_settled(1)); });
}

TEST_F(CommandLedgerTest, ACommandThatWasNeverIssuedIsReported) {
    play(0, 0);
    expect_broken("every command issued was completed once",
                  [&] { static_cast<void>(ledger_.check_settled(2)); });
    expect_broken("a command reaches the device once", [&] { ledger_.taken_by_device(1, 1); });
}

TEST_F(CommandLedgerTest, ATagUsedTwiceIsReported) {
    take(2, 0);
    expect_broken("a tag names one command at a time", [&] { ledger_.issued(2, 1); });
}

TEST_F(CommandLedgerTest, ACommandThatComesTwiceIsReported) {
    take(2, 0);
    expect_broken("a command reaches the device once", [&] { ledger_.taken_by_device(2, 0); });
}

TEST_F(CommandLedgerTest, AnAnswerToAnotherCommandIsReported) {
    take(2, 0);
    expect_broken("the device answers what it was given", [&] { ledger_.answered(2, 5); });
    expect_broken("the device answers what it was given", [&] { ledger_.answered(3, 0); });
}

TEST_F(CommandLedgerTest, ACommandAnsweredOrCompletedTwiceIsReported) {
    take(2, 0);
    ledger_.answered(2, 0);
    expect_broken("the device answers what it was given", [&] { ledger_.answered(2, 0); });
    ledger_.completed(2, 0);
    expect_broken("a command is completed when answered", [&] { ledger_.completed(2, 0); });
}

TEST_F(CommandLedgerTest, ATagOfNobodyIsReported) {
    expect_broken("every command has a tag of the host", [&] { ledger_.issued(4, 0); });
}

} // namespace
} // namespace cavern
