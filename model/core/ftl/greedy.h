#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/geometry.h"
#include "core/base/lazy_array.h"
#include "core/ftl/block_state.h"
#include "core/ftl/victim_policy.h"

namespace cavern {

class StateArchive;

/// The candidate with the fewest valid pages; ties go to the lower erase count, then the lower id.
///
/// One tournament tree a plane: leaf i is block i, an inner node the better of its two children. A
/// block whose count fell climbs until it meets a better one, two levels on average when blocks are
/// hit at random and log2(blocks) at worst; the choice itself is a look at the root. The climbs
/// wait in a short list until the tree is asked or the list is full, so that the processor can
/// overlap them instead of stalling each host page.
class Greedy final : public VictimPolicyIf {
  public:
    /// `blocks` must outlive the policy.
    explicit Greedy(const VictimContext& context) : Greedy(context.geometry, context.blocks) {}
    Greedy(const Geometry& geometry, const BlockStates& blocks);

    void on_garbage(PlaneId plane, BlockId block) override;
    void on_collect(PlaneId plane, BlockId block) override;
    [[nodiscard]] std::optional<BlockId> choose(PlaneId plane) override;
    void serialize(StateArchive& archive) override;

  private:
    struct Waiting {
        std::uint32_t count = 0;
        std::array<std::uint32_t, 31> blocks;

        void serialize(StateArchive& archive);
    };

    /// Nodes of one plane: [1] is the root, [n .. 2n) the leaves. Entries are BlockId + 1, 0 is
    /// none.
    [[nodiscard]] std::uint32_t* tree_of(PlaneId plane) {
        return &nodes_[std::size_t{raw(plane)} * 2 * blocks_per_plane_];
    }
    /// Of `block` in the tree of its plane.
    [[nodiscard]] std::uint32_t leaf_of(PlaneId plane, std::uint32_t block) const {
        return block - (raw(plane) - 1) * blocks_per_plane_;
    }
    [[nodiscard]] std::uint32_t better(std::uint32_t a, std::uint32_t b) const;
    void climb(PlaneId plane);

    std::uint32_t blocks_per_plane_;
    const BlockStates& blocks_;
    LazyArray<std::uint32_t> nodes_;
    std::vector<Waiting> waiting_; ///< per plane
};

} // namespace cavern
