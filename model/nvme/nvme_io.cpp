#include <array>

#include "core/base/check.h"
#include "nvme/nvme_controller.h"
#include "nvme/prp_list.h"

namespace cavern::nvme {

// ---- slots --------------------------------------------------------------------------------------

std::uint32_t Controller::take_slot(std::uint16_t queue, std::uint16_t id, IoOp op) {
    const std::uint32_t slot = free_slots_.back();
    free_slots_.pop_back();
    slots_[slot] = {};
    slots_[slot].parts = 1;
    slots_[slot].queue = queue;
    slots_[slot].id = id;
    slots_[slot].op = op;
    ++outstanding_;
    return slot;
}

void Controller::start(std::uint32_t slot, IoOp op, std::uint64_t lba, std::uint64_t blocks,
                       bool fua) {
    medium_.start({slot, op, lba * kBlockBytes, blocks * kBlockBytes, fua, segments_});
}

void Controller::finished(std::uint32_t slot, Status status) {
    CAVERN_CHECK(slot < slots_.size() && slots_[slot].parts != 0,
                 "the medium finishes what it was asked");
    Slot& of = slots_[slot];
    if (of.status == kSuccess) {
        of.status = status;
    }
    if (--of.parts == 0) {
        release(of);
    }
}

void Controller::release(Slot& slot) {
    free_slots_.push_back(static_cast<std::uint32_t>(&slot - slots_.data()));
    --outstanding_;
    if (slot.shutdown) {
        shutdown_ = 2;
        return;
    }
    if (slot.status == kSuccess) {
        const std::uint64_t blocks = slot.bytes / kBlockBytes;
        health_.blocks_read += slot.op == IoOp::kRead ? blocks : 0;
        health_.blocks_written += slot.op == IoOp::kWrite ? blocks : 0;
        health_.reads += slot.op == IoOp::kRead ? 1 : 0;
        health_.writes += slot.op == IoOp::kWrite ? 1 : 0;
    } else if (slot.status == kUnrecoveredRead) {
        ++health_.media_errors;
    }
    answer({slot.queue, slot.id, slot.status});
}

// ---- the NVM command set (6) --------------------------------------------------------------------

Controller::Outcome Controller::io(std::uint16_t queue, const Command& command) {
    const auto opcode = static_cast<NvmOpcode>(command.opcode());
    if (opcode == NvmOpcode::kFlush) {
        if (command.nsid() != kNamespace && command.nsid() != kAllNamespaces) {
            return {kInvalidNamespace};
        }
        start(take_slot(queue, command.id(), IoOp::kFlush), IoOp::kFlush, 0, 0, false);
        return {kSuccess, 0, true};
    }
    switch (opcode) {
    case NvmOpcode::kRead:
    case NvmOpcode::kWrite:
    case NvmOpcode::kWriteZeroes:
    case NvmOpcode::kDatasetManagement:
        break;
    default:
        return {kInvalidOpcode};
    }
    if (command.nsid() != kNamespace) {
        return {kInvalidNamespace};
    }
    switch (opcode) {
    case NvmOpcode::kRead:
        return move_data(queue, command, IoOp::kRead);
    case NvmOpcode::kWrite:
        return move_data(queue, command, IoOp::kWrite);
    case NvmOpcode::kWriteZeroes:
        return move_data(queue, command, IoOp::kWriteZeroes);
    default:
        return manage_dataset(queue, command);
    }
}

Controller::Outcome Controller::move_data(std::uint16_t queue, const Command& command, IoOp op) {
    constexpr std::uint32_t kForceUnitAccess = 1u << 30;
    const std::uint64_t blocks = (command.dword[12] & 0xFFFF) + 1;
    const std::uint64_t bytes = blocks * kBlockBytes;
    segments_.clear();
    if (op != IoOp::kWriteZeroes && bytes > std::uint64_t{4096} << params_.transfer_pages) {
        return {kInvalidField};
    }
    if (!in_range(command.lba(), blocks)) {
        return {kOutOfRange};
    }
    if (op != IoOp::kWriteZeroes) {
        const Status status =
            read_prps(memory_, command.prp1(), command.prp2(), bytes, page_bytes(), segments_);
        if (status != kSuccess) {
            return {status};
        }
    }
    const std::uint32_t slot = take_slot(queue, command.id(), op);
    slots_[slot].lba = command.lba();
    slots_[slot].bytes = bytes;
    start(slot, op, command.lba(), blocks, (command.dword[12] & kForceUnitAccess) != 0);
    return {kSuccess, 0, true};
}

/// Ranges of 16 bytes: attributes, blocks, first block (6.7). Of the attributes only deallocation
/// asks for something.
Controller::Outcome Controller::manage_dataset(std::uint16_t queue, const Command& command) {
    constexpr std::uint32_t kRangeBytes = 16;
    constexpr std::uint32_t kDeallocate = 1u << 2;
    std::array<std::byte, 256 * kRangeBytes> ranges;
    const std::uint32_t count = (command.dword[10] & 0xFF) + 1;
    std::vector<Segment>& where = segments_;
    Status status = read_prps(memory_, command.prp1(), command.prp2(), count * kRangeBytes,
                              page_bytes(), where);
    std::byte* to = ranges.data();
    for (const Segment& segment : where) {
        if (status == kSuccess && !memory_.read(segment.address, to, segment.bytes)) {
            status = kDataTransferError;
        }
        to += segment.bytes;
    }
    if (status != kSuccess) {
        return {status};
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::byte* range = &ranges[i * kRangeBytes];
        if (!in_range(get<std::uint64_t>(range + 8), get<std::uint32_t>(range + 4))) {
            return {kOutOfRange};
        }
    }
    segments_.clear();
    if ((command.dword[11] & kDeallocate) == 0) {
        return {};
    }
    // The slot holds one part more while parts are started: some may be done at once.
    const std::uint32_t slot = take_slot(queue, command.id(), IoOp::kDeallocate);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::byte* range = &ranges[i * kRangeBytes];
        const auto blocks = get<std::uint32_t>(range + 4);
        if (blocks != 0) {
            ++slots_[slot].parts;
            start(slot, IoOp::kDeallocate, get<std::uint64_t>(range + 8), blocks, false);
        }
    }
    finished(slot, kSuccess);
    return {kSuccess, 0, true};
}

} // namespace cavern::nvme
