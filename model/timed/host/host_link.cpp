#include "timed/host/host_link.h"

namespace cavern {
namespace {

constexpr std::uint64_t kDword = 4;
constexpr std::uint64_t kDataFisBytes = 8192;

// Frame information structures, in dwords (Serial ATA 3.x, 10.5).
constexpr std::uint64_t kRegisterToDevice = 5;
constexpr std::uint64_t kRegisterToHost = 5;
constexpr std::uint64_t kDmaActivate = 1;
constexpr std::uint64_t kDmaSetup = 7;
constexpr std::uint64_t kSetDeviceBits = 2;
constexpr std::uint64_t kDataHeader = 1;
// Around each: SOF, CRC, EOF; X_RDY, R_RDY, R_IP, WTRM, R_OK, SYNC.
constexpr std::uint64_t kFrameDwords = 3 + 6;
// DATA SET MANAGEMENT: a block of 512 bytes holds 64 ranges (ATA8-ACS-3, 7.5).
constexpr std::uint64_t kBlockDwords = 128;
constexpr std::uint64_t kRangesOfBlock = 64;
constexpr std::uint64_t kRangeBytes = std::uint64_t{65'535} * 512;

constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
    return (a + b - 1) / b;
}

constexpr std::uint64_t trim_dwords(std::uint64_t bytes) {
    const std::uint64_t ranges = ceil_div(bytes, kRangeBytes);
    return ranges == 0 ? kBlockDwords : ceil_div(ranges, kRangesOfBlock) * kBlockDwords;
}

} // namespace

DirectLink::DirectLink(std::uint64_t bytes_per_second, bool full_duplex)
    : bytes_per_second_(bytes_per_second), full_duplex_(full_duplex) {}

TimePs DirectLink::command_time(RequestOp, std::uint64_t) const {
    return 0;
}
TimePs DirectLink::data_time(RequestOp, std::uint64_t, std::uint64_t bytes) const {
    return transfer_time(bytes, bytes_per_second_);
}
TimePs DirectLink::status_time(RequestOp) const {
    return 0;
}
bool DirectLink::runs_alone(RequestOp) const {
    return false;
}

SataLink::SataLink(std::uint32_t generation, TimePs handshake, bool queued_trim)
    : dword_rate_((std::uint64_t{75'000'000} << generation) * 254), handshake_(handshake),
      queued_trim_(queued_trim) {}

bool SataLink::is_queued(RequestOp op) const {
    return op == RequestOp::kRead || op == RequestOp::kWrite ||
           (op == RequestOp::kTrim && queued_trim_);
}

TimePs SataLink::dword_time(std::uint64_t dwords) const {
    return transfer_time(dwords * kDword * 256, dword_rate_);
}

TimePs SataLink::frame_time(std::uint64_t dwords) const {
    return dword_time(dwords + kFrameDwords) + handshake_;
}

TimePs SataLink::longest_frame() const {
    return frame_time(kDataHeader + kDataFisBytes / kDword);
}

TimePs SataLink::command_time(RequestOp op, std::uint64_t bytes) const {
    TimePs time = frame_time(kRegisterToDevice);
    if (is_queued(op)) {
        time += frame_time(kRegisterToHost);
    }
    if (op == RequestOp::kTrim) {
        time += frame_time(queued_trim_ ? kDmaSetup : kDmaActivate) +
                frame_time(kDataHeader + trim_dwords(bytes));
    }
    return time;
}

TimePs SataLink::data_time(RequestOp op, std::uint64_t before, std::uint64_t bytes) const {
    const std::uint64_t frames =
        ceil_div(before + bytes, kDataFisBytes) - ceil_div(before, kDataFisBytes);
    std::uint64_t dwords = ceil_div(bytes, kDword) + frames * (kDataHeader + kFrameDwords);
    std::uint64_t handshakes = frames;
    std::uint64_t activates = op == RequestOp::kWrite ? frames : 0;
    if (before == 0) {
        dwords += kDmaSetup + kFrameDwords;
        ++handshakes;
        // Auto-activate: DMA Setup stands for the first DMA Activate.
        activates = activates == 0 ? 0 : activates - 1;
    }
    return dword_time(dwords + activates * (kDmaActivate + kFrameDwords)) +
           (handshakes + activates) * handshake_;
}

TimePs SataLink::status_time(RequestOp op) const {
    return frame_time(is_queued(op) ? kSetDeviceBits : kRegisterToHost);
}

} // namespace cavern
