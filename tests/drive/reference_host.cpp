#include "tests/drive/reference_host.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <utility>

#include "core/base/random.h"
#include "core/base/sectors.h"

namespace cavern::testing {

ReferenceHost::ReferenceHost(std::vector<HostRequest> requests, std::uint64_t capacity,
                             std::uint32_t page_bytes, bool trims)
    : requests_(std::move(requests)), changes_(capacity / kSectorBytes) {
    for (std::uint32_t number = 0; number < requests_.size(); ++number) {
        const HostRequest& request = requests_[number];
        std::uint64_t first = request.offset;
        std::uint64_t end = request.offset + request.bytes;
        if (request.op == RequestOp::kTrim && trims) {
            first = (first + page_bytes - 1) / page_bytes * page_bytes;
            end = end / page_bytes * page_bytes;
        } else if (request.op != RequestOp::kWrite) {
            continue;
        }
        for (std::uint64_t at = first; at < end; at += kSectorBytes) {
            changes_[at / kSectorBytes].push_back(number);
        }
    }
}

/// One request in three writes text that compresses well, one what the drive cannot compress.
void ReferenceHost::make(std::uint64_t number, std::uint64_t lba, std::byte* to) const {
    if (number == kNobody || requests_[number].op == RequestOp::kTrim) {
        std::fill_n(to, kSectorBytes, std::byte{0});
        return;
    }
    Random random(number * 1'000'003 + lba);
    for (std::size_t i = 0; i < kSectorBytes; ++i) {
        to[i] = static_cast<std::byte>(number % 3 != 0 ? random.below(256)
                                                       : (i / 8 + number + lba) % 250);
    }
}

void ReferenceHost::take(std::uint64_t request, std::uint64_t offset, std::byte* to,
                         std::uint32_t bytes) {
    ASSERT_LT(request, requests_.size());
    ASSERT_EQ(requests_[request].op, RequestOp::kWrite);
    ASSERT_LE(offset + bytes, requests_[request].bytes);
    const std::uint64_t lba = (requests_[request].offset + offset) / kSectorBytes;
    for (std::uint32_t i = 0; i < bytes / kSectorBytes; ++i) {
        make(request, lba + i, to + i * kSectorBytes);
    }
    taken_ += bytes;
}

void ReferenceHost::give(std::uint64_t request, std::uint64_t offset, const std::byte* from,
                         std::uint32_t bytes) {
    ASSERT_LT(request, requests_.size());
    ASSERT_EQ(requests_[request].op, RequestOp::kRead);
    ASSERT_LE(offset + bytes, requests_[request].bytes);
    const std::uint64_t first = (requests_[request].offset + offset) / kSectorBytes;
    std::array<std::byte, kSectorBytes> expected{};
    for (std::uint32_t i = 0; i < bytes / kSectorBytes; ++i) {
        const std::vector<std::uint32_t>& all = changes(first + i);
        const auto later = std::lower_bound(all.begin(), all.end(), request);
        const auto holds = [&](std::uint64_t number) {
            make(number, first + i, expected.data());
            return std::equal(expected.begin(), expected.end(), from + i * kSectorBytes);
        };
        bool found = holds(later == all.begin() ? kNobody : *(later - 1));
        if (!found) {
            found = std::any_of(later, all.end(), holds);
            newer_ += kSectorBytes;
        }
        ASSERT_TRUE(found) << "request " << request << ", LBA " << first + i;
    }
    given_ += bytes;
}

std::uint64_t ReferenceHost::bytes_of(RequestOp op) const {
    std::uint64_t sum = 0;
    for (const HostRequest& request : requests_) {
        sum += request.op == op ? request.bytes : 0;
    }
    return sum;
}

} // namespace cavern::testing
