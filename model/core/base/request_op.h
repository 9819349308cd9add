#pragma once

#include <cstdint>

namespace cavern {

/// What a host command asks for.
enum class RequestOp : std::uint8_t { kRead, kWrite, kTrim, kFlush };

/// Reads and writes move data over the link; the others do not.
[[nodiscard]] constexpr bool moves_data(RequestOp op) {
    return op == RequestOp::kRead || op == RequestOp::kWrite;
}

} // namespace cavern
