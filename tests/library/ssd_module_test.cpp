// The module for platforms of others, by its public header alone.

#define SC_INCLUDE_DYNAMIC_PROCESSES
#include "cavern/ssd.h"

#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "core/base/random.h"
#include "tests/library/small_drive.h"
#include "tests/support/base_protocol_monitor.h"
#include "tests/support/systemc_test.h"

namespace cavern::testing {
namespace {

using Bytes = std::vector<unsigned char>;
using Op = CommandExtension::Op;
constexpr unsigned kPage = 2048;
constexpr unsigned kSector = 512;

/// Host memory: half a microsecond an access.
struct Memory final : sc_core::sc_module {
    tlm_utils::simple_target_socket<Memory, 64> socket{"socket"};
    Bytes bytes = Bytes(1 << 20);
    std::uint64_t accesses = 0;
    unsigned longest = 0;
    bool crosses_pages = false;

    explicit Memory(const sc_core::sc_module_name& name) : sc_module(name) {
        socket.register_b_transport(this, &Memory::transport);
    }
    void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
        const std::uint64_t at = payload.get_address();
        const unsigned length = payload.get_data_length();
        ++accesses;
        longest = std::max(longest, length);
        crosses_pages = crosses_pages || at / 4096 != (at + length - 1) / 4096;
        delay += sc_core::sc_time(500, sc_core::SC_NS);
        if (at > bytes.size() || length > bytes.size() - at) {
            payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        if (payload.is_write()) {
            std::memcpy(&bytes[at], payload.get_data_ptr(), length);
        } else {
            std::memcpy(payload.get_data_ptr(), &bytes[at], length);
        }
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};

/// Of payloads that their test keeps.
struct Kept final : tlm::tlm_mm_interface {
    void free(tlm::tlm_generic_payload* payload) override { payload->reset(); }
};

/// Makes calls from threads of its own.
struct Master final : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<Master, 64> socket{"socket"};

    std::vector<tlm::tlm_generic_payload*> responses; ///< to what was sent by nb_transport

    explicit Master(const sc_core::sc_module_name& name) : sc_module(name) {
        socket.register_nb_transport_bw(this, &Master::backward);
    }
    tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                sc_core::sc_time&) {
        if (phase == tlm::BEGIN_RESP) {
            responses.push_back(&payload);
            return tlm::TLM_COMPLETED;
        }
        return tlm::TLM_ACCEPTED;
    }
    void thread(const std::function<void()>& body) { sc_core::sc_spawn(body); }

    tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, Bytes& data,
                                    CommandExtension* extension = nullptr) {
        tlm::tlm_generic_payload payload;
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(data.data());
        payload.set_data_length(static_cast<unsigned>(data.size()));
        payload.set_streaming_width(static_cast<unsigned>(data.size()));
        payload.set_extension(extension);
        sc_core::sc_time delay;
        socket->b_transport(payload, delay);
        sc_core::wait(delay);
        payload.clear_extension(extension);
        return payload.get_response_status();
    }
    tlm::tlm_response_status write(std::uint64_t at, Bytes data,
                                   CommandExtension* extension = nullptr) {
        return access(tlm::TLM_WRITE_COMMAND, at, data, extension);
    }
    Bytes read(std::uint64_t at, std::size_t bytes) {
        Bytes data(bytes, 0xEE);
        EXPECT_EQ(access(tlm::TLM_READ_COMMAND, at, data), tlm::TLM_OK_RESPONSE);
        return data;
    }
    tlm::tlm_response_status order(Op op, std::uint64_t at = 0, std::uint64_t bytes = 0) {
        CommandExtension extension;
        extension.op = op;
        extension.bytes = bytes;
        Bytes none(1);
        return access(tlm::TLM_IGNORE_COMMAND, at, none, &extension);
    }
};

