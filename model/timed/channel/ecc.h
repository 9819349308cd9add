#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/counter.h"
#include "core/base/geometry.h"
#include "core/parts/ecc_params.h"
#include "core/parts/nand_timing.h"
#include "timed/channel/read_errors.h"

namespace cavern {

/// The ECC engines of the channels. Each has a decoder and an encoder, which take codewords in the
/// order in which their data come, one each `interval`, and keep each for a latency: others may
/// follow meanwhile. A codeword that is read enters the decoder when its last byte is out, so that
/// the first ones of a page are decoded while the others are on the bus. The data of a program may
/// go out when each codeword will have left the encoder by the time the bus wants it.
///
/// Pages read do not wait for the bus here, nor the bus for them: there is always room for a page
/// that waits for the decoder.
///
/// With raw bit errors a page of which a codeword has too many is read again: `retry_limit` times,
/// then `soft_reads` times, of which the last one is decoded with soft information. Then it is
/// lost.
///
/// Plain C++; times are those of the caller.
class Ecc {
  public:
    struct Statistics {
        std::uint64_t decoded_codewords = 0;
        std::uint64_t encoded_codewords = 0;
        TimePs decode_time = 0;
        TimePs encode_time = 0;
        std::uint64_t raw_bit_errors = 0;
        std::uint64_t retried_pages = 0;
        std::uint64_t retries = 0;
        std::uint64_t soft_decoded_pages = 0;
        std::uint64_t soft_reads = 0;
        std::uint64_t uncorrectable_pages = 0;
        std::uint64_t lost_page_reads = 0;

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
                     "them, the wait for the encoder included, added up over pages."),
            counter(&Statistics::raw_bit_errors, "raw_bit_errors", "bits",
                    "Raw bit errors of the first read of each page; 0 without ecc.errors, as are "
                    "the following fields."),
            counter(&Statistics::retried_pages, "retried_pages", "pages",
                    "Pages that were read a second time, because a codeword had more errors than "
                    "ecc.correctable."),
            counter(&Statistics::retries, "retries", "reads",
                    "Such reads, up to ecc.retry_limit for a page."),
            counter(&Statistics::soft_decoded_pages, "soft_decoded_pages", "pages",
                    "Pages that were decoded with soft information."),
            counter(&Statistics::soft_reads, "soft_reads", "reads",
                    "Reads for soft information, ecc.soft_reads for a page."),
            counter(&Statistics::uncorrectable_pages, "uncorrectable_pages", "pages",
                    "Reads of a page, for any purpose, of which nothing could correct a codeword."),
            counter(&Statistics::lost_page_reads, "lost_page_reads", "pages",
                    "Reads of a page, for any purpose, that is a copy of one that could not be "
                    "corrected."));
    };

    /// `timing` and `array` outlive this.
    Ecc(const Geometry& geometry, const NandTiming& timing, const EccParams& params,
        const NandArray& array, std::uint64_t seed);

    /// A page, or part of it, that comes out of a die.
    struct PageRead {
        ChannelId channel{};
        Ppn page = kNoPpn;
        std::uint32_t offset = 0;  ///< within the page
        std::uint32_t bytes = 0;   ///< without their share of the spare area
        std::uint32_t attempt = 0; ///< 0: the first
        bool from_register = false;
    };
    struct Outcome {
        TimePs at = 0;      ///< when it is known
        bool again = false; ///< the page is to be read again
        bool lost = false;  ///< it cannot be corrected
        bool stale = false; ///< it should be moved before it has more errors
    };
    /// It is out at `now`.
    Outcome read(const PageRead& page, TimePs now);
    /// A program has been done; of data that were lost, if it says so.
    void programmed(Ppn page, bool lost, TimePs now) {
        if (errors_ != nullptr) {
            errors_->programmed(page, lost, now);
        }
    }
    void erased(BlockId block) {
        if (errors_ != nullptr) {
            errors_->erased(block);
        }
    }
    [[nodiscard]] bool errs() const { return errors_ != nullptr; }

    /// The data of a page are in the channel at `now`: when they may go to the die.
    TimePs encode(ChannelId channel, std::uint32_t bytes, TimePs now);

    [[nodiscard]] const Statistics& statistics() const { return statistics_; }
    void reset_statistics() { statistics_ = {}; }

  private:
    struct Engine {
        TimePs decoder_free = 0; ///< the next codeword may enter
        TimePs encoder_free = 0;
    };
    /// When so much of a page is decoded.
    TimePs decode(const PageRead& page, TimePs latency, TimePs now);
    [[nodiscard]] std::uint32_t worst(const PageRead& page, double mean);
    Outcome correct(const PageRead& page, TimePs now);
    [[nodiscard]] std::uint32_t codewords(std::uint32_t bytes) const {
        return (bytes + params_.codeword - 1) / params_.codeword;
    }
    [[nodiscard]] std::uint64_t bytes_with_spare(std::uint64_t bytes) const;
    /// Time of so many codewords on the bus.
    [[nodiscard]] TimePs bus_time(std::uint32_t codewords) const;

    Geometry geometry_;
    const NandTiming& timing_;
    EccParams params_;
    TimePs interval_;
    std::vector<Engine> engines_;        ///< by channel
    std::unique_ptr<ReadErrors> errors_; ///< null: there are none
    Statistics statistics_;
};

} // namespace cavern
