#pragma once

#include <cstdint>
#include <vector>

#include "core/ftl/ftl.h"
#include "core/ftl/ftl_params.h"
#include "core/nand/nand_array.h"
#include "tests/core/ftl/flash_op_text.h"
#include "tests/support/core_fixtures.h"

namespace cavern::testing {

FtlParams hybrid_params(double overprovision, std::uint32_t log_blocks);
/// Half of the drive is exported.
FtlParams half_exported(std::uint32_t log_blocks, bool strict, bool eager);
/// first, first + 1, .. end - 1
std::vector<std::uint64_t> range(std::uint64_t first, std::uint64_t end);

/// A translation layer with log blocks, and the array that carries out what it decides: all that
/// does not depend on which layer it is.
class HybridDrive {
  public:
    virtual ~HybridDrive() = default;
    /// Writes pages 0 .. count-1, then forgets counters and log.
    void fill(std::uint64_t count, PlaneId target = PlaneId{0}) { fill_from(0, count, target); }
    void fill_from(std::uint64_t first, std::uint64_t end, PlaneId target);
    /// Page by page; returns the operations of the last.
    FlashOpList write(const std::vector<std::uint64_t>& lpns);
    FlashOpList write_unit(const std::vector<std::uint64_t>& lpns, PlaneId target);
    FlashOpList write_unit(const std::vector<UnitPage>& unit);
    void trim(std::uint64_t lpn);
    void trim(const std::vector<std::uint64_t>& lpns);

    [[nodiscard]] Lines merges() const { return log.starting_with("merge "); }
    [[nodiscard]] Lines reclaims() const { return log.starting_with("gc "); }

    // Where the newest version of a page is.
    [[nodiscard]] BlockId block_of(std::uint64_t lpn) const;
    [[nodiscard]] PlaneId plane_of(std::uint64_t lpn) const;
    [[nodiscard]] std::uint32_t page_in_block(std::uint64_t lpn) const;

    /// Every mapped page is in the array where the map says.
    void expect_consistent();
    /// No call takes the page, and none leaves operations.
    void expect_beyond_the_drive(std::uint64_t lpn);
    /// Whether the layer finds its own state broken.
    [[nodiscard]] bool is_damaged() const;

    Geometry geometry;
    RecordingLog log;
    NandArray array;

  protected:
    HybridDrive(const Geometry& shape, const FtlParams& params)
        : geometry(shape), array(shape, params.strict_order) {}

  private:
    [[nodiscard]] virtual FtlIf& layer() = 0;
    [[nodiscard]] virtual const FtlIf& layer() const = 0;
    [[nodiscard]] virtual std::uint32_t erase_count(BlockId block) const = 0;
    void carry_out(const FlashOpList& ops);
};

template <typename Ftl>
class Hybrid : public HybridDrive {
  public:
    /// With pages 0 .. filled-1 written.
    Hybrid(const Geometry& shape, const FtlParams& params, std::uint64_t filled = 0)
        : HybridDrive(shape, params), ftl(shape, params, &log) {
        fill(filled);
    }

    Ftl ftl;

  private:
    [[nodiscard]] FtlIf& layer() final { return ftl; }
    [[nodiscard]] const FtlIf& layer() const final { return ftl; }
    [[nodiscard]] std::uint32_t erase_count(BlockId block) const final {
        return ftl.erase_count(block);
    }
};

} // namespace cavern::testing