class SsdModuleTest : public SystemcTest {
  protected:
    void build(const std::vector<std::string>& more = {}) {
        ssd_ = std::make_unique<Ssd>("ssd", small_config(), small_settings(more));
        memory_ = std::make_unique<Memory>("memory");
        master_ = std::make_unique<Master>("master");
        monitor_ = std::make_unique<BaseProtocolMonitor>("monitor");
        dma_monitor_ = std::make_unique<BaseProtocolMonitor>("dma_monitor");
        master_->socket.bind(monitor_->target_socket);
        monitor_->initiator_socket.bind(ssd_->commands);
        ssd_->dma.bind(dma_monitor_->target_socket);
        dma_monitor_->initiator_socket.bind(memory_->socket);
    }
    /// Runs the body in a thread of the simulation, to its end.
    void play(const std::function<void()>& body) {
        bool ended = false;
        master_->thread([&] {
            body();
            ended = true;
        });
        run();
        EXPECT_TRUE(ended);
        EXPECT_EQ(ssd_->outstanding(), 0u);
        EXPECT_GT(ssd_->check(), 0u);
        EXPECT_TRUE(dma_monitor_->breaches().empty());
        EXPECT_EQ(dma_monitor_->unfinished(), 0u);
    }
    static Bytes pattern(std::size_t bytes, unsigned seed) {
        Random random(seed);
        Bytes data(bytes);
        for (unsigned char& byte : data) {
            byte = static_cast<unsigned char>(random.below(256));
        }
        return data;
    }
    std::unique_ptr<Ssd> ssd_;
    std::unique_ptr<Memory> memory_;
    std::unique_ptr<Master> master_;
    std::unique_ptr<BaseProtocolMonitor> monitor_;
    std::unique_ptr<BaseProtocolMonitor> dma_monitor_;
};

TEST_F(SsdModuleTest, APlainPayloadBringsItsData) {
    build();
    play([&] {
        const Bytes data = pattern(3 * kSector, 1);
        EXPECT_EQ(master_->write(kSector, data), tlm::TLM_OK_RESPONSE);
        EXPECT_GT(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME);
        EXPECT_EQ(master_->read(kSector, 3 * kSector), data);
        EXPECT_EQ(master_->read(0, kSector), Bytes(kSector, 0));
        EXPECT_EQ(memory_->accesses, 0u);
    });
}

TEST_F(SsdModuleTest, ByDmaTheDriveMovesTheDataItself) {
    build();
    play([&] {
        constexpr std::uint64_t kFrom = 3 * 4096 + 100; // not aligned
        constexpr std::uint64_t kTo = 50 * 4096 + 4000;
        const Bytes data = pattern(8 * kPage, 2);
        std::copy(data.begin(), data.end(), memory_->bytes.begin() + kFrom);
        CommandExtension extension;
        extension.dma = true;
        extension.host_address = kFrom;
        EXPECT_EQ(master_->write(0, Bytes(data.size()), &extension), tlm::TLM_OK_RESPONSE);
        extension.host_address = kTo;
        Bytes unused(data.size(), 7);
        EXPECT_EQ(master_->access(tlm::TLM_READ_COMMAND, 0, unused, &extension),
                  tlm::TLM_OK_RESPONSE);
        const auto to = memory_->bytes.begin() + kTo;
        EXPECT_EQ(Bytes(to, to + static_cast<std::ptrdiff_t>(data.size())), data);
        EXPECT_EQ(*(to - 1), 0);
        EXPECT_EQ(*(to + static_cast<std::ptrdiff_t>(data.size())), 0);
        EXPECT_EQ(unused, Bytes(data.size(), 7)) << "the data pointer is not looked at";
        // 16 KiB at once over four borders of pages, and eight pages of 2 KiB, four of them over
        // one.
        EXPECT_EQ(memory_->accesses, 5u + 12u);
        EXPECT_LE(memory_->longest, 4096u);
        EXPECT_FALSE(memory_->crosses_pages);
    });
}

TEST_F(SsdModuleTest, WithoutHostMemoryPlainPayloadsDoAndADmaIsAnError) {
    Ssd ssd("ssd", small_config(), small_settings({}));
    Master master("master");
    master.socket.bind(ssd.commands); // and `dma` to nothing
    unsigned compared = 0;
    master.thread([&] {
        const Bytes data = pattern(kPage, 3);
        EXPECT_EQ(master.write(0, data), tlm::TLM_OK_RESPONSE);
        CommandExtension extension;
        extension.dma = true;
        EXPECT_EQ(master.write(0, Bytes(kPage), &extension), tlm::TLM_GENERIC_ERROR_RESPONSE);
        Bytes found(kPage);
        EXPECT_EQ(master.access(tlm::TLM_READ_COMMAND, 0, found, &extension),
                  tlm::TLM_GENERIC_ERROR_RESPONSE);
        EXPECT_EQ(master.read(kPage, kPage), Bytes(kPage, 0));
        ++compared;
    });
    run();
    EXPECT_EQ(compared, 1u);
    EXPECT_EQ(ssd.outstanding(), 0u);
}

