// Sizes and lengths as fio writes them.

#include "workload/fio_lengths.h"

#include <algorithm>

#include "workload/field.h"
#include "workload/job_text.h"

namespace cavern {

FioSizes one_size(const FioEntry& entry, std::string_view text) {
    const auto bytes = fio_block_bytes(text, entry.kb_base);
    if (!bytes || *bytes == 0) {
        throw JobTextError(quote(text) + " is no size", "a size is such as 4k");
    }
    return {*bytes, *bytes, {}};
}

FioSizes size_range(const FioEntry& entry, std::string_view text) {
    const std::size_t dash = std::min(text.find_first_of("-:"), text.size());
    const auto low = fio_block_bytes(text.substr(0, dash), entry.kb_base);
    const auto high =
        fio_block_bytes(dash == text.size() ? "" : text.substr(dash + 1), entry.kb_base);
    if (!low || !high || *low == 0 || *high == 0) {
        throw JobTextError(quote(text) + " is no range of sizes", "it is such as 4k-64k");
    }
    return {std::min(*low, *high), std::max(*low, *high), {}};
}

FioSizes size_shares(const FioEntry& entry, std::string_view text) {
    const SizesText shares = parse_bssplit(
        text, [&](std::string_view part) { return fio_block_bytes(part, entry.kb_base); });
    return {shares.read.smallest(), shares.read.largest(), shares.read.shares};
}

/// "10g", "30%", "4z".
FioLength length_of(const FioEntry& entry) {
    FioLength length;
    length.percent = entry.percent();
    if (!length.percent && !entry.value.empty() && entry.value.back() == 'z') {
        const FioEntry zones{entry.file, entry.line, entry.key,
                             entry.value.substr(0, entry.value.size() - 1), entry.kb_base};
        length.zones = zones.whole(0, 1'000'000'000);
    } else if (!length.percent) {
        length.bytes = entry.bytes();
    }
    return length;
}

} // namespace cavern
