#include <algorithm>

#include "nvme/nvme_controller.h"
#include "nvme/prp_list.h"

namespace cavern::nvme {
namespace {

constexpr std::uint32_t kIdentifyBytes = 4096;
constexpr std::uint64_t kEui64 = 0x0000'0000'5643'4E4D; ///< of the namespace; of no vendor

/// Text in a field of fixed width, filled up with spaces (1.5).
void put_text(std::byte* at, const std::string& text, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i) {
        at[i] = static_cast<std::byte>(i < text.size() ? text[i] : ' ');
    }
}

} // namespace

/// The data of an admin command into its buffer in host memory.
Status Controller::deliver(const Command& command, const std::byte* data, std::uint32_t bytes) {
    const Status status =
        read_prps(memory_, command.prp1(), command.prp2(), bytes, page_bytes(), segments_);
    if (status != kSuccess) {
        return status;
    }
    for (const Segment& segment : segments_) {
        for (std::uint32_t moved = 0; moved < segment.bytes;) {
            const std::uint32_t now = std::min(segment.bytes - moved, kMostDelivered);
            if (!memory_.write(segment.address + moved, data, now)) {
                return kDataTransferError;
            }
            data += now;
            moved += now;
        }
    }
    return kSuccess;
}

// ---- identify (5.15) ----------------------------------------------------------------------------

Controller::Outcome Controller::identify(const Command& command) {
    enum Structure : std::uint32_t { kOfNamespace, kOfController, kActiveList, kDescriptors };
    std::vector<std::byte> data(kIdentifyBytes);
    switch (command.dword[10] & 0xFF) {
    case kOfNamespace:
        if (command.nsid() != kNamespace) {
            return {kInvalidNamespace};
        }
        data = identify_namespace();
        break;
    case kOfController:
        data = identify_controller();
        break;
    case kActiveList: // namespaces with an identifier above the one given
        if (command.nsid() >= kAllNamespaces - 1) {
            return {kInvalidNamespace};
        }
        if (command.nsid() < kNamespace) {
            put<std::uint32_t>(data.data(), kNamespace);
        }
        break;
    case kDescriptors:
        if (command.nsid() != kNamespace) {
            return {kInvalidNamespace};
        }
        put<std::uint16_t>(data.data(), 0x0801); // EUI-64, of 8 bytes
        put<std::uint64_t>(&data[4], kEui64);
        break;
    default:
        return {kInvalidField};
    }
    return {deliver(command, data.data(), kIdentifyBytes)};
}

std::vector<std::byte> Controller::identify_controller() const {
    std::vector<std::byte> data(kIdentifyBytes);
    const auto byte = [&data](std::size_t at, std::uint8_t value) { put(&data[at], value); };
    put_text(&data[4], params_.serial, 20);
    put_text(&data[24], params_.model, 40);
    put_text(&data[64], params_.firmware, 8);
    byte(77, params_.transfer_pages); // MDTS
    put<std::uint32_t>(&data[80], kVersion);
    byte(111, 1); // an I/O controller
    byte(258, 3); // four aborts at a time
    byte(259, 3); // four requests for events
    byte(260, 3); // one firmware slot, read only
    byte(261, 4); // LPA: Get Log Page has 32 bits of length, and an offset
    byte(262, ErrorLog::kEntries - 1);
    put<std::uint16_t>(&data[266], 343); // kelvin: a warning, critical
    put<std::uint16_t>(&data[268], 358);
    byte(512, 0x66);                                   // entries of 2^6 bytes
    byte(513, 0x44);                                   // of 2^4 bytes
    put<std::uint32_t>(&data[516], 1);                 // namespaces
    put<std::uint16_t>(&data[520], 1u << 2 | 1u << 3); // dataset management, write zeroes
    byte(525, params_.volatile_cache ? 1 : 0);
    const std::string name = "nqn.2014.08.org.nvmexpress:cavern:" + params_.serial;
    std::memcpy(&data[768], name.data(), std::min<std::size_t>(name.size(), 223));
    put<std::uint16_t>(&data[2048], 2500); // power state 0: 25 W
    return data;
}

std::vector<std::byte> Controller::identify_namespace() const {
    std::vector<std::byte> data(kIdentifyBytes);
    put<std::uint64_t>(&data[0], params_.blocks);
    put<std::uint64_t>(&data[8], params_.blocks);
    put<std::uint64_t>(&data[16], params_.blocks);
    put<std::uint64_t>(&data[120], kEui64);
    put<std::uint32_t>(&data[128], 9u << 16); // LBA format 0: blocks of 2^9 bytes, no metadata
    return data;
}

// ---- logs (5.14) --------------------------------------------------------------------------------

std::vector<std::byte> Controller::health_log() const {
    constexpr std::uint64_t kUnitBlocks = 1000;
    std::vector<std::byte> data(512);
    put<std::uint16_t>(&data[1], 303); // kelvin
    put<std::uint8_t>(&data[3], 100);  // percent of spare
    put<std::uint8_t>(&data[4], 10);   // its threshold
    const auto units = [](std::uint64_t blocks) {
        return (blocks + kUnitBlocks - 1) / kUnitBlocks;
    };
    put<std::uint64_t>(&data[32], units(health_.blocks_read));
    put<std::uint64_t>(&data[48], units(health_.blocks_written));
    put<std::uint64_t>(&data[64], health_.reads);
    put<std::uint64_t>(&data[80], health_.writes);
    put<std::uint64_t>(&data[112], 1); // power cycles
    put<std::uint64_t>(&data[160], health_.media_errors);
    put<std::uint64_t>(&data[176], errors_.count());
    return data;
}

Controller::Outcome Controller::get_log_page(const Command& command) {
    enum Log : std::uint32_t { kErrors = 1, kHealth = 2, kFirmware = 3 };
    const std::uint64_t bytes =
        ((command.dword[10] >> 16 | std::uint64_t{command.dword[11] & 0xFFFF} << 16) + 1) * 4;
    const std::uint64_t offset = command.quad(12);
    const bool retains_event = (command.dword[10] >> 15 & 1) != 0;
    std::vector<std::byte> log;
    switch (command.dword[10] & 0xFF) {
    case kErrors:
        log = errors_.page();
        break;
    case kHealth:
        if (command.nsid() != kAllNamespaces && command.nsid() != 0) {
            return {kInvalidNamespace}; // LPA: no health log of a namespace
        }
        log = health_log();
        break;
    case kFirmware:
        log.resize(512);
        put<std::uint8_t>(log.data(), 1); // slot 1 is active
        put_text(&log[8], params_.firmware, 8);
        break;
    default:
        return {kInvalidLogPage};
    }
    if (offset % 4 != 0 || offset > log.size() ||
        bytes > std::uint64_t{4096} << params_.transfer_pages) {
        return {kInvalidField};
    }
    const auto is_error_log = (command.dword[10] & 0xFF) == kErrors;
    log.erase(log.begin(), log.begin() + static_cast<std::ptrdiff_t>(offset));
    log.resize(bytes); // what lies beyond the log is zero
    const Status status = deliver(command, log.data(), static_cast<std::uint32_t>(bytes));
    if (status == kSuccess && is_error_log && !retains_event) {
        error_events_masked_ = false;
    }
    return {status};
}

} // namespace cavern::nvme
