#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/lazy_array.h"
#include "core/base/strong_id.h"

namespace cavern {

class StateArchive;

/// Blocks whose pages are to be moved before they cannot be read any more: reads disturb the other
/// pages of a block (Y. Cai et al., "Read Disturb Errors in MLC NAND Flash Memory", DSN 2015), and
/// who decodes a page sees what time has done to it. A block is due after so many reads since its
/// erase, or when somebody asks; it is no more when it is erased.
class BlockRefresh {
  public:
    /// `reads`: of a block; 0: any number.
    BlockRefresh(std::uint32_t blocks, std::uint32_t planes, std::uint64_t reads)
        : reads_(reads), states_(blocks), due_(planes) {}

    void on_read(BlockId block, PlaneId plane) {
        if (reads_ != 0 && ++states_[raw(block)].reads >= reads_) {
            ask(block, plane);
        }
    }
    void ask(BlockId block, PlaneId plane) {
        State& state = states_[raw(block)];
        if (!state.due) {
            state.due = true;
            due_[raw(plane)].push_back(block);
        }
    }
    /// It is erased, or bad.
    void forget(BlockId block, PlaneId plane) {
        State& state = states_[raw(block)];
        if (state.due) {
            std::vector<BlockId>& due = due_[raw(plane)];
            due.erase(std::find(due.begin(), due.end(), block));
        }
        state = {};
    }
    /// In the order in which they became so.
    [[nodiscard]] const std::vector<BlockId>& due(PlaneId plane) const { return due_[raw(plane)]; }
    void serialize(StateArchive& archive);

  private:
    struct State {
        std::uint64_t reads;
        bool due;
    };

    std::uint64_t reads_;
    LazyArray<State> states_; ///< by block
    std::vector<std::vector<BlockId>> due_;
};

} // namespace cavern
