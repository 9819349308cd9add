#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "core/base/units.h"
#include "workload/trace_format.h"

namespace cavern {
namespace {

/// The number whose lowest byte comes first.
std::uint64_t little_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i > 0; --i) {
        value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
    }
    return value;
}

/// Where the fields of a record begin.
struct Layout {
    unsigned version;
    std::size_t bytes;
    std::size_t len;
    std::size_t cmd;
    std::size_t ver;
    std::size_t lbn;
    std::size_t ts;

    [[nodiscard]] std::uint64_t length(std::string_view r) const {
        return little_endian(r.substr(len, 4));
    }
    [[nodiscard]] std::uint64_t command(std::string_view r) const {
        return little_endian(r.substr(cmd, 2));
    }
    [[nodiscard]] std::uint64_t version_of(std::string_view r) const {
        return little_endian(r.substr(ver, 2)) >> 8;
    }
    [[nodiscard]] std::uint64_t sector(std::string_view r) const {
        return little_endian(r.substr(lbn, 8));
    }
    [[nodiscard]] std::uint64_t microseconds(std::string_view r) const {
        return little_endian(r.substr(ts, 8));
    }
};

constexpr Layout kFirstLayout{1, 32, 4, 12, 14, 16, 24};
constexpr Layout kSecondLayout{2, 40, 8, 0, 2, 16, 24};
constexpr std::uint64_t kMaxCommand = 0xFF;

/// Whether the first two records are of this version, as far as there are two.
bool begins_with(const Layout& layout, std::string_view start) {
    const std::size_t head = std::max(layout.cmd, layout.ver) + 2;
    std::size_t records = 0;
    while (records < 2 && start.size() >= records * layout.bytes + head) {
        const std::string_view record = start.substr(records * layout.bytes, layout.bytes);
        if (layout.version_of(record) != layout.version || layout.command(record) > kMaxCommand) {
            return false;
        }
        ++records;
    }
    return records > 0;
}

const Layout* layout_of(std::string_view start) {
    for (const Layout* layout : {&kSecondLayout, &kFirstLayout}) {
        if (begins_with(*layout, start)) {
            return layout;
        }
    }
    return nullptr;
}

/// Effect of a command on the blocks of the disk.
enum class Effect : std::uint8_t { kNone, kReads, kWrites, kFlushes, kUntold };

/// SBC-4 and SPC-5, lists of operation codes.
Effect effect_of(std::uint64_t command) {
    switch (command) {
    case 0x08: // READ(6), (10), (12), (16), READ UPDATED BLOCK(10)
    case 0x28:
    case 0xA8:
    case 0x88:
    case 0x2D:
        return Effect::kReads;
    case 0x0A: // WRITE(6), (10), (12), (16)
    case 0x2A:
    case 0xAA:
    case 0x8A:
    case 0x2E: // WRITE AND VERIFY(10), (12), (16)
    case 0xAE:
    case 0x8E:
    case 0x9C: // WRITE ATOMIC(16)
        return Effect::kWrites;
    case 0x35: // SYNCHRONIZE CACHE(10), (16)
    case 0x91:
        return Effect::kFlushes;
    case 0x04: // FORMAT UNIT
    case 0x3F: // WRITE LONG(10), (16) and other services
    case 0x9F:
    case 0x41: // WRITE SAME(10), (16)
    case 0x93:
    case 0x42: // UNMAP
    case 0x83: // EXTENDED COPY
    case 0x89: // COMPARE AND WRITE
        return Effect::kUntold;
    default:
        return Effect::kNone;
    }
}

std::string hexadecimal(std::uint64_t value) {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string text;
    do {
        text.insert(text.begin(), kDigits[value % 16]);
        value /= 16;
    } while (value != 0);
    return "0x" + text;
}

