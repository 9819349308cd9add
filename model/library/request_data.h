#pragma once

#include <cstdint>
#include <cstring>

#include "core/data/host_data_if.h"
#include "timed/tlm/slab.h"

namespace cavern {

/// Requests that are outstanding: the tag that each has with its caller, and where its data lie in
/// the caller's memory. To the drive they have the tags that add() gives.
class RequestData final : public HostDataIf {
  public:
    [[nodiscard]] std::uint64_t add(std::uint64_t tag, void* data) {
        const RequestId id = requests_.allocate();
        requests_[id].tag = tag;
        requests_[id].data = static_cast<std::byte*>(data);
        return raw(id);
    }
    /// The request has completed; returns the caller's tag.
    std::uint64_t end(std::uint64_t request) {
        const RequestId id{static_cast<std::uint32_t>(request)};
        requests_.release(id);
        return requests_[id].tag;
    }

    void take(std::uint64_t request, std::uint64_t offset, std::byte* to,
              std::uint32_t bytes) override {
        std::memcpy(to, data_of(request) + offset, bytes);
    }
    void give(std::uint64_t request, std::uint64_t offset, const std::byte* from,
              std::uint32_t bytes) override {
        std::memcpy(data_of(request) + offset, from, bytes);
    }

  private:
    enum class RequestId : std::uint32_t {};
    struct Request {
        RequestId next = kNil<RequestId>;
        std::uint64_t tag = 0;
        std::byte* data = nullptr;
    };
    [[nodiscard]] std::byte* data_of(std::uint64_t request) {
        return requests_[RequestId{static_cast<std::uint32_t>(request)}].data;
    }
    Slab<Request, RequestId> requests_;
};

} // namespace cavern
