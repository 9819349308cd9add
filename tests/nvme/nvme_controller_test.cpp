// The controller alone, against the clauses of the NVM Express Base Specification 1.4.

#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "core/base/random.h"
#include "tests/nvme/nvme_host.h"

namespace cavern::testing {
namespace {

using namespace nvme;

constexpr std::uint64_t kData = 1 << 20;

std::string text_at(NvmeHost& host, std::uint64_t address, std::size_t length) {
    return {reinterpret_cast<const char*>(host.at(address)), length};
}

// ---- registers ----------------------------------------------------------------------------------

TEST(NvmeRegistersTest, SayWhatTheControllerCan) {
    Controller::Params params;
    params.entries = 64;
    const NvmeHost host(params);
    const std::uint64_t cap = host.read(kCap, 8);
    EXPECT_EQ(cap & 0xFFFF, 63u);    // MQES counts from 0
    EXPECT_EQ(cap >> 16 & 1, 1u);    // CQR
    EXPECT_GT(cap >> 24 & 0xFF, 0u); // TO
    EXPECT_EQ(cap >> 32 & 0xF, 0u);  // DSTRD
    EXPECT_EQ(cap >> 37 & 0xFF, 1u); // CSS: NVM
    EXPECT_EQ(cap >> 48 & 0xF, 0u);  // MPSMIN
    EXPECT_EQ(host.read(kCap), cap & 0xFFFF'FFFF);
    EXPECT_EQ(host.read(kCap + 4), cap >> 32);
    EXPECT_EQ(host.read(kVs), 0x00010400u);
    EXPECT_EQ(host.read(kCsts), 0u);
}

TEST(NvmeRegistersTest, WideOnesAreWrittenWholeOrByHalves) {
    NvmeHost host;
    host.write(kAsq, 0x1'2345'6FFF, 8);
    EXPECT_EQ(host.read(kAsq, 8), 0x1'2345'6000u);
    host.write(kAcq + 4, 7);
    host.write(kAcq, 0x9000);
    EXPECT_EQ(host.read(kAcq, 8), 0x7'0000'9000u);
    host.write(kIntms, 6);
    host.write(kIntmc, 2);
    EXPECT_EQ(host.read(kIntms), 4u);
    EXPECT_EQ(host.read(kCap + 0x800), 0u);
    EXPECT_EQ(host.read(kDoorbells), 0u);
}

TEST(NvmeRegistersTest, AControllerIsReadyWhenEnabledAndNotWhenDisabled) {
    NvmeHost host;
    host.enable();
    host.write(kCc, 6 << 16 | 4 << 20);
    host.run();
    EXPECT_EQ(host.read(kCsts), 0u);
    host.enable();
}

TEST(NvmeRegistersTest, AnImpossibleConfigurationIsFatalUntilDisabled) {
    for (const std::uint32_t cc : {1u | 5u << 7, 1u | 1u << 4, 1u | 1u << 11}) {
        NvmeHost host;
        host.write(kAqa, 15 | 15 << 16);
        host.write(kCc, cc);
        host.run();
        EXPECT_EQ(host.read(kCsts), 2u) << cc;
        host.write(kCc, 0);
        host.run();
        EXPECT_EQ(host.read(kCsts), 0u);
        host.enable();
    }
}

TEST(NvmeRegistersTest, QueuesWhereThereIsNoMemoryAreFatal) {
    NvmeHost host;
    host.write(kAqa, 15 | 15 << 16);
    host.write(kAsq, std::uint64_t{1} << 40, 8);
    host.write(kCc, 1);
    host.run();
    host.write(kDoorbells, 1);
    host.run();
    EXPECT_EQ(host.read(kCsts) & 2, 2u);
}

TEST(NvmeRegistersTest, AShutdownFlushesAndReports) {
    NvmeHost host;
    host.enable();
    host.hold(true);
    host.write(kCc, 1 | 1 << 14 | 6 << 16 | 4 << 20);
    host.run();
    EXPECT_EQ(host.held(), 1u);
    EXPECT_EQ(host.read(kCsts) >> 2 & 3, 1u);
    host.hold(false);
    host.run();
    EXPECT_EQ(host.read(kCsts) >> 2 & 3, 2u);
}

// ---- admin commands -----------------------------------------------------------------------------

class NvmeAdminTest : public ::testing::Test {
  protected:
    NvmeAdminTest() { host.enable(); }
    Status admin(AdminOpcode opcode, std::uint32_t cdw10 = 0, std::uint32_t cdw11 = 0,
                 std::uint64_t prp1 = kData, std::uint32_t nsid = 0) {
        return host.status_of(0, NvmeHost::admin(opcode, cdw10, cdw11, prp1, nsid));
    }
    using Bytes = std::map<std::size_t, unsigned>;
    /// Those of the answer from `begin` up to `end` that are not 0.
    Bytes bytes(std::size_t begin, std::size_t end) {
        Bytes found;
        for (std::size_t at = begin; at < end; ++at) {
            if (const auto byte = get<std::uint8_t>(host.at(kData + at))) {
                found[at] = byte;
            }
        }
        return found;
    }
    NvmeHost host;
};

TEST_F(NvmeAdminTest, IdentifiesController) {
    EXPECT_EQ(admin(AdminOpcode::kIdentify, 1), kSuccess);
    EXPECT_EQ(text_at(host, kData + 4, 20), "CAVERN0001          ");
    EXPECT_EQ(text_at(host, kData + 24, 10), "Cavern SSD");
    // NVM Express 1.4, 5.15.2.2: all that is not text.
    EXPECT_EQ(bytes(72, 768), (Bytes{{77, 8}, // MDTS
                                     {81, 4}, // VER 1.4
                                     {82, 1},
                                     {111, 1},          // CNTRLTYPE: an I/O controller
                                     {258, 3},          // ACL
                                     {259, 3},          // AERL
                                     {260, 3},          // FRMW
                                     {261, 4},          // LPA
                                     {262, 15},         // ELPE
                                     {266, 343 & 0xFF}, // WCTEMP
                                     {267, 343 >> 8},
                                     {268, 358 & 0xFF}, // CCTEMP
                                     {269, 358 >> 8},
                                     {512, 0x66},                                  // SQES
                                     {513, 0x44},                                  // CQES
                                     {516, 1},                                     // NN
                                     {520, 0xC},                                   // ONCS
                                     {525, 1}}));                                  // VWC
    EXPECT_EQ(bytes(1024, 4096), (Bytes{{2048, 2500 & 0xFF}, {2049, 2500 >> 8}})); // PSD0: 25 W
    EXPECT_EQ(text_at(host, kData + 768, 27), "nqn.2014.08.org.nvmexpress:");
}

TEST_F(NvmeAdminTest, IdentifiesTheNamespaceAndListsIt) {
    EXPECT_EQ(admin(AdminOpcode::kIdentify, 0, 0, kData, 1), kSuccess);
    for (const std::size_t at : {0, 8, 16}) { // NSZE, NCAP, NUSE
        EXPECT_EQ(get<std::uint64_t>(host.at(kData + at)), NvmeHost::kBlocks);
    }
    EXPECT_EQ(bytes(24, 120), (Bytes{}));
    EXPECT_NE(bytes(120, 128), (Bytes{}));          // EUI64
    EXPECT_EQ(bytes(128, 4096), (Bytes{{130, 9}})); // LBAF0: blocks of 2^9 bytes
    EXPECT_EQ(admin(AdminOpcode::kIdentify, 2), kSuccess);
    EXPECT_EQ(get<std::uint64_t>(host.at(kData)), 1u); // namespace 1, and the end
    EXPECT_EQ(admin(AdminOpcode::kIdentify, 2, 0, kData, 1), kSuccess);
    EXPECT_EQ(get<std::uint32_t>(host.at(kData)), 0u);
    EXPECT_EQ(admin(AdminOpcode::kIdentify, 3, 0, kData, 1), kSuccess);
    EXPECT_EQ(get<std::uint16_t>(host.at(kData)), 0x0801); // type 1, length 8
}

TEST_F(NvmeAdminTest, DataMayLieOverTwoPages) {
    NvmeHost::Completion done;
    Command command = NvmeHost::admin(AdminOpcode::kIdentify, 1, 0, kData + 0x800);
    command.dword[8] = kData + 0x10000;
    EXPECT_EQ(host.status_of(0, command), kSuccess);
    EXPECT_EQ(text_at(host, kData + 0x800 + 24, 10), "Cavern SSD");
    EXPECT_EQ(get<std::uint16_t>(host.at(kData + 0x10000)), 2500) << "byte 2048 of the structure";
    command.dword[8] += 8;
    EXPECT_EQ(host.status_of(0, command), kInvalidPrpOffset);
}

// Neighbours are one segment, which is written in parts.
TEST_F(NvmeAdminTest, DataMayLieInPagesThatAreNeighbours) {
    std::memset(host.at(kData - 4096), 0xFF, 4 * 4096);
    Command command = NvmeHost::admin(AdminOpcode::kGetLogPage, 3 | 2047u << 16, 0, kData);
    command.dword[8] = kData + 4096;
    EXPECT_EQ(host.status_of(0, command), kSuccess);
    EXPECT_EQ(get<std::uint8_t>(host.at(kData)), 1u) << "slot 1 of the firmware";
    for (const std::uint64_t beyond : {kData - 4, kData + 2 * 4096}) {
        EXPECT_EQ(get<std::uint32_t>(host.at(beyond)), 0xFFFF'FFFFu) << beyond;
    }
    for (const std::uint64_t rest : {kData + 512, kData + 4096, kData + 2 * 4096 - 4}) {
        EXPECT_EQ(get<std::uint32_t>(host.at(rest)), 0u) << "beyond the log: " << rest;
    }
}

TEST_F(NvmeAdminTest, WhatIsWrongIsAnsweredWithItsStatus) {
    EXPECT_EQ(admin(AdminOpcode{0x7F}), kInvalidOpcode);
    EXPECT_EQ(admin(AdminOpcode::kKeepAlive), kInvalidOpcode);
    EXPECT_EQ(admin(AdminOpcode::kIdentify, 0x55), kInvalidField);
    EXPECT_EQ(admin(AdminOpcode::kIdentify, 0, 0, kData, 2), kInvalidNamespace);
    EXPECT_EQ(admin(AdminOpcode::kIdentify, 2, 0, kData, kAllNamespaces), kInvalidNamespace);
    EXPECT_EQ(admin(AdminOpcode::kIdentify, 3, 0, kData, 9), kInvalidNamespace);
    EXPECT_EQ(admin(AdminOpcode::kIdentify, 1, 0, kData + 2), kInvalidPrpOffset);
    EXPECT_EQ(admin(AdminOpcode::kIdentify, 1, 0, NvmeHost::kMemory), kDataTransferError);
    EXPECT_EQ(admin(AdminOpcode::kSetFeatures, 0x55), kInvalidField);
    EXPECT_EQ(admin(AdminOpcode::kSetFeatures, 0x06 | 1u << 31, 1), kNotSaveable);
    EXPECT_EQ(admin(AdminOpcode::kSetFeatures, 0x06, 0), kNotChangeable);
    EXPECT_EQ(admin(AdminOpcode::kSetFeatures, 0x07, 0xFFFF), kInvalidField);
    EXPECT_EQ(admin(AdminOpcode::kGetFeatures, 0x55), kInvalidField);
    EXPECT_EQ(admin(AdminOpcode::kGetFeatures, 0x07 | 3 << 8), kInvalidField);
    EXPECT_EQ(admin(AdminOpcode::kGetLogPage, 0x55), kInvalidLogPage);
    EXPECT_EQ(admin(AdminOpcode::kGetLogPage, 2 | 127 << 16, 0, kData, 5), kInvalidNamespace);
    EXPECT_EQ(admin(AdminOpcode::kAbort, 99), kInvalidField);
    Command fused = NvmeHost::admin(AdminOpcode::kIdentify, 1, 0, kData);
    fused.dword[0] |= 1u << 8;
    EXPECT_EQ(host.status_of(0, fused), kInvalidField);
    Command scattered = NvmeHost::admin(AdminOpcode::kIdentify, 1, 0, kData);
    scattered.dword[0] |= 1u << 14;
    EXPECT_EQ(host.status_of(0, scattered), kInvalidField);
    EXPECT_EQ(admin(AdminOpcode::kIdentify, 1), kSuccess);
}

TEST_F(NvmeAdminTest, QueuesAreCreatedAndDeletedByTheRules) {
    const auto completion = AdminOpcode::kCreateCompletionQueue;
    const auto submission = AdminOpcode::kCreateSubmissionQueue;
    const auto size = [](std::uint32_t id, std::uint32_t entries) {
        return id | (entries - 1) << 16;
    };
    EXPECT_EQ(admin(completion, size(0, 8), 1), kInvalidQueueId);
    EXPECT_EQ(admin(completion, size(17, 8), 1), kInvalidQueueId);
    EXPECT_EQ(admin(completion, size(1, 1), 1), kInvalidQueueSize);
    EXPECT_EQ(admin(completion, size(1, 1025), 1), kInvalidQueueSize);
    EXPECT_EQ(admin(completion, size(1, 8), 0), kInvalidField);
    EXPECT_EQ(admin(completion, size(1, 8), 3 | 17 << 16), kInvalidVector);
    EXPECT_EQ(admin(completion, size(1, 8), 1, kData + 64), kInvalidPrpOffset);
    EXPECT_EQ(admin(submission, size(1, 8), 1 | 1 << 16), kInvalidCompletionQueue);
    EXPECT_EQ(admin(completion, size(1, 8), 1), kSuccess);
    EXPECT_EQ(admin(completion, size(1, 8), 1), kInvalidQueueId);
    EXPECT_EQ(admin(submission, size(0, 8), 1 | 1 << 16), kInvalidQueueId);
    EXPECT_EQ(admin(submission, size(1, 8), 1 | 0 << 16), kInvalidQueueId);
    EXPECT_EQ(admin(submission, size(1, 1), 1 | 1 << 16), kInvalidQueueSize);
    EXPECT_EQ(admin(submission, size(1, 8), 0 | 1 << 16), kInvalidField);
    EXPECT_EQ(admin(submission, size(1, 8), 1 | 1 << 16, kData + 4), kInvalidPrpOffset);
    EXPECT_EQ(admin(submission, size(1, 8), 1 | 1 << 16), kSuccess);
    EXPECT_EQ(admin(AdminOpcode::kDeleteCompletionQueue, 1), kInvalidQueueDeletion);
    EXPECT_EQ(admin(AdminOpcode::kSetFeatures, 7, 3 | 3 << 16), kSequenceError);
    EXPECT_EQ(admin(AdminOpcode::kDeleteSubmissionQueue, 2), kInvalidQueueId);
    EXPECT_EQ(admin(AdminOpcode::kDeleteSubmissionQueue, 0), kInvalidQueueId);
    EXPECT_EQ(admin(AdminOpcode::kDeleteSubmissionQueue, 1), kSuccess);
    EXPECT_EQ(admin(AdminOpcode::kDeleteCompletionQueue, 1), kSuccess);
    EXPECT_EQ(admin(AdminOpcode::kDeleteCompletionQueue, 1), kInvalidQueueId);
}

TEST_F(NvmeAdminTest, TheNumberOfQueuesIsWhatIsAskedForAndThere) {
    const auto granted = [&](std::uint32_t asked) {
        return host.execute(0, NvmeHost::admin(AdminOpcode::kSetFeatures, 7, asked)).result;
    };
    EXPECT_EQ(granted(99 | 99 << 16), 15u | 15u << 16);
    EXPECT_EQ(granted(2 | 3 << 16), 3u | 3u << 16);
    EXPECT_EQ(host.execute(0, NvmeHost::admin(AdminOpcode::kGetFeatures, 7)).result, 3u | 3u << 16);
    EXPECT_EQ(admin(AdminOpcode::kCreateCompletionQueue, 5 | 7 << 16, 1), kInvalidQueueId);
    EXPECT_EQ(admin(AdminOpcode::kCreateCompletionQueue, 4 | 7 << 16, 1), kSuccess);
}

TEST_F(NvmeAdminTest, AnInvalidDoorbellIsAnEventAndAnError) {
    const std::uint16_t request = host.submit(0, NvmeHost::admin(AdminOpcode::kAsyncEventRequest));
    host.run();
    EXPECT_TRUE(host.reap(0).empty());
    host.write(kDoorbells + 8 * 3, 1); // a queue that is not there
    host.run();
    auto events = host.reap(0);
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].id, request);
    EXPECT_EQ(events[0].result, 0x1'00'00u); // error log, invalid doorbell register
    host.submit(0, NvmeHost::admin(AdminOpcode::kAsyncEventRequest));
    host.write(kDoorbells + 4, 16); // beyond the queue
    host.run();
    EXPECT_TRUE(host.reap(0).empty()) << "the log was not read";
    EXPECT_EQ(admin(AdminOpcode::kGetLogPage, 1 | 255 << 16), kSuccess);
    EXPECT_EQ(get<std::uint64_t>(host.at(kData)), 2u) << "errors, newest first";
    EXPECT_EQ(get<std::uint64_t>(host.at(kData + 64)), 1u);
    host.write(kDoorbells + 4, 16);
    host.run();
    events = host.reap(0);
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].result, 0x1'01'00u); // invalid value
}

