#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/base/geometry.h"
#include "core/parts/discipline.h"

namespace cavern {

/// Blocks of the operations that one of the same queue would pass.
class PassedBlocks {
  public:
    [[nodiscard]] bool full() const { return count_ == kSchedulerWindow; }
    [[nodiscard]] bool has(BlockId block) const {
        return std::find(blocks_.begin(), blocks_.begin() + count_, block) !=
               blocks_.begin() + count_;
    }
    void add(BlockId block) { blocks_[count_++] = block; }

  private:
    std::array<BlockId, kSchedulerWindow> blocks_;
    std::uint32_t count_ = 0;
};

} // namespace cavern
