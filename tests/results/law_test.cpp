#include "results/law.h"

#include <cmath>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "results/laws.h"
#include "results/request_rows.h"

namespace cavern::testing {
namespace {

using Json = Law::Json;

const Json& sample() {
    static const Json whole = Json::parse(R"({
        "pages": 12, "hits": 5, "ratio": 0.41666666666666669, "name": "lru-page", "on": true,
        "unknown": null, "waf": [1.5, 2.5],
        "large": 9007199254740993, "large_plus_one": 9007199254740994,
        "config": {"page": "2KiB"},
        "dies": [{"reads": 7, "busy": 1}, {"reads": 5, "busy": 2}]})");
    return whole;
}

/// 'T': it is true. 'F': it is broken. '-': it says nothing.
char verdict(const std::string& text, const std::string& place = "") {
    Law law(text);
    bool bound = false;
    each_place(sample(), place, "", [&](const Json& found, const std::string&) {
        law.apply_to(found, sample());
        bound = true;
    });
    EXPECT_TRUE(bound) << place;
    return law.is_kept() ? 'T' : law.holds() ? '-' : 'F';
}

TEST(LawTest, ComparesNeighbours) {
    EXPECT_EQ(verdict("hits <= pages"), 'T');
    EXPECT_EQ(verdict("hits < 5"), 'F');
    EXPECT_EQ(verdict("0 < hits < pages = 12"), 'T');
    EXPECT_EQ(verdict("0 < hits < pages = 11"), 'F');
    EXPECT_EQ(verdict("1 < hits < 4 < pages"), 'F');
    EXPECT_EQ(verdict("hits != 5"), 'F');
}

TEST(LawTest, CalculatesFromTheLeftAndProductsFirst) {
    EXPECT_EQ(verdict("pages - hits - 2 = 5"), 'T');
    EXPECT_EQ(verdict("pages + hits * 2 = 22"), 'T');
    EXPECT_EQ(verdict("(pages + hits) * 2 = 34"), 'T');
    EXPECT_EQ(verdict("pages / 4 / 3 = 1"), 'T');
    EXPECT_EQ(verdict("pages / 0 = 1"), '-');
}

TEST(LawTest, WholeNumbersAreExactAndOthersToNineDigits) {
    EXPECT_EQ(verdict("large = large_plus_one"), 'F');
    EXPECT_EQ(verdict("large + 1 = large_plus_one"), 'T');
    EXPECT_EQ(verdict("ratio * pages = hits"), 'T');
    EXPECT_EQ(verdict("ratio * pages = hits + 0.000000004"), 'T');
    EXPECT_EQ(verdict("ratio * pages = hits + 0.000000006"), 'F');
    EXPECT_EQ(verdict("hits + 0.000000004 <= ratio * pages"), 'T');
    EXPECT_EQ(verdict("hits + 0.000000006 <= ratio * pages"), 'F');
}

TEST(LawTest, AddsUpAndCountsElements) {
    EXPECT_EQ(verdict("sum(dies[].reads) = pages"), 'T');
    EXPECT_EQ(verdict("sum(dies[].busy) = 4"), 'F');
    EXPECT_EQ(verdict("sum(waf) = 4"), 'T');
    EXPECT_EQ(verdict("count(dies[]) = count(waf[]) = 2"), 'T');
    EXPECT_EQ(verdict("sum(dies[].writes) = count(dies[].writes) = 0"), 'T');
    EXPECT_EQ(verdict("dies[].reads = 7"), '-'); // which of them
}

TEST(LawTest, NamesAreOfTheObjectOrOfTheWhole) {
    EXPECT_EQ(verdict("reads = 5", "dies[]"), 'T'); // the last one
    EXPECT_EQ(verdict("reads = hits", "dies[]"), 'T');
}

TEST(LawTest, SaysNothingOfWhatIsNotThere) {
    EXPECT_EQ(verdict("unknown = 3"), '-');
    EXPECT_EQ(verdict("absent.below <= 3"), '-');
    EXPECT_EQ(verdict("sum(dies[].reads) = absent"), '-');
    EXPECT_EQ(verdict("hits <= unknown <= 3"), '-');
    EXPECT_EQ(verdict("pages <= hits <= unknown"), 'F'); // so far it does
    EXPECT_EQ(verdict("known(unknown) + known(absent) + known(hits) = 5"), 'T');
}

TEST(LawTest, HoldsWhereItsConditionIs) {
    EXPECT_EQ(verdict("if name = \"lru-page\" and on = true: hits = 5"), 'T');
    EXPECT_EQ(verdict("if name != \"lru-page\": hits = 6"), '-');
    EXPECT_EQ(verdict("if on = false: hits = 6"), '-');
    EXPECT_EQ(verdict("if unknown = 3: hits = 6"), '-');
    EXPECT_EQ(verdict("if no unknown and no absent: hits = 6"), 'F');
    EXPECT_EQ(verdict("if no hits: hits = 6"), '-');
}

TEST(LawTest, TextIsANumberOfBytesBesideOne) {
    EXPECT_EQ(verdict("config.page = 2048"), 'T');
    EXPECT_EQ(verdict("config.page * 2 = 4096"), 'T');
    EXPECT_EQ(verdict("name + 1 = 2"), '-');
}

TEST(LawTest, WhatIsNoNumberBreaksIt) {
    Json whole = {{"x", std::nan("")}};
    Law law("0 <= x");
    law.apply_to(whole, whole);
    EXPECT_FALSE(law.holds());
}

TEST(LawTest, FollowsWhatItWasAppliedTo) {
    Json row = {{"a", 1}, {"b", 2}};
    Law law("a < b");
    law.apply_to(row, row);
    EXPECT_TRUE(law.holds());
    row["a"] = 2;
    EXPECT_FALSE(law.holds());
    EXPECT_EQ(law.values(), "a is 2, b is 2");
}

TEST(LawTest, ItsValuesHaveEachNameOnce) {
    Json whole = {{"map_reads", 3}, {"reads", 2}};
    Law law("map_reads <= reads + known(absent) and reads < 5");
    law.apply_to(whole, whole);
    EXPECT_EQ(law.values(), "map_reads is 3, reads is 2, absent is absent");
}

TEST(LawTest, RefusesWhatItCannotRead) {
    for (const char* text : {"a <=", "a b", "(a + 1 = 2", "if a = 1 b = 2", "sum(a = 3", "a = , 3",
                             "no 3", "= 3", ""}) {
        EXPECT_THROW(Law law(text), ModelError) << text;
    }
}

// ---- of a file ----------------------------------------------------------------------------------

TEST(LawsTest, TheFirstOneBrokenIsNamedWithItsValues) {
    const std::vector<LawInfo> laws{{"", "", "hits <= pages"}, {"dies[]", "dies[]", "reads <= 6"}};
    try {
        check_laws(laws, sample());
        ADD_FAILURE() << "a law is broken";
    } catch (const ModelError& error) {
        EXPECT_STREQ(error.what(), "law broken: dies[0]: reads <= 6; reads is 7");
    }
}

TEST(LawsTest, EveryNumberHasBounds) {
    FieldInfo pages;
    pages.path = "a.pages";
    pages.kind = FieldKind::kInteger;
    FieldInfo share = pages;
    share.path = "dies[].share";
    share.kind = FieldKind::kNumber;
    share.unit = "share";
    FieldInfo listed = pages;
    listed.path = "rounds";
    listed.listed = true;
    FieldInfo slope = share;
    slope.path = "slope";
    slope.unit = "ratio";
    slope.below_zero = true;
    const auto broken = [&](const char* text) {
        try {
            check_bounds({pages, share, listed, slope}, Json::parse(text));
            return std::string();
        } catch (const ModelError& error) {
            return std::string(error.what());
        }
    };
    EXPECT_EQ(broken(R"({"a":{"pages":3},"dies":[{"share":1.0}],"rounds":[0],"slope":-2})"), "");
    EXPECT_EQ(broken(R"({"a":{"pages":null},"rounds":null})"), "");
    EXPECT_EQ(broken(R"({"a":{"pages":18446744073709551615}})"),
              "law broken: a.pages is 18446744073709551615; it lies from 0 to 2^63");
    EXPECT_EQ(broken(R"({"dies":[{"share":0.5},{"share":1.01}]})"),
              "law broken: dies[1].share is 1.01; it lies from 0 to 1");
    EXPECT_EQ(broken(R"({"rounds":[3,-1]})"),
              "law broken: rounds[1] is -1; it lies from 0 to 2^63");
    EXPECT_EQ(broken(R"({"slope":-1e30})"),
              "law broken: slope is -1e+30; it lies from -2^63 to 2^63");
}

TEST(LawsTest, WhatIsNoNumberIsBeyondItsBounds) {
    FieldInfo field;
    field.path = "x";
    field.kind = FieldKind::kNumber;
    EXPECT_THROW(check_bounds({field}, Json{{"x", std::nan("")}}), ModelError);
}

TEST(LawsTest, StandBelowTheTableOfTheirSection) {
    const std::vector<LawInfo> laws{{"host.read", "host.{read,write}", "a <= b"},
                                    {"host.write", "host.{read,write}", "a <= b"},
                                    {"dies[]", "dies[]", "c <= d"},
                                    {"", "", "e <= f"},
                                    {"host.old", "host.old", "a <= b"}};
    FieldInfo old;
    old.path = "host.old";
    old.instead = "host.read";
    EXPECT_EQ(laws_markdown(laws, {old}, "host"), "\n```text\nhost.{read,write}: a <= b\n```\n");
    EXPECT_EQ(laws_markdown(laws, {old}, "dies"), "\n```text\ndies[]: c <= d\n```\n");
    EXPECT_EQ(laws_markdown(laws, {old}, ""), "\n```text\ne <= f\n```\n");
    EXPECT_EQ(laws_markdown(laws, {old}, "sim"), "");
}

// ---- of the rows of requests.csv ----------------------------------------------------------------

class RequestLawsTest : public ::testing::Test {
  protected:
    /// What the next row breaks; empty: nothing.
    std::string broken() {
        try {
            laws_.completed({request_, &where_, completed_});
            return {};
        } catch (const ModelError& error) {
            return error.what();
        }
    }

