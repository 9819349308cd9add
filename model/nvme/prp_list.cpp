#include "nvme/prp_list.h"

#include <algorithm>
#include <array>

namespace cavern::nvme {
namespace {

constexpr std::uint32_t kPointerBytes = 8;

void append(std::vector<Segment>& segments, std::uint64_t address, std::uint64_t bytes) {
    if (!segments.empty() && segments.back().address + segments.back().bytes == address) {
        segments.back().bytes += static_cast<std::uint32_t>(bytes);
    } else {
        segments.push_back({address, static_cast<std::uint32_t>(bytes)});
    }
}

} // namespace

Status read_prps(MemoryIf& memory, std::uint64_t prp1, std::uint64_t prp2, std::uint64_t bytes,
                 std::uint32_t page_bytes, std::vector<Segment>& segments) {
    segments.clear();
    if (prp1 % 4 != 0) {
        return kInvalidPrpOffset;
    }
    const std::uint64_t first = std::min(bytes, page_bytes - prp1 % page_bytes);
    append(segments, prp1, first);
    std::uint64_t rest = bytes - first;
    if (rest == 0) {
        return kSuccess;
    }
    if (rest <= page_bytes) {
        if (prp2 % page_bytes != 0) {
            return kInvalidPrpOffset;
        }
        append(segments, prp2, rest);
        return kSuccess;
    }
    if (prp2 % kPointerBytes != 0) {
        return kInvalidPrpOffset;
    }
    std::uint64_t list = prp2;
    std::array<std::byte, 512 * kPointerBytes> entries;
    while (rest != 0) {
        const std::uint64_t held = (page_bytes - list % page_bytes) / kPointerBytes;
        const std::uint64_t wanted = (rest + page_bytes - 1) / page_bytes;
        const std::uint64_t count = std::min({held, wanted, entries.size() / kPointerBytes});
        const auto length = static_cast<std::uint32_t>(count * kPointerBytes);
        if (!memory.read(list, entries.data(), length)) {
            return kDataTransferError;
        }
        const bool ends_with_link = count == held && wanted > held;
        for (std::uint64_t i = 0; i < count - (ends_with_link ? 1 : 0); ++i) {
            const auto page = get<std::uint64_t>(&entries[i * kPointerBytes]);
            if (page % page_bytes != 0) {
                return kInvalidPrpOffset;
            }
            const std::uint64_t here = std::min<std::uint64_t>(rest, page_bytes);
            append(segments, page, here);
            rest -= here;
        }
        list += length;
        if (ends_with_link) {
            list = get<std::uint64_t>(&entries[(count - 1) * kPointerBytes]);
            if (list % page_bytes != 0) { // it would also let lists of links alone go in circles
                return kInvalidPrpOffset;
            }
        }
    }
    return kSuccess;
}

} // namespace cavern::nvme
