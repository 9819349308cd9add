// The scheduler against DRAMSys, DRAMsim3 and closed forms (tests/reference/README.md), and the
// part files against the parameters those comparisons use.

#include <gtest/gtest.h>

#include "bench/dram_reference_comparison.h"
#include "bench/dram_reference_streams.h"
#include "core/base/error.h"
#include "core/base/toml.h"
#include "core/base/units.h"
#include "tests/support/source_dir.h"
#include <fstream>
#include <map>
#include <sstream>

namespace cavern {
namespace {

const std::string kSource = testing::source_dir();
const std::string kFigures = kSource + "/tests/reference/ddr3-1600-reference.csv";

/// A number that depends on every access and on their order.
std::uint64_t digest(const std::vector<ReferenceAccess>& stream) {
    std::uint64_t hash = 0;
    for (const ReferenceAccess& access : stream) {
        for (const std::uint64_t value :
             {access.earliest, access.address, std::uint64_t{access.is_write ? 1u : 0u}}) {
            hash = (hash ^ value) * 1099511628211u;
        }
    }
    return hash;
}

TEST(SdramReferenceTest, TheStreamsAreThoseTheSimulatorsRan) {
    // Digests of the files the simulators read.
    const std::map<std::string, std::uint64_t> known = {
        {"a_seq_rd", 8740519242360901632u},    {"b_seq_wr", 10067827297089727456u},
        {"c_rnd_rd", 9350785204840763584u},    {"d_rnd_wr", 6807922555188125472u},
        {"e_rnd_mix", 4515701883076266569u},   {"f_4k_wr", 6743268276934781920u},
        {"g_4k_alt", 8349704842858237248u},    {"h_2k_rd_1us", 14329406147605690368u},
        {"i_single_rd", 3841442598509081216u}, {"j_single_rd_1us", 14457879885226040192u},
    };
    ASSERT_EQ(reference_stream_names().size(), known.size());
    for (const std::string& name : reference_stream_names()) {
        const auto stream = make_reference_stream(name);
        EXPECT_EQ(stream.size(), 100'000u) << name;
        EXPECT_EQ(digest(stream), known.at(name)) << name;
    }
    EXPECT_THROW((void)make_reference_stream("k"), ModelError);
}

TEST(SdramReferenceTest, EveryFigureOfTheSimulatorsIsMet) {
    const auto rows = compare_with_simulators(kFigures, ddr3_1600_2gb_x16());
    EXPECT_GE(rows.size(), 50u);
    for (const ComparisonRow& row : rows) {
        EXPECT_TRUE(row.holds()) << row.stream << ", " << row.variant << ", " << row.source << ": "
                                 << row.quantity << " " << row.ours << " against " << row.reference
                                 << ", bound " << row.bound;
    }
}

TEST(SdramReferenceSlowTest, AWrongParameterIsNoticed) {
    const auto broken_rows = [](const SdramTiming& timing) {
        std::size_t count = 0;
        for (const ComparisonRow& row : compare_with_simulators(kFigures, timing)) {
            count += row.holds() ? 0 : 1;
        }
        return count;
    };
    SdramTiming timing = ddr3_1600_2gb_x16();
    timing.t_rfc = 208;
    EXPECT_GT(broken_rows(timing), 0u);
    timing = ddr3_1600_2gb_x16();
    timing.t_faw = 24;
    timing.t_rrd = 5;
    EXPECT_GT(broken_rows(timing), 0u);
    timing = ddr3_1600_2gb_x16();
    timing.cl = 11;
    EXPECT_GT(broken_rows(timing), 0u);
    timing = ddr3_1600_2gb_x16();
    timing.t_wr = 24;
    EXPECT_GT(broken_rows(timing), 0u);
}

TEST(SdramReferenceTest, ClosedFormsAreReached) {
    for (const SdramTiming& timing :
         {SdramTiming{}, ddr3_1600_2gb_x16(), ddr4_3200(), lpddr4_3200()}) {
        const auto rows = compare_with_formulas("part", timing);
        EXPECT_EQ(rows.size(), 7u);
        for (const ComparisonRow& row : rows) {
            EXPECT_TRUE(row.holds()) << row.stream << ": " << row.ours << " against "
                                     << row.reference << " = " << row.source;
        }
    }
}

/// Without the turns of neighbouring bursts between two groups, a stream has half the bus.
TEST(SdramReferenceTest, TheClosedFormsSeeBankGroupsThatDoNotTakeTurns) {
    SdramTiming timing = ddr4_3200();
    timing.t_ccd = timing.t_ccd_l; // no faster between groups: one bank follows itself
    ASSERT_EQ(timing.lanes(), 1u);
    SdramTiming right = ddr4_3200();
    const auto slow = compare_with_formulas("part", timing);
    const auto fast = compare_with_formulas("part", right);
    for (std::size_t i = 3; i < 6; ++i) {
        EXPECT_NEAR(slow[i].ours / fast[i].ours, 0.5, 0.01) << slow[i].stream;
    }
}

TEST(SdramReferenceTest, AMissingOrMalformedFileIsAUserError) {
    EXPECT_THROW((void)compare_with_simulators("no-such-file.csv", SdramTiming{}), UserError);
    const std::string path = ::testing::TempDir() + "sdram-reference-short.csv";
    std::ofstream(path) << "simulator,controller,stream,bandwidth_Bps,activates\n"
                        << "DRAMSys v5.1,fr_fcfs,a_seq_rd,1\n";
    try {
        (void)compare_with_simulators(path, SdramTiming{});
        FAIL() << "a short line was accepted";
    } catch (const UserError& error) {
        EXPECT_EQ(std::string(error.what()).find(path + ":2: "), 0u) << error.what();
    }
    std::remove(path.c_str());
}

void expect_equal(const SdramTiming& a, const SdramTiming& b) {
    EXPECT_EQ(a.t_ck, b.t_ck);
    EXPECT_EQ(a.bus_bits, b.bus_bits);
    EXPECT_EQ(a.burst_length, b.burst_length);
    EXPECT_EQ(a.banks, b.banks);
    EXPECT_EQ(a.row_bytes, b.row_bytes);
    EXPECT_EQ(a.cl, b.cl);
    EXPECT_EQ(a.cwl, b.cwl);
    EXPECT_EQ(a.t_rcd, b.t_rcd);
    EXPECT_EQ(a.t_rp, b.t_rp);
    EXPECT_EQ(a.t_ras, b.t_ras);
    EXPECT_EQ(a.t_rc, b.t_rc);
    EXPECT_EQ(a.t_rrd, b.t_rrd);
    EXPECT_EQ(a.t_faw, b.t_faw);
    EXPECT_EQ(a.t_ccd, b.t_ccd);
    EXPECT_EQ(a.t_rtp, b.t_rtp);
    EXPECT_EQ(a.t_wr, b.t_wr);
    EXPECT_EQ(a.t_wtr, b.t_wtr);
    EXPECT_EQ(a.t_rfc, b.t_rfc);
    EXPECT_EQ(a.t_refi, b.t_refi);
    EXPECT_EQ(a.bank_groups, b.bank_groups);
    EXPECT_EQ(a.t_ccd_l, b.t_ccd_l);
    EXPECT_EQ(a.t_rrd_l, b.t_rrd_l);
    EXPECT_EQ(a.t_wtr_l, b.t_wtr_l);
    EXPECT_EQ(a.t_rp_ab, b.t_rp_ab);
    EXPECT_EQ(a.queue_depth, b.queue_depth);
}

SdramTiming read_part(const std::string& name) {
    const toml::table part = toml::parse_file(kSource + "/configs/dram/" + name + ".toml");
    const auto quantity = [&](const char* key, Quantity kind) {
        return parse_quantity(part[key].value<std::string>().value(), kind).value();
    };
    const auto count = [&](const char* key) {
        return static_cast<std::uint32_t>(part[key].value<std::int64_t>().value());
    };
    SdramTiming t;
    t.t_ck = quantity("t_ck", Quantity::kTime);
    t.bus_bits = count("bus_bits");
    t.burst_length = count("burst_length");
    t.banks = count("banks");
    t.row_bytes = static_cast<std::uint32_t>(quantity("row_bytes", Quantity::kBytes));
    t.cl = count("cl");
    t.cwl = count("cwl");
    t.t_rcd = count("t_rcd");
    t.t_rp = count("t_rp");
    t.t_ras = count("t_ras");
    t.t_rc = count("t_rc");
    t.t_rrd = count("t_rrd");
    t.t_faw = count("t_faw");
    t.t_ccd = count("t_ccd");
    t.t_rtp = count("t_rtp");
    t.t_wr = count("t_wr");
    t.t_wtr = count("t_wtr");
    t.t_rfc = count("t_rfc");
    t.t_refi = count("t_refi");
    t.queue_depth = count("queue_depth");
    const auto count_or = [&](const char* key, std::uint32_t fallback) {
        return static_cast<std::uint32_t>(part[key].value_or(std::int64_t{fallback}));
    };
    t.bank_groups = count_or("bank_groups", 1);
    t.t_ccd_l = count_or("t_ccd_l", 0);
    t.t_rrd_l = count_or("t_rrd_l", 0);
    t.t_wtr_l = count_or("t_wtr_l", 0);
    t.t_rp_ab = count_or("t_rp_ab", 0);
    EXPECT_FALSE(part["source"].value_or(std::string{}).empty());
    return t;
}

TEST(SdramPartTest, PartFilesHoldTheParametersThatWereCompared) {
    {
        SCOPED_TRACE("ddr3-1600");
        expect_equal(read_part("ddr3-1600"), SdramTiming{});
    }
    {
        SCOPED_TRACE("ddr4-3200");
        expect_equal(read_part("ddr4-3200"), ddr4_3200());
    }
    {
        SCOPED_TRACE("lpddr4-3200");
        expect_equal(read_part("lpddr4-3200"), lpddr4_3200());
    }
    SCOPED_TRACE("ddr3-1600-2gb-x16");
    expect_equal(read_part("ddr3-1600-2gb-x16"), ddr3_1600_2gb_x16());
}

TEST(SdramPartTest, TheReferencePartIsTheOneTheSimulatorsModelled) {
    std::ifstream in(kSource + "/tests/reference/ddr3-1600-2gb-x16-part.csv");
    std::map<std::string, std::string> value;
    for (std::string line; std::getline(in, line);) {
        std::istringstream fields(line);
        std::string name;
        std::string unit;
        std::string text;
        std::getline(fields, name, ',');
        std::getline(fields, unit, ',');
        std::getline(fields, text, ',');
        value[name] = text;
    }
    const SdramTiming t = ddr3_1600_2gb_x16();
    const auto clocks = [&](const char* name) {
        return static_cast<std::uint32_t>(std::stoul(value.at(name)));
    };
    EXPECT_EQ(static_cast<TimePs>(std::stod(value.at("tCK")) * 1000.0 + 0.5), t.t_ck);
    EXPECT_EQ(clocks("banks"), t.banks);
    EXPECT_EQ(clocks("columns") * t.bus_bits / 8, t.row_bytes);
    EXPECT_EQ(clocks("burst length"), t.burst_length);
    EXPECT_EQ(clocks("CL / RL"), t.cl);
    EXPECT_EQ(clocks("CWL / WL"), t.cwl);
    EXPECT_EQ(clocks("tRCD"), t.t_rcd);
    EXPECT_EQ(clocks("tRP"), t.t_rp);
    EXPECT_EQ(clocks("tRAS"), t.t_ras);
    EXPECT_EQ(clocks("tRC"), t.t_rc);
    EXPECT_EQ(clocks("tRRD"), t.t_rrd);
    EXPECT_EQ(clocks("tFAW"), t.t_faw);
    EXPECT_EQ(clocks("tCCD"), t.t_ccd);
    EXPECT_EQ(clocks("tRTP"), t.t_rtp);
    EXPECT_EQ(clocks("tWR"), t.t_wr);
    EXPECT_EQ(clocks("tWTR"), t.t_wtr);
    EXPECT_EQ(clocks("RD to WR"), t.read_to_write());
    EXPECT_EQ(clocks("tRFC"), t.t_rfc);
    EXPECT_EQ(clocks("tREFI"), t.t_refi);
}

} // namespace
} // namespace cavern
