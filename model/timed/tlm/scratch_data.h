#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <tlm>
#include <vector>

namespace cavern {

/// Where payloads point to, as no data are modelled: a module of others may
/// copy what it is asked to copy. One area for all payloads of an owner. A
/// longer payload brings a larger area; the ones before stay, for payloads in
/// flight. What nobody touches takes no memory.
class ScratchData {
  public:
    /// Data pointer, length and streaming width of a payload that moves so many
    /// bytes, at least one (IEEE 1666-2011, 14.11, 14.12, 14.14).
    void attach(tlm::tlm_generic_payload& payload, std::uint32_t bytes) {
        if (bytes > size_) {
            grow(bytes);
        }
        payload.set_data_ptr(largest_);
        payload.set_data_length(bytes);
        payload.set_streaming_width(bytes);
    }

  private:
    struct Free {
        void operator()(unsigned char* area) const { std::free(area); }
    };
    /// Hardly ever: kept apart, so that attach() is small enough to be inlined.
    [[gnu::noinline]] void grow(std::uint32_t bytes) {
        const std::uint64_t size = std::max<std::uint64_t>({bytes, 2 * size_, 4096});
        areas_.emplace_back(static_cast<unsigned char*>(std::calloc(size, 1)));
        if (areas_.back() == nullptr) {
            throw std::bad_alloc();
        }
        largest_ = areas_.back().get();
        size_ = size;
    }

    std::vector<std::unique_ptr<unsigned char, Free>> areas_;
    unsigned char* largest_ = nullptr;
    std::uint64_t size_ = 0; ///< of that area
};

} // namespace cavern
