#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nvme/nvme_spec.h"

namespace cavern::nvme {

/// Host memory, as the controller reaches it by DMA.
class MemoryIf {
  public:
    virtual ~MemoryIf() = default;
    /// Each may take its time inside the call. False: nothing answers at such an address.
    virtual bool read(std::uint64_t address, std::byte* to, std::uint32_t bytes) = 0;
    virtual bool write(std::uint64_t address, const std::byte* from, std::uint32_t bytes) = 0;
};

/// A stretch of host memory.
struct Segment {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
};

enum class IoOp : std::uint8_t { kRead, kWrite, kFlush, kDeallocate, kWriteZeroes };

/// A request to the medium. Offset and size are in bytes of the namespace, in whole blocks.
struct Io {
    std::uint32_t slot = 0; ///< to be handed back with Controller::finished
    IoOp op = IoOp::kRead;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    bool fua = false;
    /// Where the data of a read or write lie in host memory, in order; valid during the call.
    const std::vector<Segment>& data;
};

/// The medium behind the controller.
class MediumIf {
  public:
    virtual ~MediumIf() = default;
    /// Carries it out, and tells the controller when that is done; possibly inside the call.
    virtual void start(const Io& io) = 0;
};

/// The interrupts, as messages (MSI-X).
class InterruptIf {
  public:
    virtual ~InterruptIf() = default;
    virtual void raise(std::uint16_t vector) = 0;
};

} // namespace cavern::nvme
