#pragma once

#include <cstdint>
#include <vector>

#include "core/base/counter.h"
#include "core/base/geometry.h"
#include "core/parts/ecc_params.h"
#include "core/parts/nand_timing.h"

namespace cavern {

/// The ECC engines of the channels. Each has a decoder and an encoder, which take codewords in the
/// order in which their data come, one each `interval`, and keep each for a latency: others may
/// follow meanwhile. A codeword that is read enters the decoder when its last byte is out, so that
/// the first ones of a page are decoded while the others are on the bus. The data of a program may
/// go out when each codeword will have left the encoder by the time the bus wants it.
///
/// Pages read do not wait for the bus here, nor the bus for them: there is always room for a page
/// that waits for the decoder. Plain C++; times are those of the caller.
class Ecc {
  public:
    struct Statistics {
        std::uint64_t decoded_codewords = 0;
        std::uint64_t encoded_codewords = 0;
        TimePs decode_time = 0;
        TimePs encode_time = 0;

        static constexpr auto declared = counters_of(
            counter(&Statistics::decoded_codewords, "decoded_codewords", "codewords",
                    "Codewords that went through a decoder."),
            counter(&Statistics::encoded_codewords, "encoded_codewords", "codewords",
                    "Codewords that went through an encoder."),
            duration(&Statistics::decode_time, "decode_ns",
                     "Time from the end of data out until the data were decoded, the wait for the "
                     "decoder included, added up over pages."),
            duration(&Statistics::encode_time, "encode_ns",
                     "Time from the arrival of the data in the channel until a program could take "
                     "them, the wait for the encoder included, added up over pages."));
    };

    /// `timing` outlives this.
    Ecc(const Geometry& geometry, const NandTiming& timing, const EccParams& params);

    /// `bytes` of a page, without their share of the spare area, are out at `now`: when they are
    /// decoded.
    TimePs decode(ChannelId channel, std::uint32_t bytes, TimePs now);
    /// The data of a page are in the channel at `now`: when they may go to the die.
    TimePs encode(ChannelId channel, std::uint32_t bytes, TimePs now);

    [[nodiscard]] const Statistics& statistics() const { return statistics_; }
    void reset_statistics() { statistics_ = {}; }

  private:
    struct Engine {
        TimePs decoder_free = 0; ///< the next codeword may enter
        TimePs encoder_free = 0;
    };
    [[nodiscard]] std::uint32_t codewords(std::uint32_t bytes) const {
        return (bytes + params_.codeword - 1) / params_.codeword;
    }
    /// Time of so many codewords on the bus.
    [[nodiscard]] TimePs bus_time(std::uint32_t codewords) const;

    Geometry geometry_;
    const NandTiming& timing_;
    EccParams params_;
    TimePs interval_;
    std::vector<Engine> engines_; ///< by channel
    Statistics statistics_;
};

} // namespace cavern
