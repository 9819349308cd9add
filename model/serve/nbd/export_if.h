#pragma once

#include <cstddef>
#include <cstdint>

namespace cavern::nbd {

class Session;

enum class ExportOp : std::uint8_t { kRead, kWrite, kTrim, kWriteZeroes, kFlush };

/// A request of a client, found right: whole blocks inside the export, `bytes` > 0 but of a flush.
struct ExportRequest {
    ExportOp op = ExportOp::kRead;
    bool fua = false;     ///< done when it is durable
    bool no_hole = false; ///< of zeros: they keep their place
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
    /// Place of the data, of a read or a write, until it is completed.
    std::byte* data = nullptr;
};

/// Bytes of one state.
struct Extent {
    std::uint64_t bytes = 0;
    bool hole = false;  ///< no place in flash or buffer
    bool zeros = false; ///< reads as zeros
};

/// The export. Sessions call it.
class ExportIf {
  public:
    virtual ~ExportIf() = default;
    [[nodiscard]] virtual std::uint64_t size() const = 0;            ///< bytes
    [[nodiscard]] virtual std::uint32_t block_bytes() const = 0;     ///< the least, a power of two
    [[nodiscard]] virtual std::uint32_t preferred_bytes() const = 0; ///< a power of two
    /// One sentence for people.
    [[nodiscard]] virtual const char* description() const = 0;
    /// Begins a request. Later, never inside this call, it is completed by session.completed(slot,
    /// ...). The session lives until then.
    virtual void submit(Session& session, std::uint32_t slot, const ExportRequest& request) = 0;
    /// The state at `offset`, and how far it reaches at least: 1 .. `most` bytes.
    [[nodiscard]] virtual Extent extent(std::uint64_t offset, std::uint64_t most) const = 0;
};

} // namespace cavern::nbd
