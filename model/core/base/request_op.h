#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cavern {

/// What a host command asks for.
enum class RequestOp : std::uint8_t { kRead, kWrite, kTrim, kFlush, kZone };
inline constexpr std::size_t kRequestOps = 5;
/// How each is written in a file of requests, in their order.
inline constexpr std::string_view kRequestLetters = "RWTFZ";
static_assert(kRequestLetters.size() == kRequestOps);
/// Which one a letter is, or kRequestOps.
[[nodiscard]] constexpr std::size_t place_of_letter(char letter) {
    std::size_t place = 0; // not find(): most are among the first two
    while (place < kRequestOps && kRequestLetters[place] != letter) {
        ++place;
    }
    return place;
}

/// Of a namespace with zones: that a write is a zone append, and what a kZone asks for (NVMe ZNS
/// 1.1: Zone Management Send).
enum class ZoneAction : std::uint8_t { kNone, kAppend, kOpen, kClose, kFinish, kReset };

/// Reads and writes move data over the link; the others do not.
[[nodiscard]] constexpr bool moves_data(RequestOp op) {
    return op == RequestOp::kRead || op == RequestOp::kWrite;
}

} // namespace cavern
