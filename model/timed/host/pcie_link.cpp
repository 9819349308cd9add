#include "timed/host/pcie_link.h"

#include <array>

namespace cavern {
namespace {

constexpr std::array<std::uint64_t, 5> kMegatransfers{2'500, 5'000, 8'000, 16'000, 32'000};

} // namespace

// Transfers are bits. The code and the share of the data-link packets are kept as whole numbers, so
// that a time is rounded once.
PcieLink::PcieLink(const Params& params) : params_(params) {
    const std::uint64_t bits = kMegatransfers[params.generation - 1] * 1'000'000 * params.lanes;
    const bool old_code = params.generation <= 2;
    rate_ = bits / 8 * (old_code ? 8 : 128) * (100 - kDataLinkPercent);
    scale_ = (old_code ? 10 : 130) * 100;
}

TimePs PcieLink::packet_time(std::uint64_t packets, std::uint64_t payload_bytes) const {
    return transfer_time((packets * kPacketOverhead + payload_bytes) * scale_, rate_);
}

TimePs PcieLink::data_time(std::uint64_t begin, std::uint64_t bytes) const {
    return packet_time(packets(begin, bytes, params_.max_payload), bytes);
}

TimePs PcieLink::request_time(std::uint64_t begin, std::uint64_t bytes) const {
    return packet_time(packets(begin, bytes, params_.max_read_request), 0);
}

} // namespace cavern