/// SCSI commands of a virtual disk as VMware's vscsiStats records them, in the two binary forms of
/// the CloudPhysics traces. The records stand one behind the other with no head, little-endian. The
/// layout is that of libCacheSim, which reads the same files (github.com/1a1a11a/libCacheSim,
/// libCacheSim/traceReader/include/vscsi.h, trace_v1_record_t and trace_v2_record_t):
///
///     version 1, 32 bytes: sn:4 len:4 nSG:4 cmd:2 ver:2 lbn:8 ts:8
///     version 2, 40 bytes: cmd:2 ver:2 sn:4 len:4 nSG:4 lbn:8 ts:8 rt:8
///
/// `cmd` is the operation code of SBC-4, the upper byte of `ver` the version, `lbn` a sector of 512
/// bytes, `len` in bytes, `ts` in microseconds; serial number, scatter-gather elements and response
/// time are not used. Reads, writes and SYNCHRONIZE CACHE are requests. UNMAP, WRITE SAME and
/// the like change blocks that the record does not tell: skipped and counted. Commands that move no
/// block, and those with length 0, are passed over. Time counts from the first record.
class VscsiReader final : public TraceReader {
  public:
    VscsiReader(LineReader lines, const Layout& layout)
        : TraceReader(std::move(lines)), layout_(layout) {}

  private:
    bool parse(std::string_view bytes, Record& record) override {
        const std::string size = std::to_string(layout_.bytes);
        if (bytes.size() < layout_.bytes) {
            fail("the trace ends inside this record (" + std::to_string(bytes.size()) + " of " +
                     size + " bytes)",
                 "a record of version " + std::to_string(layout_.version) + " has " + size +
                     " bytes");
        }
        check_head(bytes);
        record.time = since_first(layout_.microseconds(bytes));
        switch (effect_of(layout_.command(bytes))) {
        case Effect::kReads:
            record.op = RequestOp::kRead;
            return read_extent(bytes, record);
        case Effect::kWrites:
            record.op = RequestOp::kWrite;
            return read_extent(bytes, record);
        case Effect::kFlushes:
            record.op = RequestOp::kFlush;
            return true;
        case Effect::kUntold:
            skip_artefact();
            return false;
        default:
            return false;
        }
    }

    void check_head(std::string_view bytes) const {
        const std::uint64_t version = layout_.version_of(bytes);
        if (version != layout_.version) {
            fail("version " + std::to_string(version) + " is not that of the first record",
                 "all records have version " + std::to_string(layout_.version));
        }
        const std::uint64_t command = layout_.command(bytes);
        if (command > kMaxCommand) {
            fail("command " + hexadecimal(command) + " is unknown",
                 "a command is a SCSI operation code, 0x0 to 0xff");
        }
    }

    /// False where the length is 0: SBC-4 has such commands move nothing.
    bool read_extent(std::string_view bytes, Record& record) const {
        const std::uint64_t sector = layout_.sector(bytes);
        if (sector > kMax / kSectorBytes) {
            fail("sector " + std::to_string(sector) + " is too large",
                 "a sector of 512 bytes begins below byte 2^63");
        }
        record.offset = kSectorBytes * sector;
        record.bytes = layout_.length(bytes);
        return record.bytes > 0;
    }

    std::int64_t since_first(std::uint64_t time) {
        if (!first_) {
            first_ = time;
        }
        const bool earlier = time < *first_;
        const std::uint64_t passed = earlier ? *first_ - time : time - *first_;
        if (passed > kMax / kUs) {
            fail("time " + std::to_string(time) + " is more than 106 days from the first",
                 "a trace spans at most 106 days");
        }
        const auto ps = static_cast<std::int64_t>(passed * kUs);
        return earlier ? -ps : ps;
    }

    const Layout& layout_;
    std::optional<std::uint64_t> first_;
};

bool is_vscsi_trace(std::string_view start) {
    return layout_of(start) != nullptr;
}

std::unique_ptr<TraceReader> make_vscsi_reader(LineReader lines) {
    const std::string_view start = lines.peek_bytes();
    const Layout* layout = layout_of(start);
    if (layout == nullptr && start.size() >= kFirstLayout.bytes) {
        throw UserError(lines.name() + ":record 1", "the version is missing",
                        "a record has the version, 1 or 2, in the upper byte of its field ver");
    }
    layout = layout == nullptr ? &kFirstLayout : layout;
    lines.cut_into_records(layout->bytes);
    return std::make_unique<VscsiReader>(std::move(lines), *layout);
}

} // namespace

const TraceReading kVscsiTraces{nullptr, make_vscsi_reader, nullptr, is_vscsi_trace};

} // namespace cavern
