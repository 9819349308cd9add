#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cavern {

/// One record of a vscsi trace, field by field.
struct VscsiRecord {
    std::uint64_t ts = 0; ///< microseconds
    std::uint64_t cmd = 0;
    std::uint64_t lbn = 0;
    std::uint64_t len = 0;
    std::uint64_t sn = 0;
    std::uint64_t version = 0; ///< 0: that of the trace
};

inline std::string vscsi_bytes(const std::vector<VscsiRecord>& records, unsigned version) {
    std::string bytes;
    const auto put = [&bytes](std::uint64_t value, unsigned size) {
        for (unsigned i = 0; i < size; ++i) {
            bytes += static_cast<char>(value >> (8 * i) & 0xFF);
        }
    };
    for (const VscsiRecord& r : records) {
        const std::uint64_t ver = (r.version == 0 ? version : r.version) << 8 | 0x21;
        constexpr std::uint64_t kElements = 3;
        if (version == 2) {
            put(r.cmd, 2);
            put(ver, 2);
        }
        put(r.sn, 4);
        put(r.len, 4);
        put(kElements, 4);
        if (version == 1) {
            put(r.cmd, 2);
            put(ver, 2);
        }
        put(r.lbn, 8);
        put(r.ts, 8);
        if (version == 2) {
            put(417, 8); // the response time
        }
    }
    return bytes;
}

} // namespace cavern
