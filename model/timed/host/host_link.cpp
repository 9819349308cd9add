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
// DATA SET MANAGEMENT carries one 512-byte block of LBA ranges.
constexpr std::uint64_t kTrimBlockDwords = 128;

constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
    return (a + b - 1) / b;
}

bool moves_data(RequestOp op) {
    return op == RequestOp::kRead || op == RequestOp::kWrite;
}

} // namespace

DirectLink::DirectLink(std::uint64_t bytes_per_second, bool full_duplex)
    : bytes_per_second_(bytes_per_second), full_duplex_(full_duplex) {}

TimePs DirectLink::command_time(RequestOp) const {
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

SataLink::SataLink(std::uint32_t generation)
    : bytes_per_second_(std::uint64_t{75'000'000} << generation) {}

TimePs SataLink::dword_time(std::uint64_t dwords) const {
    return transfer_time(dwords * kDword * 256, bytes_per_second_ * 254);
}

TimePs SataLink::frame_time(std::uint64_t dwords) const {
    return dword_time(dwords + kFrameDwords);
}

TimePs SataLink::command_time(RequestOp op) const {
    const TimePs command = frame_time(kRegisterToDevice);
    if (moves_data(op)) {
        return command + frame_time(kRegisterToHost);
    }
    return op == RequestOp::kTrim
               ? command + frame_time(kDmaActivate) + frame_time(kDataHeader + kTrimBlockDwords)
               : command;
}

TimePs SataLink::data_time(RequestOp op, std::uint64_t before, std::uint64_t bytes) const {
    const std::uint64_t frames =
        ceil_div(before + bytes, kDataFisBytes) - ceil_div(before, kDataFisBytes);
    std::uint64_t dwords = ceil_div(bytes, kDword) + frames * (kDataHeader + kFrameDwords);
    std::uint64_t activates = op == RequestOp::kWrite ? frames : 0;
    if (before == 0) {
        dwords += kDmaSetup + kFrameDwords;
        // Auto-activate: DMA Setup stands for the first DMA Activate.
        activates = activates == 0 ? 0 : activates - 1;
    }
    return dword_time(dwords + activates * (kDmaActivate + kFrameDwords));
}

TimePs SataLink::status_time(RequestOp op) const {
    return frame_time(moves_data(op) ? kSetDeviceBits : kRegisterToHost);
}

bool SataLink::runs_alone(RequestOp op) const {
    return !moves_data(op);
}

} // namespace cavern
