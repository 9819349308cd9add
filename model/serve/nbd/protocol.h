#pragma once

#include <cstddef>
#include <cstdint>

namespace cavern::nbd {

// The words of the NBD protocol, as its public document has them (NetworkBlockDevice/nbd,
// doc/proto.md). All numbers on the wire are big-endian.

inline constexpr std::uint64_t kMagic = 0x4e42444d41474943;       ///< "NBDMAGIC"
inline constexpr std::uint64_t kOptionMagic = 0x49484156454F5054; ///< "IHAVEOPT"
inline constexpr std::uint64_t kOptionReplyMagic = 0x0003e889045565a9;
inline constexpr std::uint32_t kRequestMagic = 0x25609513;
inline constexpr std::uint32_t kSimpleReplyMagic = 0x67446698;
inline constexpr std::uint32_t kChunkMagic = 0x668e33ef;

// Handshake flags of the server, and the same of the client.
inline constexpr std::uint16_t kFixedNewstyle = 1 << 0;
inline constexpr std::uint16_t kNoZeroes = 1 << 1;

enum class Option : std::uint32_t {
    kExportName = 1,
    kAbort = 2,
    kList = 3,
    kStartTls = 5,
    kInfo = 6,
    kGo = 7,
    kStructuredReply = 8,
    kListMetaContext = 9,
    kSetMetaContext = 10
};

enum class OptionReply : std::uint32_t {
    kAck = 1,
    kServer = 2,
    kInfo = 3,
    kMetaContext = 4,
    kErrorUnsupported = 0x8000'0001,
    kErrorInvalid = 0x8000'0003,
    kErrorUnknown = 0x8000'0006,
    kErrorTooBig = 0x8000'0009
};

enum class Info : std::uint16_t { kExport = 0, kName = 1, kDescription = 2, kBlockSize = 3 };

// Transmission flags.
inline constexpr std::uint16_t kHasFlags = 1 << 0;
inline constexpr std::uint16_t kSendFlush = 1 << 2;
inline constexpr std::uint16_t kSendFua = 1 << 3;
inline constexpr std::uint16_t kSendTrim = 1 << 5;
inline constexpr std::uint16_t kSendWriteZeroes = 1 << 6;
inline constexpr std::uint16_t kSendDf = 1 << 7;
inline constexpr std::uint16_t kCanMultiConn = 1 << 8;

enum class Command : std::uint16_t {
    kRead = 0,
    kWrite = 1,
    kDisconnect = 2,
    kFlush = 3,
    kTrim = 4,
    kWriteZeroes = 6,
    kBlockStatus = 7
};

// Flags of a command.
inline constexpr std::uint16_t kFua = 1 << 0;
inline constexpr std::uint16_t kNoHole = 1 << 1;
inline constexpr std::uint16_t kDontFragment = 1 << 2;
inline constexpr std::uint16_t kReqOne = 1 << 3;

// Errors of a reply.
inline constexpr std::uint32_t kOk = 0;
inline constexpr std::uint32_t kEio = 5;
inline constexpr std::uint32_t kEinval = 22;
inline constexpr std::uint32_t kEnospc = 28;

// Structured replies.
inline constexpr std::uint16_t kChunkDone = 1 << 0;
enum class Chunk : std::uint16_t { kNone = 0, kOffsetData = 1, kBlockStatus = 5, kError = 0x8001 };

// States of base:allocation.
inline constexpr std::uint32_t kStateHole = 1 << 0;
inline constexpr std::uint32_t kStateZero = 1 << 1;

inline constexpr std::size_t kRequestBytes = 28;
inline constexpr std::size_t kOptionBytes = 16; ///< without its data
inline constexpr std::size_t kMostName = 4096;  ///< of an export or a context

/// The payload of a request that no server may take for an attack.
inline constexpr std::uint32_t kMostPayload = 32u << 20;

// ---- numbers on the wire ------------------------------------------------------------------------

template <typename Number>
[[nodiscard]] Number load(const std::byte* from) {
    Number value = 0;
    for (std::size_t i = 0; i < sizeof(Number); ++i) {
        value = static_cast<Number>(value << 8 | std::to_integer<Number>(from[i]));
    }
    return value;
}

/// Returns the place behind the number.
template <typename Number>
std::byte* store(std::byte* to, Number value) {
    for (std::size_t i = sizeof(Number); i > 0; --i) {
        to[i - 1] = static_cast<std::byte>(value & 0xFF);
        value = static_cast<Number>(sizeof(Number) == 1 ? 0 : value >> 8);
    }
    return to + sizeof(Number);
}

} // namespace cavern::nbd
