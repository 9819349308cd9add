#pragma once

namespace cavern {

/// For products of two 64-bit numbers. A GCC and Clang extension, which -Wpedantic mentions
/// wherever it is named.
__extension__ using Uint128 = unsigned __int128;

} // namespace cavern
