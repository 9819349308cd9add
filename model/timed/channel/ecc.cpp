#include "timed/channel/ecc.h"

#include <algorithm>
#include <cmath>

namespace cavern {

Ecc::Ecc(const Geometry& geometry, const NandTiming& timing, const EccParams& params,
         const NandArray& array, std::uint64_t seed)
    : geometry_(geometry), timing_(timing), params_(params), interval_(params.interval()),
      engines_(geometry.channels) {
    if (params.errors.model != BitErrors::kNone) {
        errors_ = std::make_unique<ReadErrors>(geometry, array, params.errors,
                                               8 * bytes_with_spare(params.codeword), seed);
    }
}

std::uint64_t Ecc::bytes_with_spare(std::uint64_t bytes) const {
    return bytes + bytes * geometry_.spare_bytes / geometry_.page_bytes;
}

TimePs Ecc::bus_time(std::uint32_t codewords) const {
    return timing_.data_time(bytes_with_spare(std::uint64_t{codewords} * params_.codeword));
}

/// The codewords come at even times, so that the last one waits longest for its own arrival, for
/// the first one and all after it, or for what came before them.
TimePs Ecc::decode(const PageRead& page, TimePs latency, TimePs now) {
    Engine& engine = engines_[raw(page.channel)];
    const std::uint32_t others = codewords(page.bytes) - 1;
    const TimePs first = std::max(now - bus_time(others), engine.decoder_free);
    const TimePs last = std::max(now, first + others * interval_);
    engine.decoder_free = last + interval_;
    statistics_.decoded_codewords += others + 1;
    const TimePs done = last + latency;
    statistics_.decode_time += done - now;
    return done;
}

Ecc::Outcome Ecc::read(const PageRead& page, TimePs now) {
    if (errors_ == nullptr) {
        return {decode(page, params_.decode_latency, now), false, false};
    }
    if (!page.from_register) {
        errors_->read(page.page);
    }
    return correct(page, now);
}

Ecc::Outcome Ecc::correct(const PageRead& page, TimePs now) {
    const ErrorParams& params = params_.errors;
    const std::uint32_t last_retry = params.retry_limit;
    const std::uint32_t last = last_retry + params.soft_reads;
    const bool soft = page.attempt > last_retry;
    statistics_.retried_pages += page.attempt == 1 ? 1 : 0;
    statistics_.retries += page.attempt != 0 && !soft ? 1 : 0;
    statistics_.soft_reads += soft ? 1 : 0;
    if (soft && page.attempt != last) {
        return {now, true, false}; // kept until the others are there
    }
    const double mean = errors_->mean(page.page, now) *
                        std::pow(params.retry_gain, std::min(page.attempt, last_retry));
    const std::uint32_t errors = worst(page, mean);
    const TimePs at = decode(page, soft ? params.soft_latency : params_.decode_latency, now);
    const bool stale =
        params.refresh_errors != 0 && page.attempt == 0 && errors > params.refresh_errors;
    if (errors <= (soft ? params.soft_correctable : params.correctable)) {
        const bool lost = errors_->is_lost(page.page);
        statistics_.soft_decoded_pages += soft ? 1 : 0;
        statistics_.lost_page_reads += lost ? 1 : 0;
        return {at, false, lost, stale};
    }
    statistics_.uncorrectable_pages += page.attempt == last ? 1 : 0;
    return {at, page.attempt != last, page.attempt == last, stale};
}

/// Errors of the codeword that has most.
std::uint32_t Ecc::worst(const PageRead& page, double mean) {
    const std::uint32_t first = page.offset / params_.codeword;
    std::uint32_t most = 0;
    for (std::uint32_t i = first; i < first + codewords(page.bytes); ++i) {
        const std::uint32_t errors = errors_->errors(page.page, i, mean);
        statistics_.raw_bit_errors += page.attempt == 0 ? errors : 0;
        most = std::max(most, errors);
    }
    return most;
}

TimePs Ecc::encode(ChannelId channel, std::uint32_t bytes, TimePs now) {
    Engine& engine = engines_[raw(channel)];
    const std::uint32_t others = codewords(bytes) - 1;
    const TimePs first = std::max(now, engine.encoder_free);
    engine.encoder_free = first + (others + 1) * interval_;
    statistics_.encoded_codewords += others + 1;
    // The last codeword is wanted on the bus so much later than the first.
    const TimePs behind = std::max(others * interval_, bus_time(others)) - bus_time(others);
    const TimePs done = first + params_.encode_latency + behind;
    statistics_.encode_time += done - now;
    return done;
}

} // namespace cavern
