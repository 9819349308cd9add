#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/geometry.h"

namespace cavern {

/// Which blocks are bad and which operations fail. What happens to a block depends on the block,
/// its erase count and the page alone, never on what else was asked, so that runs repeat.
class BlockFaultsIf {
  public:
    virtual ~BlockFaultsIf() = default;
    /// Unusable from the beginning.
    [[nodiscard]] virtual bool is_factory_bad(BlockId block) const = 0;
    /// Programming the page in the block's present cycle fails.
    [[nodiscard]] virtual bool program_fails(BlockId block, std::uint32_t page,
                                             std::uint32_t erases) const = 0;
    /// The erase that follows `erases` earlier ones fails.
    [[nodiscard]] virtual bool erase_fails(BlockId block, std::uint32_t erases) const = 0;
    /// Whether anything can fail at all after the beginning.
    [[nodiscard]] virtual bool can_grow() const = 0;
};

/// A single fault.
struct BlockFault {
    enum class Kind : std::uint8_t { kFactory, kProgram, kErase };
    Kind kind = Kind::kFactory;
    BlockId block{0};
    std::uint32_t page = 0;   ///< kProgram: within the block
    std::uint32_t erases = 0; ///< of the block, before; not for kFactory
};

struct BlockFaultParams {
    double factory_bad = 0.0;       ///< share of the blocks
    double program_failures = 0.0;  ///< share of the programs
    double erase_failures = 0.0;    ///< share of the erases
    std::uint32_t last_erase = 0;   ///< a block takes no more erases than this; 0: any number
    std::string list;               ///< file with single faults; empty: none
    std::vector<BlockFault> single; ///< the same, given directly

    /// Whether blocks may become bad that are not from the beginning.
    [[nodiscard]] bool can_grow() const {
        return program_failures > 0 || erase_failures > 0 || last_erase != 0 || !list.empty() ||
               !single.empty();
    }
    [[nodiscard]] bool any() const { return factory_bad > 0 || can_grow(); }
};

/// Faults at given rates, drawn from a seed, and those of a list.
class BlockFaults final : public BlockFaultsIf {
  public:
    /// Reads the list, see read_block_faults().
    BlockFaults(const Geometry& geometry, const BlockFaultParams& params, std::uint64_t seed);

    [[nodiscard]] bool is_factory_bad(BlockId block) const override;
    [[nodiscard]] bool program_fails(BlockId block, std::uint32_t page,
                                     std::uint32_t erases) const override;
    [[nodiscard]] bool erase_fails(BlockId block, std::uint32_t erases) const override;
    [[nodiscard]] bool can_grow() const override { return grows_; }

  private:
    [[nodiscard]] bool is_listed(const BlockFault& fault) const;
    [[nodiscard]] std::uint64_t draw(const BlockFault& fault) const;

    std::uint64_t factory_;
    std::uint64_t program_; ///< of 2^64
    std::uint64_t erase_;
    std::uint32_t last_erase_;
    std::uint64_t seed_;
    std::vector<BlockFault> listed_; ///< sorted
    bool grows_;
};

/// Reads a list: a fault a line, `factory BLOCK`, `program BLOCK PAGE ERASES` or `erase BLOCK
/// ERASES`, BLOCK a flat number; # begins a comment. Throws UserError with file and line.
[[nodiscard]] std::vector<BlockFault> read_block_faults(const std::string& path,
                                                        const Geometry& geometry);

/// Blocks that are bad from the beginning in the plane that has most of them. Looks at every block,
/// if any can be.
[[nodiscard]] std::uint32_t most_factory_bad(const Geometry& geometry,
                                             const BlockFaultParams& params, std::uint64_t seed);

} // namespace cavern
