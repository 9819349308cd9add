#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/base/lazy_array.h"
#include "core/ftl/victim_policy.h"

namespace cavern {

class StateArchive;

/// First in, first out: the candidate that began to be filled first (Desnoyers, SYSTOR 2012, as
/// "LRU cleaning"; Bux & Iliadis 2010 with a window of one). A tournament tree a plane over the
/// candidates alone, so that full blocks without garbage at the old end are not looked at again and
/// again: O(log blocks) twice in the life of a block.
class OldestFirst final : public VictimPolicyIf {
  public:
    explicit OldestFirst(const VictimContext& context);

    void on_open(PlaneId, BlockId block) override { opened_[raw(block)] = ++clock_; }
    void on_garbage(PlaneId plane, BlockId block) override;
    void on_collect(PlaneId plane, BlockId block) override;
    [[nodiscard]] std::optional<BlockId> choose(PlaneId plane) override;
    void serialize(StateArchive& archive) override;

  private:
    /// Nodes of one plane: [1] is the root, [n .. 2n) the leaves. Entries are BlockId + 1, 0 is
    /// none.
    [[nodiscard]] std::uint32_t* tree_of(PlaneId plane) {
        return &nodes_[std::size_t{raw(plane)} * 2 * blocks_per_plane_];
    }
    void set_leaf(PlaneId plane, BlockId block, std::uint32_t entry);
    [[nodiscard]] std::uint32_t older(std::uint32_t a, std::uint32_t b) const {
        if (a == 0 || b == 0) {
            return a + b;
        }
        return opened_[a - 1] < opened_[b - 1] ? a : b;
    }

    std::uint32_t blocks_per_plane_;
    std::uint64_t clock_ = 0;
    LazyArray<std::uint64_t> opened_; ///< by BlockId: when, in blocks opened
    LazyArray<std::uint32_t> nodes_;
};

} // namespace cavern
