#include "tests/core/ftl/hybrid_fixture.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace cavern::testing {

FtlParams hybrid_params(double overprovision, std::uint32_t log_blocks) {
    FtlParams params;
    params.overprovision = overprovision;
    params.log_blocks = log_blocks;
    return params;
}

FtlParams half_exported(std::uint32_t log_blocks, bool strict, bool eager) {
    FtlParams params = hybrid_params(0.5, log_blocks);
    params.strict_order = strict;
    params.eager_switch = eager;
    return params;
}

std::vector<std::uint64_t> range(std::uint64_t first, std::uint64_t end) {
    std::vector<std::uint64_t> pages;
    for (std::uint64_t page = first; page < end; ++page) {
        pages.push_back(page);
    }
    return pages;
}

void HybridDrive::fill_from(std::uint64_t first, std::uint64_t end, PlaneId target) {
    for (std::uint64_t lpn = first; lpn < end; ++lpn) {
        write_unit({lpn}, target);
    }
    layer().reset_counters();
    log.lines.clear();
}

FlashOpList HybridDrive::write(const std::vector<std::uint64_t>& lpns) {
    FlashOpList ops;
    for (const std::uint64_t lpn : lpns) {
        ops = write_unit({lpn}, PlaneId{0});
    }
    return ops;
}

FlashOpList HybridDrive::write_unit(const std::vector<std::uint64_t>& lpns, PlaneId target) {
    std::vector<UnitPage> unit;
    for (const std::uint64_t lpn : lpns) {
        unit.push_back({Lpn{lpn}, target, false});
    }
    return write_unit(unit);
}

FlashOpList HybridDrive::write_unit(const std::vector<UnitPage>& unit) {
    FlashOpList ops;
    layer().write_unit(unit.data(), unit.size(), ops);
    carry_out(ops);
    return ops;
}

void HybridDrive::trim(std::uint64_t lpn) {
    FlashOpList ops;
    layer().trim(Lpn{lpn}, ops);
    EXPECT_TRUE(ops.empty());
}

void HybridDrive::trim(const std::vector<std::uint64_t>& lpns) {
    for (const std::uint64_t lpn : lpns) {
        trim(lpn);
    }
}

BlockId HybridDrive::block_of(std::uint64_t lpn) const {
    return geometry.block_of(layer().location(Lpn{lpn}));
}

PlaneId HybridDrive::plane_of(std::uint64_t lpn) const {
    return geometry.plane_of(block_of(lpn));
}

std::uint32_t HybridDrive::page_in_block(std::uint64_t lpn) const {
    return geometry.page_in_block(layer().location(Lpn{lpn}));
}

void HybridDrive::expect_consistent() {
    EXPECT_GT(layer().check_invariants(), 0u);
    std::uint64_t mapped = 0;
    for (std::uint64_t lpn = 0; lpn < layer().logical_pages(); ++lpn) {
        if (const Ppn place = layer().location(Lpn{lpn}); place != kNoPpn) {
            EXPECT_EQ(array.read(place), Lpn{lpn});
            ++mapped;
        }
    }
    EXPECT_EQ(mapped, layer().mapped_pages());
    for (std::uint32_t block = 0; block < geometry.blocks(); ++block) {
        EXPECT_EQ(erase_count(BlockId{block}), array.erase_count(BlockId{block}));
    }
}

void HybridDrive::expect_beyond_the_drive(std::uint64_t lpn) {
    FlashOpList ops;
    EXPECT_THROW(layer().write(Lpn{lpn}, PlaneId{0}, ops), ModelError);
    EXPECT_THROW(layer().pad(Lpn{lpn}, PlaneId{0}, ops), ModelError);
    EXPECT_THROW(layer().trim(Lpn{lpn}, ops), ModelError);
    EXPECT_THROW((void)layer().location(Lpn{lpn}), ModelError);
    EXPECT_TRUE(ops.empty());
}

bool HybridDrive::is_damaged() const {
    try {
        (void)layer().check_invariants();
    } catch (const ModelError&) {
        return true;
    }
    return false;
}

void HybridDrive::carry_out(const FlashOpList& ops) {
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

} // namespace cavern::testing
