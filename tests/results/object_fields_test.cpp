#include "results/object_fields.h"

#include <gtest/gtest.h>

#include "results/summary.h"

namespace cavern::testing {
namespace {

using Json = nlohmann::ordered_json;

struct Source {
    std::uint64_t pages = 3;
    std::optional<double> share;
    std::vector<std::uint64_t> rounds{1, 2};
};

struct Own {
    std::uint64_t moves = 5;
    static constexpr auto declared =
        counters_of(counter(&Own::moves, "merges.switch", "merges", "Merges."));
};

ObjectFields<Source> small() {
    ObjectFields<Source> fields;
    fields.value("pages", "pages", "Pages.", [](const Source& s) { return s.pages; });
    return fields;
}

const FieldInfo& info_of(const std::vector<FieldInfo>& infos, std::string_view path) {
    for (const FieldInfo& info : infos) {
        if (info.path == path) {
            return info;
        }
    }
    throw std::out_of_range(std::string(path));
}

TEST(ObjectFieldsTest, ValuesArePrintedInTheOrderOfTheirDeclarations) {
    ObjectFields<Source> fields = small();
    fields.value("name", "", "A name.", [](const Source&) { return "x"; })
        .value("share", "share", "A share.", [](const Source& s) { return s.share; })
        .value("rounds", "pages", "Rounds.", [](const Source& s) { return s.rounds; })
        .value("energy", "J", "None yet.", [](const Source&) { return std::optional<double>(); });
    EXPECT_EQ(fields.json({}).dump(),
              R"({"pages":3,"name":"x","share":null,"rounds":[1,2],"energy":null})");
    EXPECT_EQ(info_of(fields.infos(), "rounds").kind, FieldKind::kInteger);
    EXPECT_TRUE(info_of(fields.infos(), "rounds").listed);
    EXPECT_TRUE(info_of(fields.infos(), "share").nullable);
    EXPECT_EQ(info_of(fields.infos(), "energy").kind, FieldKind::kNumber);
    EXPECT_TRUE(info_of(fields.infos(), "energy").nullable);
}

TEST(ObjectFieldsTest, ObjectsListsAndDottedCountersNest) {
    ObjectFields<Source> fields;
    fields.group("merges", "Merges.")
        .counters<Own>([](const Source&) { return Own{}; })
        .object("below", "Below.", small(), [](const Source& s) -> const Source& { return s; })
        .object("lacks", "Lacks.", small(), [](const Source&) -> const Source* { return nullptr; })
        .objects({"a", "b"}, "Two.", small(),
                 [](const Source&, std::size_t i) {
                     return Source{i, {}, {}};
                 })
        .list("each", "Each.", small(), [](const Source&) { return std::vector<Source>(2); });
    EXPECT_EQ(fields.json({}).dump(),
              R"({"merges":{"switch":5},"below":{"pages":3},"lacks":null,)"
              R"("a":{"pages":0},"b":{"pages":1},"each":[{"pages":3},{"pages":3}]})");
    EXPECT_EQ(info_of(fields.infos(), "b.pages").family, "{a,b}.pages");
    EXPECT_EQ(info_of(fields.infos(), "each[].pages").unit, "pages");
    EXPECT_TRUE(info_of(fields.infos(), "lacks").nullable);
}

TEST(ObjectFieldsTest, AFieldMayBeAbsentAndTheSchemaSaysSo) {
    ObjectFields<Source> fields = small();
    fields.object("more", "More.", small(), [](const Source& s) -> const Source& { return s; })
        .present("pages > 3", [](const Source& s) { return s.pages > 3; })
        .include(
            ObjectFields<Own>().counters<Own>([](const Own& own) -> const Own& { return own; }),
            [](const Source&) { return std::optional<Own>(); }, "never");
    EXPECT_EQ(fields.json({}).dump(), R"({"pages":3})");
    EXPECT_EQ(fields.json({4, {}, {}}).dump(), R"({"pages":4,"more":{"pages":4}})");
    EXPECT_EQ(info_of(fields.infos(), "more.pages").when, "pages > 3");
    const Json schema = fields_schema(small().infos());
    EXPECT_EQ(schema["required"], Json::array({"pages"}));
    EXPECT_EQ(fields_schema(fields.infos())["properties"]["more"]["required"],
              Json::array({"pages"}));
    EXPECT_EQ(fields_schema(fields.infos())["required"], Json::array({"pages"}));
}

TEST(ObjectFieldsTest, ASetOfATableGivesZerosForAnother) {
    const CounterSet& set = CounterSet::of<Own>();
    const Own own;
    for (const bool in_use : {true, false}) {
        ObjectFields<Source> fields;
        fields.counters(set,
                        [&](const Source&) { return in_use ? CounterView(own) : CounterView(); });
        EXPECT_EQ(fields.json({})["merges"]["switch"], in_use ? 5 : 0);
    }
}

TEST(ObjectFieldsTest, AnOldNameSaysWhatToReadInstead) {
    ObjectFields<Source> fields;
    fields.object("old", "Old.", small(), [](const Source& s) -> const Source& { return s; })
        .deprecated("new");
    ObjectFields<Source> whole;
    whole.object("ftl", "Layer.", fields, [](const Source& s) -> const Source& { return s; });
    EXPECT_EQ(info_of(whole.infos(), "ftl.old.pages").instead, "ftl.new.pages");
    const Json schema = fields_schema(whole.infos());
    EXPECT_EQ(schema["properties"]["ftl"]["properties"]["old"]["deprecated"], true);
    EXPECT_EQ(fields_markdown(whole.infos()).find("old.pages"), std::string::npos);
}

TEST(SummaryFieldsTest, EveryFieldHasOnePlaceAndASentence) {
    std::vector<std::string> paths;
    for (const FieldInfo& field : summary_fields()) {
        paths.push_back(field.path);
        EXPECT_NE(field.meaning, "") << field.path;
    }
    std::sort(paths.begin(), paths.end());
    EXPECT_EQ(std::adjacent_find(paths.begin(), paths.end()), paths.end());
    EXPECT_GT(paths.size(), 150u);
}

} // namespace
} // namespace cavern::testing
