#pragma once

#include <cstddef>
#include <cstdint>

namespace cavern {

/// The memory of the host, as the data of its commands: the device takes from it what a write
/// writes and gives it what a read reads, when it moves the data.
class HostDataIf {
  public:
    virtual ~HostDataIf() = default;
    /// The bytes [offset, offset + bytes) of the data of write `request` (its number in the order
    /// of the workload, from 0).
    virtual void take(std::uint64_t request, std::uint64_t offset, std::byte* to,
                      std::uint32_t bytes) = 0;
    /// The same bytes of read `request` have arrived in host memory.
    virtual void give(std::uint64_t request, std::uint64_t offset, const std::byte* from,
                      std::uint32_t bytes) = 0;
};

} // namespace cavern