TEST_F(SsdModuleTest, HostMemoryTakesItsTime) {
    build();
    play([&] {
        const auto time_of = [&](CommandExtension* extension) {
            const sc_core::sc_time begin = sc_core::sc_time_stamp();
            EXPECT_EQ(master_->write(0, Bytes(kPage), extension), tlm::TLM_OK_RESPONSE);
            return sc_core::sc_time_stamp() - begin;
        };
        CommandExtension extension;
        extension.dma = true;
        time_of(nullptr); // the page is in the buffer from now on
        const sc_core::sc_time plain = time_of(nullptr);
        EXPECT_EQ(time_of(&extension) - plain, sc_core::sc_time(500, sc_core::SC_NS));
    });
}

TEST_F(SsdModuleTest, OrdersWithoutDataAreCarriedOut) {
    build();
    play([&] {
        const Bytes data = pattern(4 * kPage, 3);
        EXPECT_EQ(master_->write(0, data), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(master_->order(Op::kFlush), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(master_->order(Op::kWriteZeroes, kSector, kPage), tlm::TLM_OK_RESPONSE);
        Bytes expected = data;
        std::fill(expected.begin() + kSector, expected.begin() + kSector + kPage, 0);
        EXPECT_EQ(master_->read(0, data.size()), expected);
        EXPECT_EQ(master_->order(Op::kTrim, 2 * kPage, kPage), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(master_->read(3 * kPage, kPage), Bytes(data.end() - kPage, data.end()));
        Bytes none(1);
        EXPECT_EQ(master_->access(tlm::TLM_IGNORE_COMMAND, 0, none), tlm::TLM_OK_RESPONSE);
    });
}

// One after the other they would take sixteen times a read.
TEST_F(SsdModuleTest, ManyCommandsAreOutstandingByNbTransport) {
    build({"alloc.scheme=cwdp"});
    play([&] {
        constexpr unsigned kCommands = 16;
        const Bytes data = pattern(kCommands * kPage, 4);
        EXPECT_EQ(master_->write(0, data), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(master_->order(Op::kTrim, 32 * kPage, kPage), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(master_->order(Op::kFlush), tlm::TLM_OK_RESPONSE);
        sc_core::sc_time begin = sc_core::sc_time_stamp();
        EXPECT_EQ(master_->read(0, kPage), Bytes(data.begin(), data.begin() + kPage));
        const sc_core::sc_time one = sc_core::sc_time_stamp() - begin;
        begin = sc_core::sc_time_stamp();
        Bytes found(data.size());
        Kept kept;
        std::vector<std::unique_ptr<tlm::tlm_generic_payload>> payloads;
        for (unsigned i = 0; i < kCommands; ++i) {
            payloads.push_back(std::make_unique<tlm::tlm_generic_payload>(&kept));
            tlm::tlm_generic_payload& payload = *payloads.back();
            payload.acquire();
            payload.set_command(tlm::TLM_READ_COMMAND);
            payload.set_address(i * kPage);
            payload.set_data_ptr(&found[i * kPage]);
            payload.set_data_length(kPage);
            payload.set_streaming_width(kPage);
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_core::sc_time delay;
            ASSERT_EQ(master_->socket->nb_transport_fw(payload, phase, delay), tlm::TLM_UPDATED);
            EXPECT_EQ(phase, tlm::END_REQ);
        }
        EXPECT_TRUE(master_->responses.empty());
        while (master_->responses.size() < kCommands) {
            sc_core::wait(1, sc_core::SC_US);
        }
        EXPECT_LT(sc_core::sc_time_stamp() - begin, one * 8);
        EXPECT_EQ(found, data);
        for (const auto& payload : payloads) {
            EXPECT_TRUE(payload->is_response_ok());
            EXPECT_EQ(payload->get_ref_count(), 1);
            payload->release();
        }
    });
    EXPECT_EQ(monitor_->breaches(), std::vector<std::string>());
    EXPECT_EQ(monitor_->unfinished(), 0u);
}

TEST_F(SsdModuleTest, AFlushWaitsForTheFlash) {
    build();
    play([&] {
        EXPECT_EQ(master_->write(0, Bytes(kPage)), tlm::TLM_OK_RESPONSE);
        const sc_core::sc_time begin = sc_core::sc_time_stamp();
        EXPECT_EQ(master_->order(Op::kFlush), tlm::TLM_OK_RESPONSE);
        EXPECT_GT(sc_core::sc_time_stamp() - begin, sc_core::sc_time(100, sc_core::SC_US));
    });
}

TEST_F(SsdModuleTest, WhatIsWrongIsAnsweredWithItsError) {
    build();
    const std::uint64_t end = ssd_->capacity();
    play([&] {
        EXPECT_EQ(master_->write(end, Bytes(kSector)), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(master_->write(end - kSector, Bytes(kPage)), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(master_->write(100, Bytes(kSector)), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(master_->write(~std::uint64_t{511}, Bytes(kSector)),
                  tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(master_->write(0, Bytes(100)), tlm::TLM_BURST_ERROR_RESPONSE);
        EXPECT_EQ(master_->order(Op::kTrim, 0, 0), tlm::TLM_BURST_ERROR_RESPONSE);
        EXPECT_EQ(master_->order(Op::kTrim, end, kPage), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME);
        CommandExtension extension;
        extension.dma = true;
        extension.host_address = memory_->bytes.size() - 100;
        EXPECT_EQ(master_->write(0, Bytes(kSector), &extension), tlm::TLM_GENERIC_ERROR_RESPONSE);
        Bytes data(kSector);
        EXPECT_EQ(master_->access(tlm::TLM_READ_COMMAND, 0, data, &extension),
                  tlm::TLM_GENERIC_ERROR_RESPONSE);
        EXPECT_EQ(master_->write(end - kSector, Bytes(kSector)), tlm::TLM_OK_RESPONSE);
    });
}

TEST_F(SsdModuleTest, ASettingThatIsWrongIsOneLine) {
    try {
        Ssd ssd("ssd", small_config(), {"buffer.sise=1"});
        FAIL();
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("unknown key"), std::string::npos);
    }
    EXPECT_THROW(Ssd("ssd", "no-such-drive.toml"), std::runtime_error);
    Ssd only("only", small_config(), small_settings());
    EXPECT_THROW(Ssd("second", small_config(), small_settings()), std::runtime_error);
}

// Several threads overwrite a drive of 472 KiB many times, so that it collects all the time.
TEST_F(SsdModuleTest, EveryByteComesBackWhileTheDriveCollects) {
    build();
    constexpr unsigned kThreads = 6;
    const std::uint64_t area = ssd_->capacity() / kThreads / kPage * kPage;
    std::vector<Bytes> shadow(kThreads, Bytes(area));
    unsigned ended = 0;
    for (unsigned thread = 0; thread < kThreads; ++thread) {
        master_->thread([&, thread] {
            Random random(thread + 10);
            for (int i = 0; i < 400; ++i) {
                const std::uint64_t sectors = 1 + random.below(16);
                const std::uint64_t at = random.below(area / kSector - sectors) * kSector;
                const std::uint64_t bytes = sectors * kSector;
                const auto begin = shadow[thread].begin() + static_cast<std::ptrdiff_t>(at);
                CommandExtension extension;
                extension.dma = true;
                extension.host_address = thread * 16384u;
                const auto host =
                    memory_->bytes.begin() + static_cast<std::ptrdiff_t>(extension.host_address);
                if (random.below(4) != 0) {
                    const Bytes data = pattern(bytes, static_cast<unsigned>(random.next()));
                    std::copy(data.begin(), data.end(), begin);
                    std::copy(data.begin(), data.end(), host);
                    ASSERT_EQ(master_->write(thread * area + at, Bytes(bytes), &extension),
                              tlm::TLM_OK_RESPONSE);
                } else {
                    Bytes unused(bytes);
                    ASSERT_EQ(master_->access(tlm::TLM_READ_COMMAND, thread * area + at, unused,
                                              &extension),
                              tlm::TLM_OK_RESPONSE);
                    ASSERT_TRUE(std::equal(begin, begin + static_cast<std::ptrdiff_t>(bytes), host))
                        << thread << ' ' << i;
                }
            }
            ++ended;
        });
    }
    run();
    EXPECT_EQ(ended, kThreads);
    EXPECT_GT(ssd_->check(), 0u);
}

} // namespace
} // namespace cavern::testing
