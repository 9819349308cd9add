#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "serve/nbd/export_if.h"
#include "serve/nbd/session.h"

namespace cavern::testing {

/// An export in memory, for tests of the protocol alone. A request takes effect when the test
/// completes it, in any order. Blocks that were never written, or were trimmed, are holes.
class MemoryExport final : public nbd::ExportIf {
  public:
    static constexpr std::uint32_t kBlock = 512;

    explicit MemoryExport(std::uint64_t bytes) : content_(bytes), mapped_(bytes / kBlock) {}

    [[nodiscard]] std::uint64_t size() const override { return content_.size(); }
    [[nodiscard]] std::uint32_t block_bytes() const override { return kBlock; }
    [[nodiscard]] std::uint32_t preferred_bytes() const override { return 4096; }
    [[nodiscard]] const char* description() const override { return "memory of a test"; }

    void submit(nbd::Session& session, std::uint32_t slot,
                const nbd::ExportRequest& request) override {
        waiting_.push_back({&session, slot, request});
    }
    [[nodiscard]] nbd::Extent extent(std::uint64_t offset, std::uint64_t most) const override {
        const bool mapped = mapped_[offset / kBlock];
        std::uint64_t bytes = kBlock;
        while (bytes < most && mapped_[(offset + bytes) / kBlock] == mapped) {
            bytes += kBlock;
        }
        return {bytes < most ? bytes : most, !mapped, !mapped};
    }

    [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
    [[nodiscard]] const nbd::ExportRequest& request(std::size_t i) const {
        return waiting_[i].request;
    }
    void complete(std::size_t i, std::uint32_t error = nbd::kOk) {
        const Waiting done = waiting_[i];
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
        if (error == nbd::kOk) {
            carry_out(done.request);
        }
        done.session->completed(done.slot, error);
    }
    void complete_all() {
        while (!waiting_.empty()) {
            complete(0);
        }
    }
    [[nodiscard]] std::byte at(std::uint64_t offset) const { return content_[offset]; }

  private:
    struct Waiting {
        nbd::Session* session;
        std::uint32_t slot;
        nbd::ExportRequest request;
    };

    void carry_out(const nbd::ExportRequest& request) {
        std::byte* place = content_.data() + request.offset;
        const bool writes = request.op == nbd::ExportOp::kWrite;
        switch (request.op) {
        case nbd::ExportOp::kRead:
            std::memcpy(request.data, place, request.bytes);
            return;
        case nbd::ExportOp::kWrite:
            std::memcpy(place, request.data, request.bytes);
            break;
        case nbd::ExportOp::kTrim:
        case nbd::ExportOp::kWriteZeroes:
            std::memset(place, 0, request.bytes);
            break;
        case nbd::ExportOp::kFlush:
            return;
        }
        for (std::uint64_t at = 0; at < request.bytes; at += kBlock) {
            mapped_[(request.offset + at) / kBlock] = writes || request.no_hole;
        }
    }

    std::vector<std::byte> content_;
    std::vector<bool> mapped_; ///< by block
    std::vector<Waiting> waiting_;
};

} // namespace cavern::testing
