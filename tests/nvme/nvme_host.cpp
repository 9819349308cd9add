#include "tests/nvme/nvme_host.h"

#include <cstring>
#include <gtest/gtest.h>

namespace cavern::testing {

using nvme::AdminOpcode;
using nvme::Command;
using nvme::get;
using nvme::put;

namespace {

nvme::Controller::Params with_blocks(nvme::Controller::Params params) {
    params.blocks = NvmeHost::kBlocks;
    return params;
}

} // namespace

NvmeHost::NvmeHost(nvme::Controller::Params params)
    : controller_(with_blocks(std::move(params)), *this, *this, *this) {}

bool NvmeHost::read(std::uint64_t address, std::byte* to, std::uint32_t bytes) {
    if (address > kMemory || bytes > kMemory - address) {
        return false;
    }
    std::memcpy(to, &memory_[address], bytes);
    return true;
}

bool NvmeHost::write(std::uint64_t address, const std::byte* from, std::uint32_t bytes) {
    if (address > kMemory || bytes > kMemory - address) {
        return false;
    }
    std::memcpy(&memory_[address], from, bytes);
    return true;
}

void NvmeHost::start(const nvme::Io& io) {
    std::byte* medium = medium_.data() + io.offset;
    nvme::Status status = nvme::kSuccess;
    for (const nvme::Segment& segment : io.data) {
        const bool moved = io.op == nvme::IoOp::kWrite
                               ? read(segment.address, medium, segment.bytes)
                               : write(segment.address, medium, segment.bytes);
        status = moved ? status : nvme::kDataTransferError;
        medium += segment.bytes;
    }
    if (io.op == nvme::IoOp::kDeallocate || io.op == nvme::IoOp::kWriteZeroes) {
        std::memset(medium, 0, io.bytes);
    }
    waiting_.push_back({io.slot, status});
}

void NvmeHost::run() {
    bool goes_on = true;
    while (goes_on) {
        goes_on = controller_.work();
        if (!goes_on && !held_ && !waiting_.empty()) {
            const Waiting done = waiting_.front();
            waiting_.pop_front();
            controller_.finished(done.slot, done.status);
            goes_on = true;
        }
    }
}

/// Each pair has a MiB from 8 MiB on, its completions in the second half.
void NvmeHost::place(std::uint16_t id, std::uint32_t entries) {
    const std::uint64_t base = (std::uint64_t{8} << 20) + (std::uint64_t{id} << 18);
    rings_[id] = {base, base + (1 << 17), entries};
    std::memset(at(base), 0, 1 << 18);
}

void NvmeHost::enable(std::uint32_t entries) {
    place(0, entries);
    write(nvme::kAqa, (entries - 1) | (entries - 1) << 16);
    write(nvme::kAsq, rings_[0].submission, 8);
    write(nvme::kAcq, rings_[0].completion, 8);
    write(nvme::kCc, 1 | 6 << 16 | 4 << 20);
    run();
    EXPECT_EQ(read(nvme::kCsts), 1u);
}

void NvmeHost::create_pair(std::uint16_t id, std::uint32_t entries, std::uint16_t vector) {
    place(id, entries);
    const std::uint32_t size = id | (entries - 1) << 16;
    EXPECT_EQ(status_of(0, admin(AdminOpcode::kCreateCompletionQueue, size,
                                 3u | std::uint32_t{vector} << 16, rings_[id].completion)),
              nvme::kSuccess);
    EXPECT_EQ(status_of(0, admin(AdminOpcode::kCreateSubmissionQueue, size,
                                 1u | std::uint32_t{id} << 16, rings_[id].submission)),
              nvme::kSuccess);
}

std::uint16_t NvmeHost::submit(std::uint16_t queue, Command command, bool rings) {
    Rings& of = rings_[queue];
    command.dword[0] = (command.dword[0] & 0xFFFF) | std::uint32_t{next_id_} << 16;
    for (std::size_t i = 0; i < command.dword.size(); ++i) {
        put(at(of.submission + of.tail * nvme::kEntryBytes + 4 * i), command.dword[i]);
    }
    of.tail = (of.tail + 1) % of.entries;
    if (rings) {
        ring(queue);
    }
    return next_id_++;
}

void NvmeHost::ring(std::uint16_t queue) {
    write(nvme::kDoorbells + 8u * queue, rings_[queue].tail);
}

std::vector<NvmeHost::Completion> NvmeHost::reap(std::uint16_t queue, bool rings) {
    Rings& of = rings_[queue];
    std::vector<Completion> all;
    for (;;) {
        const std::byte* entry = at(of.completion + of.head * nvme::kCompletionBytes);
        const auto status = get<std::uint16_t>(entry + 14);
        if (((status & 1) != 0) != of.phase) {
            break;
        }
        all.push_back({get<std::uint32_t>(entry), get<std::uint16_t>(entry + 8),
                       get<std::uint16_t>(entry + 10), get<std::uint16_t>(entry + 12),
                       static_cast<nvme::Status>(status >> 1)});
        if (++of.head == of.entries) {
            of.head = 0;
            of.phase = !of.phase;
        }
    }
    if (rings && !all.empty()) {
        write(nvme::kDoorbells + 8u * queue + 4, of.head);
    }
    return all;
}

NvmeHost::Completion NvmeHost::execute(std::uint16_t queue, const Command& command) {
    const std::uint16_t id = submit(queue, command);
    run();
    const std::vector<Completion> all = reap(queue);
    EXPECT_EQ(all.size(), 1u);
    if (all.empty()) {
        return {0, 0, 0, 0, nvme::kInternalError};
    }
    EXPECT_EQ(all[0].id, id);
    EXPECT_EQ(all[0].queue, queue);
    return all[0];
}

Command NvmeHost::admin(AdminOpcode opcode, std::uint32_t cdw10, std::uint32_t cdw11,
                        std::uint64_t prp1, std::uint32_t nsid) {
    Command command;
    command.dword[0] = static_cast<std::uint32_t>(opcode);
    command.dword[1] = nsid;
    command.dword[6] = static_cast<std::uint32_t>(prp1);
    command.dword[7] = static_cast<std::uint32_t>(prp1 >> 32);
    command.dword[10] = cdw10;
    command.dword[11] = cdw11;
    return command;
}

Command NvmeHost::io(nvme::NvmOpcode opcode, std::uint64_t lba, std::uint32_t blocks,
                     std::uint64_t prp1, std::uint64_t prp2, std::uint32_t nsid) {
    Command command = admin(static_cast<AdminOpcode>(opcode), static_cast<std::uint32_t>(lba),
                            static_cast<std::uint32_t>(lba >> 32), prp1, nsid);
    command.dword[8] = static_cast<std::uint32_t>(prp2);
    command.dword[9] = static_cast<std::uint32_t>(prp2 >> 32);
    command.dword[12] = blocks - 1;
    return command;
}

} // namespace cavern::testing
