#include "config/key_builder.h"

namespace cavern {

using T = KeyType;

Keys ecc_keys() {
    const auto ecc = &SsdConfig::ecc;
    const auto errors = &EccParams::errors;
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
        KeyRow(T::kWord, "ecc.errors",
               "raw bit errors of the pages read, by program/erase cycles, age and reads of their "
               "block")
            .of({{"none", "There are none."},
                 {"mlc-2ynm", "Those of planar MLC, 2y nm."},
                 {"tlc-72layer", "Those of TLC with 72 layers."}})
            .to(ecc, errors, &ErrorParams::model)
            .from("Kim, Choi, Min, FAST '19; coefficients second-hand"),
        KeyRow(T::kReal, "ecc.rber_scale", "the raw bit error rate is multiplied by this")
            .within(0.0, 1000.0)
            .to(ecc, errors, &ErrorParams::scale),
        KeyRow(
            T::kWord, "ecc.coding",
            "with ecc.errors: read voltages of the page types of a word line, in which they share "
            "its errors; of as many types as the part has")
            .of({{"even", "Pages of all types err alike."},
                 {"1-2", "MLC: lower and upper pages."},
                 {"1-2-4", "TLC: lower, middle and upper pages."},
                 {"2-3-2", "TLC, balanced."},
                 {"1-2-4-8", "QLC."}})
            .to(ecc, errors, &ErrorParams::coding),
        KeyRow(
            T::kReal, "ecc.slc_scale",
            "with ecc.errors: blocks in SLC mode have the raw bit error rate times this, whatever "
            "ecc.coding says")
            .within(0.0, 1000.0)
            .to(ecc, errors, &ErrorParams::slc_scale),
        KeyRow(T::kCount, "ecc.cycles",
               "with ecc.errors: program/erase cycles of each block before the run")
            .range(0, 1'000'000)
            .to(ecc, errors, &ErrorParams::cycles),
        KeyRow(T::kReal, "ecc.retention_days",
               "with ecc.errors: what is written before the run is so old")
            .within(0.0, 10000.0)
            .to(ecc, errors, &ErrorParams::days),
        KeyRow(T::kCount, "ecc.correctable",
               "with ecc.errors: a codeword with more bit errors is not corrected")
            .range(0, 1'000'000)
            .to(ecc, errors, &ErrorParams::correctable)
            .from("estimate: 15 bits of parity for each bit corrected, as BCH codes of 2 KiB need"),
        KeyRow(T::kCount, "ecc.retry_limit",
               "with ecc.errors: a page that is not corrected is read again up to so many times")
            .range(0, 100)
            .to(ecc, errors, &ErrorParams::retry_limit)
            .from("estimate"),
        KeyRow(T::kReal, "ecc.retry_gain",
               "with ecc.errors: each further read of a page has this share of the bit error rate "
               "of the one before")
            .within(0.0, 1.0)
            .to(ecc, errors, &ErrorParams::retry_gain)
            .from("estimate"),
        KeyRow(T::kCount, "ecc.soft_reads",
               "with ecc.errors: reads of a page for soft information, when all others did not "
               "help; 0: no soft decoding")
            .range(0, 100)
            .to(ecc, errors, &ErrorParams::soft_reads),
        KeyRow(T::kCount, "ecc.soft_correctable",
               "with ecc.soft_reads: a codeword with more bit errors is not corrected with soft "
               "information either")
            .range(0, 1'000'000)
            .to(ecc, errors, &ErrorParams::soft_correctable)
            .from("estimate"),
        KeyRow(T::kTime, "ecc.soft_latency",
               "with ecc.soft_reads: time that a codeword is in the decoder for soft decoding")
            .range(0, kSecond)
            .to(ecc, errors, &ErrorParams::soft_latency),
        KeyRow(T::kCount, "ecc.refresh_errors",
               "with ecc.errors: a block is refreshed, as with ftl.refresh_reads, when a codeword "
               "of a page that is read has more bit errors at first; 0: never")
            .range(0, 1'000'000)
            .to(ecc, errors, &ErrorParams::refresh_errors),
    };
}

} // namespace cavern
