#pragma once

#include <cstdint>
#include <string>

#include "core/base/geometry.h"
#include "core/base/lazy_array.h"

namespace cavern {

/// Zero is kFree: a block never touched.
enum class BlockUse : std::uint8_t {
    kFree,    ///< erased, in the pool
    kOpen,    ///< a frontier: being filled
    kClosed,  ///< full; may be collected
    kEmptied, ///< its valid pages are moved out step by step; then it is erased
    kDoomed,  ///< a program in it has failed: to be emptied and retired at once
    kBad,     ///< retired, or bad from the beginning
    kSlc,     ///< in SLC mode: of the layer's cache, not of its pool
};

/// What a page-mapped FTL knows of one block. Zero-initialised in a LazyArray, so that untouched
/// blocks cost nothing.
struct BlockState {
    std::uint32_t erases;
    std::uint16_t valid; ///< pages the map points to
    BlockUse use;
    bool tables; ///< of a block in use: it holds pages of the layer's own map
};

/// For messages: "block 7".
[[nodiscard]] inline std::string block_name(BlockId block) {
    return "block " + std::to_string(raw(block));
}

using BlockStates = LazyArray<BlockState>; ///< by BlockId

} // namespace cavern
