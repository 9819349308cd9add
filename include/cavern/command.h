#pragma once

#include <cstdint>
#include <tlm>

#include "cavern/export.h"

namespace cavern {
inline namespace v1 {

/// The fields of a command beside its payload. Ignorable: a payload without it is a plain read or
/// write whose data lie behind its data pointer.
///
/// With `dma`, the drive moves the data of a read or write through its socket `dma`, from or to
/// `host_address` on, and does not look at the data pointer. What moves no data (flush, trim,
/// zeroes) travels as TLM_IGNORE_COMMAND, with a data pointer and a length that nobody looks at.
class CAVERN_API CommandExtension final : public tlm::tlm_extension<CommandExtension> {
  public:
    enum class Op : std::uint8_t {
        kAsPayload,  ///< read or write, as the payload says
        kFlush,      ///< answered when what was written is in flash
        kTrim,       ///< the data of the area are not needed any more
        kWriteZeroes ///< the area reads as zeroes
    };
    Op op = Op::kAsPayload;
    bool fua = false; ///< a write, trim or zeroes: answered when it is in flash
    bool dma = false;
    std::uint64_t host_address = 0;
    /// Length of the area of a trim or zeroes, in whole sectors of 512 bytes; the area begins at
    /// the address of the payload. A read or write has the length of its payload.
    std::uint64_t bytes = 0;

    tlm::tlm_extension_base* clone() const override;
    void copy_from(const tlm::tlm_extension_base& other) override;
};

} // namespace v1
} // namespace cavern
