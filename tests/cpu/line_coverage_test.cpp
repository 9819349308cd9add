#include "cpu/line_coverage.h"

#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "cpu/machine.h"
#include "tests/cpu/firmware_images.h"
#include "tests/support/source_dir.h"

namespace cavern::cpu {
namespace {

/// One file of a report.
struct Record {
    std::map<std::uint32_t, std::uint64_t> lines;
    std::map<std::string, std::uint64_t> calls;
    std::map<std::string, std::uint32_t> functions; ///< line of each
    std::map<std::string, std::uint64_t> totals;    ///< FNF, FNH, LF, LH
};

std::map<std::string, Record> records_of(const std::string& text) {
    std::map<std::string, Record> records;
    Record* record = nullptr;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::string key = line.substr(0, line.find(':'));
        const std::string value = line.substr(std::min(line.size(), key.size() + 1));
        const std::size_t comma = value.find(',');
        if (key == "SF") {
            EXPECT_EQ(records.count(value), 0u);
            record = &records[value];
        } else if (key == "DA") {
            EXPECT_TRUE(record->lines
                            .emplace(static_cast<std::uint32_t>(std::stoul(value)),
                                     std::stoull(value.substr(comma + 1)))
                            .second);
        } else if (key == "FN") {
            record->functions[value.substr(comma + 1)] =
                static_cast<std::uint32_t>(std::stoul(value));
        } else if (key == "FNDA") {
            record->calls[value.substr(comma + 1)] = std::stoull(value);
        } else if (key == "TN") {
            EXPECT_EQ(value, "");
        } else if (key != "end_of_record") {
            record->totals[key] = std::stoull(value);
        }
    }
    return records;
}

class LineCoverageTest : public ::testing::Test {
  protected:
    std::map<std::string, Record> covered(std::uint64_t instructions = 1'000'000) {
        Machine machine;
        machine.load(program);
        LineCoverage coverage(program, MemoryMap{});
        machine.run(instructions, [&](const Retired& retired) { coverage.add(retired); });
        return records_of(coverage.lcov());
    }
    /// Number of the only line of orders.c that has this in it.
    static std::uint32_t line_with(const std::string& part) {
        std::ifstream source(cavern::testing::source_dir() + "/firmware/debugger/orders.c");
        std::uint32_t number = 0;
        std::uint32_t found = 0;
        for (std::string line; std::getline(source, line);) {
            ++number;
            if (line.find(part) != std::string::npos) {
                EXPECT_EQ(found, 0u) << part;
                found = number;
            }
        }
        return found;
    }
    Program program = Program::read(firmware_image("debugger"), {});
    const std::string source = "firmware/debugger/orders.c";
};

// Two orders of three items each; there is always enough.
TEST_F(LineCoverageTest, CountsHowOftenALineWasExecuted) {
    const auto records = covered();
    ASSERT_EQ(records.count(source), 1u) << "as the build names it";
    const Record& orders = records.at(source);
    EXPECT_EQ(orders.lines.at(line_with("if (count > item->stock)")), 6u);
    EXPECT_EQ(orders.lines.at(line_with("item->stock -= count;")), 6u);
    EXPECT_EQ(orders.lines.at(line_with("sum += take(")), 6u);
    EXPECT_EQ(orders.lines.at(line_with("uint32_t sum = 0;")), 2u);
    EXPECT_EQ(orders.lines.at(line_with("for (uint32_t i")), 8u) << "the condition, at the end too";
    EXPECT_EQ(orders.lines.at(line_with("order(5)")), 1u);
    EXPECT_EQ(orders.calls.at("take"), 6u);
    EXPECT_EQ(orders.calls.at("order"), 2u);
    EXPECT_EQ(orders.calls.at("main"), 1u);
    EXPECT_EQ(orders.functions.at("main"), line_with("int main(void)"));
}

TEST_F(LineCoverageTest, WhatIsNeverExecutedHasZero) {
    const Record orders = covered().at(source);
    EXPECT_EQ(orders.lines.at(line_with("only %u left")), 0u);
    EXPECT_EQ(orders.lines.at(line_with("only %u left") + 1), 0u) << "and the return below it";
    EXPECT_EQ(covered().at("firmware/runtime/crt0.S").calls.at("trap_entry"), 0u);
    // No instruction at all: every line is there, with 0.
    for (const auto& [name, record] : covered(0)) {
        EXPECT_EQ(record.totals.at("LH"), 0u) << name;
        EXPECT_EQ(record.totals.at("FNH"), 0u) << name;
        EXPECT_EQ(record.lines.size(), covered().at(name).lines.size());
    }
}

TEST_F(LineCoverageTest, TotalsAreThoseOfTheirLines) {
    for (const auto& [name, record] : covered()) {
        std::uint64_t hit = 0;
        for (const auto& [line, count] : record.lines) {
            hit += count != 0 ? 1 : 0;
        }
        std::uint64_t called = 0;
        for (const auto& [function, calls] : record.calls) {
            called += calls != 0 ? 1 : 0;
        }
        EXPECT_EQ(record.totals.at("LF"), record.lines.size()) << name;
        EXPECT_EQ(record.totals.at("LH"), hit) << name;
        EXPECT_EQ(record.totals.at("FNF"), record.functions.size()) << name;
        EXPECT_EQ(record.totals.at("FNH"), called) << name;
        EXPECT_EQ(record.calls.size(), record.functions.size()) << name;
    }
}

TEST_F(LineCoverageTest, EveryLineOfTheImageIsThere) {
    const auto records = covered();
    std::size_t rows = 0;
    for (const LineRow& row : program.lines()) {
        rows += records.at(program.files()[row.file]).lines.count(row.line);
    }
    EXPECT_EQ(rows, program.lines().size());
    EXPECT_GT(rows, 100u);
}

TEST_F(LineCoverageTest, AnyInstructionOfALineCounts) {
    int rows = 0;
    for (const LineRow& row : program.lines()) {
        if (program.files()[row.file] != source) {
            continue;
        }
        for (std::uint32_t pc = row.address; pc < row.end; pc += 2) {
            LineCoverage coverage(program, MemoryMap{});
            Retired retired;
            retired.pc = pc;
            coverage.add(retired);
            const auto records = records_of(coverage.lcov());
            EXPECT_EQ(records.at(source).lines.at(row.line), 1u) << row.line;
            EXPECT_EQ(records.at(source).totals.at("LH"), 1u);
        }
        ++rows;
    }
    EXPECT_GT(rows, 10);
}

TEST_F(LineCoverageTest, AnInstructionOutsideTheMemoryCountsNowhere) {
    LineCoverage coverage(program, MemoryMap{});
    const std::string before = coverage.lcov();
    Retired retired;
    retired.pc = 0x0014'0000;
    coverage.add(retired);
    retired.pc = 0x000F'FFFE;
    coverage.add(retired);
    EXPECT_EQ(coverage.lcov(), before);
    retired.pc = *program.address_of("main");
    coverage.add(retired);
    EXPECT_NE(coverage.lcov(), before);
}

} // namespace
} // namespace cavern::cpu