TEST_F(NvmeAdminTest, RequestsForEventsAreLimitedAndAborted) {
    const Command request = NvmeHost::admin(AdminOpcode::kAsyncEventRequest);
    const std::uint16_t first = host.submit(0, request);
    for (int i = 0; i < 3; ++i) {
        host.submit(0, request);
    }
    EXPECT_EQ(host.status_of(0, request), kTooManyEventRequests);
    host.submit(0, NvmeHost::admin(AdminOpcode::kAbort, std::uint32_t{first} << 16));
    host.run();
    const auto done = host.reap(0);
    ASSERT_EQ(done.size(), 2u);
    EXPECT_EQ(done[0].id, first);
    EXPECT_EQ(done[0].status, kAbortRequested);
    EXPECT_EQ(done[1].result, 0u);
    EXPECT_EQ(host.execute(0, NvmeHost::admin(AdminOpcode::kAbort, 0xFFFF'0000)).result, 1u);
}

// ---- reading and writing ------------------------------------------------------------------------

class NvmeIoTest : public ::testing::Test {
  protected:
    NvmeIoTest() {
        host.enable();
        host.create_pair(1, 8, 3);
    }
    /// Fills host memory from `address` on with bytes that differ everywhere.
    void fill(std::uint64_t address, std::uint32_t bytes) {
        for (std::uint32_t i = 0; i < bytes; ++i) {
            *host.at(address + i) = static_cast<std::byte>(random.below(256));
        }
    }
    Random random{3};
    NvmeHost host;
};

/// Data over scattered pages with an offset in the first, described by PRPs; the list lies so that
/// it crosses pages of its own.
class Scattered {
  public:
    Scattered(NvmeHost& host, Random& random, std::uint32_t bytes, std::uint32_t offset,
              std::uint64_t list)
        : host_(host) {
        std::uint64_t page = kData + random.below(16) * NvmeHost::kPage;
        const auto next = [&] {
            page += (1 + random.below(3)) * NvmeHost::kPage;
            return page;
        };
        prp1 = next() + offset;
        std::uint32_t here = std::min(bytes, NvmeHost::kPage - offset);
        parts.push_back({prp1, here});
        for (std::uint32_t rest = bytes - here; rest != 0; rest -= here) {
            here = std::min(rest, NvmeHost::kPage);
            parts.push_back({next(), here});
        }
        if (parts.size() == 2) {
            prp2 = parts[1].address;
        } else if (parts.size() > 2) {
            prp2 = list;
            for (std::size_t i = 1; i < parts.size(); ++i) {
                if ((list + 8) % NvmeHost::kPage == 0 && i + 1 < parts.size()) {
                    const std::uint64_t more = list / NvmeHost::kPage * NvmeHost::kPage + 0x3000;
                    put(host.at(list), more);
                    list = more;
                }
                put(host.at(list), parts[i].address);
                list += 8;
            }
        }
    }
    [[nodiscard]] std::vector<std::byte> bytes() const {
        std::vector<std::byte> all;
        for (const Segment& part : parts) {
            all.insert(all.end(), host_.at(part.address), host_.at(part.address) + part.bytes);
        }
        return all;
    }
    std::vector<Segment> parts;
    std::uint64_t prp1 = 0;
    std::uint64_t prp2 = 0;

  private:
    NvmeHost& host_;
};

TEST_F(NvmeIoTest, DataGoWhereThePrpsPoint) {
    for (int i = 0; i < 300; ++i) {
        const auto blocks = static_cast<std::uint32_t>(1 + random.below(i % 3 == 0 ? 2048 : 40));
        const auto offset = static_cast<std::uint32_t>(random.below(1024)) * 4;
        const std::uint64_t lba = random.below(NvmeHost::kBlocks - blocks);
        const std::uint64_t list = (6 << 20) + random.below(512) * 8; // 64 pages above the data
        const Scattered data(host, random, blocks * kBlockBytes, offset, list);
        fill(data.prp1, 256);
        for (const Segment& part : data.parts) {
            fill(part.address, 64);
        }
        ASSERT_EQ(
            host.status_of(1, NvmeHost::io(NvmOpcode::kWrite, lba, blocks, data.prp1, data.prp2)),
            kSuccess);
        const std::byte* medium = host.medium().data() + lba * kBlockBytes;
        ASSERT_EQ(data.bytes(), std::vector<std::byte>(medium, medium + blocks * kBlockBytes));
        const Scattered back(host, random, blocks * kBlockBytes, 4092 - offset, list);
        ASSERT_EQ(
            host.status_of(1, NvmeHost::io(NvmOpcode::kRead, lba, blocks, back.prp1, back.prp2)),
            kSuccess);
        ASSERT_EQ(back.bytes(), std::vector<std::byte>(medium, medium + blocks * kBlockBytes));
    }
    EXPECT_EQ(host.interrupts()[3], 600u);
    ASSERT_EQ(host.status_of(0, NvmeHost::admin(AdminOpcode::kGetLogPage, 2 | 127 << 16, 0, kData,
                                                kAllNamespaces)),
              kSuccess);
    EXPECT_EQ(get<std::uint64_t>(host.at(kData + 64)), 300u);
    EXPECT_EQ(get<std::uint64_t>(host.at(kData + 80)), 300u);
}

TEST_F(NvmeIoTest, WhatIsWrongIsAnsweredWithItsStatus) {
    const std::uint64_t end = NvmeHost::kBlocks;
    const auto status = [&](const Command& command) { return host.status_of(1, command); };
    using Op = NvmOpcode;
    EXPECT_EQ(status(NvmeHost::io(Op{0x7E}, 0, 1, kData)), kInvalidOpcode);
    EXPECT_EQ(status(NvmeHost::io(Op::kRead, 0, 1, kData, 0, 2)), kInvalidNamespace);
    EXPECT_EQ(status(NvmeHost::io(Op::kRead, 0, 1, kData, 0, 0)), kInvalidNamespace);
    EXPECT_EQ(status(NvmeHost::io(Op::kFlush, 0, 1, 0, 0, kAllNamespaces)), kSuccess);
    EXPECT_EQ(status(NvmeHost::io(Op::kFlush, 0, 1, 0, 0, 2)), kInvalidNamespace);
    EXPECT_EQ(status(NvmeHost::io(Op::kRead, end, 1, kData)), kOutOfRange);
    EXPECT_EQ(status(NvmeHost::io(Op::kRead, end - 1, 2, kData)), kOutOfRange);
    EXPECT_EQ(status(NvmeHost::io(Op::kWrite, ~std::uint64_t{0}, 8, kData)), kOutOfRange);
    EXPECT_EQ(status(NvmeHost::io(Op::kWriteZeroes, end - 1, 2)), kOutOfRange);
    EXPECT_EQ(status(NvmeHost::io(Op::kRead, end - 1, 1, kData)), kSuccess);
    EXPECT_EQ(status(NvmeHost::io(Op::kRead, 0, 2049, kData, kData)), kInvalidField) << "MDTS";
    EXPECT_EQ(status(NvmeHost::io(Op::kRead, 0, 1, kData + 1)), kInvalidPrpOffset);
    EXPECT_EQ(status(NvmeHost::io(Op::kRead, 0, 16, kData, kData + 512)), kInvalidPrpOffset);
    EXPECT_EQ(status(NvmeHost::io(Op::kRead, 0, 32, kData, kData + 4)), kInvalidPrpOffset);
    EXPECT_EQ(status(NvmeHost::io(Op::kRead, 0, 32, kData, NvmeHost::kMemory)), kDataTransferError)
        << "no list there";
    EXPECT_EQ(status(NvmeHost::io(Op::kRead, 0, 1, NvmeHost::kMemory)), kDataTransferError);
    put(host.at(kData), std::uint64_t{kData + 512});
    EXPECT_EQ(status(NvmeHost::io(Op::kRead, 0, 32, kData, kData)), kInvalidPrpOffset)
        << "in the list";
    // A list of nothing but a link to itself would never end.
    put(host.at(kData + 4088), std::uint64_t{kData + 4088});
    EXPECT_EQ(status(NvmeHost::io(Op::kRead, 0, 32, kData, kData + 4088)), kInvalidPrpOffset);
}

TEST_F(NvmeIoTest, RangesAreDeallocatedAndZeroesWritten) {
    fill(kData, 64 * kBlockBytes);
    for (std::uint32_t lba = 0; lba < 64; lba += 8) {
        EXPECT_EQ(host.status_of(1, NvmeHost::io(NvmOpcode::kWrite, lba, 8, kData)), kSuccess);
    }
    const auto is_zero = [&](std::uint64_t lba) {
        return std::all_of(host.medium().begin() + static_cast<std::ptrdiff_t>(lba * kBlockBytes),
                           host.medium().begin() +
                               static_cast<std::ptrdiff_t>((lba + 1) * kBlockBytes),
                           [](std::byte byte) { return byte == std::byte{0}; });
    };
    const auto range = [&](int index, std::uint32_t blocks, std::uint64_t lba) {
        put(host.at(kData + 16 * index + 4), blocks);
        put(host.at(kData + 16 * index + 8), lba);
    };
    range(0, 4, 8);
    range(1, 0, 30); // nothing
    range(2, 1, 63);
    Command manage = NvmeHost::io(NvmOpcode::kDatasetManagement, 0, 1, kData);
    manage.dword[10] = 2;
    manage.dword[11] = 0; // says something else
    EXPECT_EQ(host.status_of(1, manage), kSuccess);
    EXPECT_FALSE(is_zero(8));
    manage.dword[11] = 4;
    EXPECT_EQ(host.status_of(1, manage), kSuccess);
    EXPECT_TRUE(is_zero(8) && is_zero(11) && is_zero(63));
    EXPECT_FALSE(is_zero(7) || is_zero(12) || is_zero(30) || is_zero(62));
    range(1, 5, NvmeHost::kBlocks - 4);
    EXPECT_EQ(host.status_of(1, manage), kOutOfRange);
    EXPECT_EQ(host.status_of(1, NvmeHost::io(NvmOpcode::kWriteZeroes, 20, 2)), kSuccess);
    EXPECT_TRUE(is_zero(20) && is_zero(21));
    EXPECT_FALSE(is_zero(22));
}

TEST_F(NvmeIoTest, QueuesWrapAndThePhaseTurns) {
    std::uint32_t seen = 0;
    for (std::uint32_t round = 0; round < 50; ++round) {
        for (int i = 0; i < 5; ++i) {
            host.submit(1, NvmeHost::io(NvmOpcode::kWrite, 0, 1, kData), false);
        }
        host.ring(1);
        host.run();
        seen += static_cast<std::uint32_t>(host.reap(1).size());
        ASSERT_EQ(seen, 5 * (round + 1));
    }
    EXPECT_EQ(host.controller().outstanding(), 0u);
}

TEST_F(NvmeIoTest, AFullCompletionQueueHoldsAnswersBack) {
    host.create_pair(2, 64);
    for (int i = 0; i < 7; ++i) { // as many as eight entries tell from none
        host.submit(1, NvmeHost::io(NvmOpcode::kWrite, 0, 1, kData));
    }
    host.run();
    EXPECT_EQ(host.reap(1, false).size(), 7u);
    host.submit(1, NvmeHost::io(NvmOpcode::kWrite, 0, 1, kData));
    host.run();
    EXPECT_TRUE(host.reap(1, false).empty()) << "its entry is not free";
    EXPECT_EQ(host.status_of(2, NvmeHost::io(NvmOpcode::kRead, 0, 1, kData)), kSuccess)
        << "another queue is not held back";
    host.write(kDoorbells + 12, 7);
    host.run();
    EXPECT_EQ(host.reap(1).size(), 1u);
}

TEST_F(NvmeIoTest, ADeletedQueueGoesWithItsLastAnswer) {
    host.hold(true);
    host.submit(1, NvmeHost::io(NvmOpcode::kWrite, 0, 1, kData));
    host.run();
    const std::uint16_t id =
        host.submit(0, NvmeHost::admin(AdminOpcode::kDeleteSubmissionQueue, 1));
    host.run();
    EXPECT_TRUE(host.reap(0).empty());
    host.hold(false);
    host.run();
    EXPECT_EQ(host.reap(1).size(), 1u);
    const auto done = host.reap(0);
    ASSERT_EQ(done.size(), 1u);
    EXPECT_EQ(done[0].id, id);
    EXPECT_EQ(done[0].status, kSuccess);
}

TEST_F(NvmeIoTest, AResetWaitsForTheMediumAndForgetsTheQueues) {
    host.hold(true);
    host.submit(1, NvmeHost::io(NvmOpcode::kWrite, 0, 1, kData));
    host.run();
    host.write(kCc, 0);
    host.run();
    EXPECT_EQ(host.read(kCsts), 1u) << "data are still moving";
    host.hold(false);
    host.run();
    EXPECT_EQ(host.read(kCsts), 0u);
    EXPECT_TRUE(host.reap(1).empty());
    host.enable();
    EXPECT_EQ(host.status_of(0, NvmeHost::admin(AdminOpcode::kDeleteSubmissionQueue, 1)),
              kInvalidQueueId);
}

// Whatever a host writes, the controller survives, and works again after a reset.
TEST_F(NvmeIoTest, GarbageDoesNoHarm) {
    for (int round = 0; round < 200; ++round) {
        for (int i = 0; i < 20; ++i) {
            Command command;
            for (auto& dword : command.dword) {
                dword = static_cast<std::uint32_t>(random.below(4) == 0 ? random.next()
                                                                        : random.below(64));
            }
            command.dword[0] &= ~0xC300u;
            host.submit(static_cast<std::uint16_t>(random.below(2)), command);
            if (random.below(8) == 0) {
                host.write(random.below(0x1100), random.next(), random.below(2) != 0 ? 4 : 8);
            }
            host.run();
            host.reap(0);
            host.reap(1);
        }
        host.write(kCc, 0);
        host.run();
        ASSERT_EQ(host.read(kCsts) & 3, 0u);
        host.enable();
        host.create_pair(1, 8, 3);
        ASSERT_EQ(host.status_of(1, NvmeHost::io(NvmOpcode::kRead, 0, 1, kData)), kSuccess);
    }
}

} // namespace
} // namespace cavern::testing
