#pragma once

#include <cstdint>

#include "core/base/units.h"

namespace cavern {

/// The ECC engine of a channel: a decoder for pages that come from the dies, and an encoder for
/// pages that go there.
struct EccParams {
    bool engine = false;                ///< each channel has one
    std::uint32_t codeword = 2 * kKiB;  ///< data bytes that are coded together
    TimePs encode_latency = 0;          ///< a codeword is in the encoder for so long
    TimePs decode_latency = 0;          ///< and in the decoder
    std::uint64_t bytes_per_second = 0; ///< of data, for each of the two; 0: any number

    /// Time from one codeword to the next.
    [[nodiscard]] TimePs interval() const {
        return bytes_per_second == 0
                   ? 0
                   : (codeword * kSecond + bytes_per_second / 2) / bytes_per_second;
    }
};

} // namespace cavern