    RequestLawsTest() {
        where_.id = 7;
        where_.arrival = 100 * kNs;
        where_.dispatch = 150 * kNs;
        where_.frame_wait = 20 * kNs;
        where_.flash = 30 * kNs;
        where_.pages = 1;
    }
    /// Whether this row of the kind breaks a law that no other kind has.
    bool breaks(RequestOp op, std::uint64_t offset, std::uint32_t bytes, std::uint32_t hits,
                TimePs frame_wait) {
        request_ = {0, offset, bytes, op};
        where_.hits = hits;
        where_.frame_wait = frame_wait;
        const std::string text = broken();
        EXPECT_TRUE(text.empty() || text.find(": if op = ") != std::string::npos) << text;
        return !text.empty();
    }

    HostRequest request_{0, 4096, 2048, RequestOp::kRead};
    HostCommandExtension where_;
    TimePs completed_ = 210 * kNs;
    RequestLaws laws_;
};

TEST_F(RequestLawsTest, SoundRowsAddUp) {
    EXPECT_EQ(broken(), "");
    completed_ += kNs;
    EXPECT_EQ(broken(), "");
    EXPECT_EQ(laws_.totals()["R"]["count"], 2);
    EXPECT_EQ(laws_.totals()["R"]["size"], 4096);
    EXPECT_EQ(laws_.totals()["R"]["latency_ns"], 221);
    EXPECT_EQ(laws_.totals()["W"]["count"], 0);
}

TEST_F(RequestLawsTest, PartsThatOverlapBreakTheLawOfTheirSum) {
    where_.flash = 50 * kNs;
    const std::string text = broken();
    EXPECT_EQ(text.rfind("law broken: requests.csv, request 7.transfer_ns is 18446744", 0), 0u)
        << text;
}

TEST_F(RequestLawsTest, EachKindHasItsOwn) {
    EXPECT_FALSE(breaks(RequestOp::kWrite, 4096, 0, 1, kNs));
    EXPECT_TRUE(breaks(RequestOp::kRead, 4096, 0, 1, kNs));
    EXPECT_FALSE(breaks(RequestOp::kTrim, 4096, 2048, 0, 0));
    EXPECT_TRUE(breaks(RequestOp::kTrim, 4096, 2048, 1, 0));
    EXPECT_TRUE(breaks(RequestOp::kTrim, 4096, 2048, 0, kNs));
    EXPECT_FALSE(breaks(RequestOp::kZone, 4096, 0, 0, 0));
    EXPECT_TRUE(breaks(RequestOp::kZone, 4096, 2048, 0, 0));
    EXPECT_TRUE(breaks(RequestOp::kZone, 4096, 0, 1, 0));
    EXPECT_TRUE(breaks(RequestOp::kZone, 4096, 0, 0, kNs));
    where_.pages = 0;
    EXPECT_FALSE(breaks(RequestOp::kFlush, 0, 0, 0, 0));
    EXPECT_TRUE(breaks(RequestOp::kFlush, 4096, 0, 0, 0));
    EXPECT_TRUE(breaks(RequestOp::kFlush, 0, 2048, 0, 0));
    EXPECT_TRUE(breaks(RequestOp::kFlush, 0, 0, 0, kNs));
    where_.pages = 1;
    EXPECT_TRUE(breaks(RequestOp::kFlush, 0, 0, 0, 0));
}

TEST_F(RequestLawsTest, MoreHitsThanPagesAndAnswersOutOfOrderAreBroken) {
    where_.hits = 2;
    EXPECT_NE(broken().find("hits <= pages; hits is 2, pages is 1"), std::string::npos);
    where_.hits = 1;
    EXPECT_EQ(broken(), "");
    completed_ -= kNs; // it may be 1 less
    EXPECT_EQ(broken(), "");
    completed_ -= 2 * kNs;
    EXPECT_NE(broken().find("before.complete_ns <= complete_ns + 1"), std::string::npos);
}

} // namespace
} // namespace cavern::testing
