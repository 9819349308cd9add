#include "timed/channel/ecc.h"

#include <algorithm>

namespace cavern {

Ecc::Ecc(const Geometry& geometry, const NandTiming& timing, const EccParams& params)
    : geometry_(geometry), timing_(timing), params_(params), interval_(params.interval()),
      engines_(geometry.channels) {}

TimePs Ecc::bus_time(std::uint32_t codewords) const {
    const std::uint64_t bytes = std::uint64_t{codewords} * params_.codeword;
    return timing_.data_time(bytes + bytes * geometry_.spare_bytes / geometry_.page_bytes);
}

/// The codewords come at even times, so that the last one waits longest for its own arrival, for
/// the first one and all after it, or for what came before them.
TimePs Ecc::decode(ChannelId channel, std::uint32_t bytes, TimePs now) {
    Engine& engine = engines_[raw(channel)];
    const std::uint32_t others = codewords(bytes) - 1;
    const TimePs first = std::max(now - bus_time(others), engine.decoder_free);
    const TimePs last = std::max(now, first + others * interval_);
    engine.decoder_free = last + interval_;
    statistics_.decoded_codewords += others + 1;
    const TimePs done = last + params_.decode_latency;
    statistics_.decode_time += done - now;
    return done;
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
