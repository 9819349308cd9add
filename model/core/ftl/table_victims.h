#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "core/ftl/block_state.h"
#include "core/ftl/greedy.h"
#include "core/ftl/victim_policy.h"

namespace cavern {

class StateArchive;

/// Victims among all blocks by one policy and, when asked to, among those that hold pages of the
/// layer's own map: of these the one with the fewest valid pages.
class TableVictims final : public VictimPolicyIf {
  public:
    TableVictims(std::unique_ptr<VictimPolicyIf> all, const Geometry& geometry,
                 const BlockStates& blocks)
        : all_(std::move(all)), blocks_(blocks), tables_(geometry, blocks) {}

    void on_open(PlaneId plane, BlockId block) override { all_->on_open(plane, block); }
    void on_garbage(PlaneId plane, BlockId block) override {
        all_->on_garbage(plane, block);
        if (blocks_[raw(block)].tables) {
            tables_.on_garbage(plane, block);
        }
    }
    void on_collect(PlaneId plane, BlockId block) override {
        all_->on_collect(plane, block);
        if (blocks_[raw(block)].tables) {
            tables_.on_collect(plane, block);
        }
    }
    [[nodiscard]] std::optional<BlockId> choose(PlaneId plane) override {
        return all_->choose(plane);
    }
    [[nodiscard]] std::optional<BlockId> choose_table(PlaneId plane) {
        return tables_.choose(plane);
    }
    void serialize(StateArchive& archive) override;

  private:
    std::unique_ptr<VictimPolicyIf> all_;
    const BlockStates& blocks_;
    Greedy tables_;
};

} // namespace cavern
