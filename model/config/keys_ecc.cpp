#include "config/key_builder.h"

namespace cavern {

using T = KeyType;

Keys ecc_keys() {
    const auto ecc = &SsdConfig::ecc;
    return {
        KeyRow(T::kWord, "ecc.engine", "whether error correction takes time")
            .of({{"none", "It takes none."},
                 {"per-channel", "Each channel has a decoder and an encoder, through which all "
                                 "pages pass."}})
            .to(ecc, &EccParams::engine),
        KeyRow(T::kBytes, "ecc.codeword",
               "so many data bytes are coded together, a power of two; reads move whole codewords")
            .range(512, 64 * kKiB)
            .to(ecc, &EccParams::codeword)
            .from("estimate"),
        KeyRow(T::kTime, "ecc.encode_latency", "time that a codeword is in the encoder")
            .range(0, kMs)
            .to(ecc, &EccParams::encode_latency),
        KeyRow(T::kTime, "ecc.decode_latency", "time that a codeword is in the decoder")
            .range(0, kMs)
            .to(ecc, &EccParams::decode_latency),
        KeyRow(T::kRate, "ecc.throughput",
               "so many data bytes a second enter a decoder, and as many an encoder; unlimited: "
               "any number")
            .range(1'000'000, 1'000'000'000'000)
            .stored_as_zero("unlimited")
            .to(ecc, &EccParams::bytes_per_second),
    };
}

} // namespace cavern
