#pragma once

#include <cstdint>

#include "core/base/units.h"
#include "core/parts/bit_error_rate.h"

namespace cavern {

/// Raw bit errors, and what a controller does about them: a page of which a codeword has more
/// errors than the decoder corrects is read again, at other read voltages. In the end several reads
/// together give the decoder soft information.
struct ErrorParams {
    BitErrors model = BitErrors::kNone;
    double scale = 1.0;                    ///< of the bit error rate
    PageCoding coding = PageCoding::kEven; ///< how page types share it
    double slc_scale = 1.0;                ///< of the bit error rate of blocks in SLC mode
    std::uint32_t cycles = 0;              ///< program/erase cycles of each block before the run
    double days = 0.0;                     ///< age of what is there before the run
    std::uint32_t correctable = 100;       ///< errors of a codeword
    std::uint32_t retry_limit = 3;         ///< reads of a page after the first one
    double retry_gain = 0.5;      ///< each of them has so much of the bit error rate of the last
    std::uint32_t soft_reads = 0; ///< after those, for soft information; 0: no soft decoding
    std::uint32_t soft_correctable = 200; ///< errors of a codeword, with soft information
    TimePs soft_latency = 0;              ///< a codeword is in the decoder for so long then
    std::uint32_t refresh_errors = 0;     ///< more of a codeword: its block is refreshed; 0: never
};

/// The ECC engine of a channel: a decoder for pages that come from the dies, and an encoder for
/// pages that go there.
struct EccParams {
    bool engine = false;                ///< each channel has one
    std::uint32_t codeword = 2 * kKiB;  ///< data bytes that are coded together
    TimePs encode_latency = 0;          ///< a codeword is in the encoder for so long
    TimePs decode_latency = 0;          ///< and in the decoder
    std::uint64_t bytes_per_second = 0; ///< of data, for each of the two; 0: any number
    ErrorParams errors;

    /// Time from one codeword to the next.
    [[nodiscard]] TimePs interval() const {
        return bytes_per_second == 0
                   ? 0
                   : (codeword * kSecond + bytes_per_second / 2) / bytes_per_second;
    }
};

} // namespace cavern
