#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/ftl/ftl.h"
#include "core/ftl/ftl_params.h"
#include "core/nand/nand_array.h"
#include "tests/unit/core_fixtures.h"

namespace cavern::testing {

inline FtlParams hybrid_params(double overprovision, std::uint32_t log_blocks) {
    FtlParams params;
    params.overprovision = overprovision;
    params.log_blocks = log_blocks;
    return params;
}

inline std::string text_of(const FlashOp& op) {
    const char* kinds[] = {"read", "program", "erase"};
    const char* origins[] = {"host", "gc", "merge", "padding", "map", "wear", "recovery"};
    std::string text = kinds[static_cast<int>(op.kind)];
    text += std::string(" ") + origins[static_cast<int>(op.origin)];
    text += " page " + std::to_string(raw(op.page));
    text += op.lpn == kNoLpn ? "" : " lpn " + std::to_string(raw(op.lpn));
    text += op.after == FlashOp::kNone ? "" : " after " + std::to_string(op.after);
    return text + (op.copies ? " copies" : "");
}

inline std::vector<std::string> text_of(const FlashOpList& ops) {
    std::vector<std::string> text;
    for (const FlashOp& op : ops) {
        text.push_back(text_of(op));
    }
    return text;
}

/// A hybrid translation layer with the array that carries out what it decides.
template <typename Ftl>
class Hybrid {
  public:
    Hybrid(const Geometry& shape, const FtlParams& params)
        : geometry(shape), ftl(shape, params, &log), array(shape, params.strict_order) {}

    /// Writes pages 0 .. count-1, then forgets counters and log.
    void fill(std::uint64_t count, PlaneId target = PlaneId{0}) { fill_from(0, count, target); }
    void fill_from(std::uint64_t first, std::uint64_t end, PlaneId target) {
        for (std::uint64_t lpn = first; lpn < end; ++lpn) {
            write_unit({lpn}, target);
        }
        ftl.reset_counters();
        log.lines.clear();
    }
    /// Page by page; returns the operations of the last.
    FlashOpList write(const std::vector<std::uint64_t>& lpns) {
        FlashOpList ops;
        for (const std::uint64_t lpn : lpns) {
            ops = write_unit({lpn}, PlaneId{0});
        }
        return ops;
    }
    FlashOpList write_unit(const std::vector<std::uint64_t>& lpns, PlaneId target) {
        std::vector<UnitPage> unit;
        for (const std::uint64_t lpn : lpns) {
            unit.push_back({Lpn{lpn}, target, false});
        }
        return write_unit(unit);
    }
    FlashOpList write_unit(const std::vector<UnitPage>& unit) {
        FlashOpList ops;
        ftl.write_unit(unit.data(), unit.size(), ops);
        carry_out(ops);
        return ops;
    }
    void trim(std::uint64_t lpn) {
        FlashOpList ops;
        ftl.trim(Lpn{lpn}, ops);
        EXPECT_TRUE(ops.empty());
    }
    [[nodiscard]] std::vector<std::string> merges() const { return log.starting_with("merge "); }

    /// Every mapped page is in the array where the map says.
    void expect_consistent() {
        EXPECT_GT(ftl.check_invariants(), 0u);
        std::uint64_t mapped = 0;
        for (std::uint64_t lpn = 0; lpn < ftl.logical_pages(); ++lpn) {
            if (const Ppn place = ftl.location(Lpn{lpn}); place != kNoPpn) {
                EXPECT_EQ(array.read(place), Lpn{lpn});
                ++mapped;
            }
        }
        EXPECT_EQ(mapped, ftl.mapped_pages());
        for (std::uint32_t block = 0; block < geometry.blocks(); ++block) {
            EXPECT_EQ(ftl.erase_count(BlockId{block}), array.erase_count(BlockId{block}));
        }
    }

    Geometry geometry;
    RecordingLog log;
    Ftl ftl;
    NandArray array;

  private:
    void carry_out(const FlashOpList& ops) {
        for (const FlashOp& op : ops) {
            if (op.kind == FlashOpKind::kErase) {
                array.erase(geometry.block_of(op.page));
            } else if (op.kind == FlashOpKind::kProgram) {
                array.program(op.page, op.lpn);
            } else {
                EXPECT_EQ(array.read(op.page), op.lpn);
            }
        }
    }
};

} // namespace cavern::testing
