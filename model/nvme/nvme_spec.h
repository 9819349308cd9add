#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cavern::nvme {

// Numbers of the NVM Express Base Specification, revision 1.4; the clause is named beside each.

/// Controller registers, offsets into BAR0 (3.1).
enum Register : std::uint64_t {
    kCap = 0x00,
    kVs = 0x08,
    kIntms = 0x0C,
    kIntmc = 0x10,
    kCc = 0x14,
    kCsts = 0x1C,
    kAqa = 0x24,
    kAsq = 0x28,
    kAcq = 0x30,
    kDoorbells = 0x1000
};
inline constexpr std::uint32_t kVersion = 0x0001'0400;
inline constexpr std::uint32_t kEntryBytes = 64;      ///< of a submission queue (4.2)
inline constexpr std::uint32_t kCompletionBytes = 16; ///< of a completion queue (4.6)
inline constexpr std::uint32_t kBlockBytes = 512;     ///< of the one LBA format
inline constexpr std::uint32_t kAllNamespaces = 0xFFFF'FFFF;
inline constexpr std::uint32_t kNamespace = 1; ///< the one there is
inline constexpr std::uint32_t kMostDelivered =
    4096; ///< bytes that the controller writes at a time

/// Admin commands (5) and those of the NVM command set (6).
enum class AdminOpcode : std::uint8_t {
    kDeleteSubmissionQueue = 0x00,
    kCreateSubmissionQueue = 0x01,
    kGetLogPage = 0x02,
    kDeleteCompletionQueue = 0x04,
    kCreateCompletionQueue = 0x05,
    kIdentify = 0x06,
    kAbort = 0x08,
    kSetFeatures = 0x09,
    kGetFeatures = 0x0A,
    kAsyncEventRequest = 0x0C,
    kKeepAlive = 0x18
};
enum class NvmOpcode : std::uint8_t {
    kFlush = 0x00,
    kWrite = 0x01,
    kRead = 0x02,
    kWriteZeroes = 0x08,
    kDatasetManagement = 0x09
};

/// Status code type in bits 10:8, status code in bits 7:0 (4.6.1); bit 14: do not retry.
using Status = std::uint16_t;
inline constexpr Status kDoNotRetry = 0x4000;
inline constexpr Status kSuccess = 0x000;
inline constexpr Status kInvalidOpcode = kDoNotRetry | 0x001;
inline constexpr Status kInvalidField = kDoNotRetry | 0x002;
inline constexpr Status kDataTransferError = 0x004;
inline constexpr Status kInternalError = 0x006;
inline constexpr Status kAbortRequested = 0x007;
inline constexpr Status kInvalidNamespace = kDoNotRetry | 0x00B;
inline constexpr Status kSequenceError = kDoNotRetry | 0x00C;
inline constexpr Status kInvalidPrpOffset = kDoNotRetry | 0x013;
inline constexpr Status kOutOfRange = kDoNotRetry | 0x080;
inline constexpr Status kInvalidCompletionQueue = kDoNotRetry | 0x100;
inline constexpr Status kInvalidQueueId = kDoNotRetry | 0x101;
inline constexpr Status kInvalidQueueSize = kDoNotRetry | 0x102;
inline constexpr Status kTooManyEventRequests = kDoNotRetry | 0x105;
inline constexpr Status kInvalidVector = kDoNotRetry | 0x108;
inline constexpr Status kInvalidLogPage = kDoNotRetry | 0x109;
inline constexpr Status kInvalidQueueDeletion = kDoNotRetry | 0x10C;
inline constexpr Status kNotSaveable = kDoNotRetry | 0x10D;
inline constexpr Status kNotChangeable = kDoNotRetry | 0x10E;
inline constexpr Status kUnrecoveredRead = 0x281;

/// A submission queue entry: sixteen dwords, little endian (4.2).
struct Command {
    std::array<std::uint32_t, 16> dword{};

    [[nodiscard]] std::uint8_t opcode() const { return dword[0] & 0xFF; }
    [[nodiscard]] std::uint32_t fuse() const { return dword[0] >> 8 & 3; }
    [[nodiscard]] bool uses_sgl() const { return (dword[0] >> 14 & 3) != 0; }
    [[nodiscard]] std::uint16_t id() const { return static_cast<std::uint16_t>(dword[0] >> 16); }
    [[nodiscard]] std::uint32_t nsid() const { return dword[1]; }
    [[nodiscard]] std::uint64_t prp1() const { return quad(6); }
    [[nodiscard]] std::uint64_t prp2() const { return quad(8); }
    [[nodiscard]] std::uint64_t lba() const { return quad(10); }
    [[nodiscard]] std::uint64_t quad(std::size_t at) const {
        return dword[at] | std::uint64_t{dword[at + 1]} << 32;
    }
};

/// Little-endian fields of a structure in host memory, whatever the machine.
template <typename Value>
void put(std::byte* at, Value value) {
    for (std::size_t i = 0; i < sizeof(Value); ++i) {
        at[i] = static_cast<std::byte>(value >> 8 * i & 0xFF);
    }
}
template <typename Value>
[[nodiscard]] Value get(const std::byte* at) {
    Value value = 0;
    for (std::size_t i = 0; i < sizeof(Value); ++i) {
        value = static_cast<Value>(value | static_cast<Value>(static_cast<Value>(at[i]) << 8 * i));
    }
    return value;
}

} // namespace cavern::nvme
