// The processor's accesses as transactions, and who else may make them.

#include "firmware/controller/processor_bus.h"

#include <array>
#include <gtest/gtest.h>
#include <systemc>

#include "timed/tlm/time.h"

namespace cavern {
namespace {

constexpr TimePs kCycle = 2500;
constexpr std::uint32_t kDevice = 0x4000'0000;

/// One register, which waits 3 cycles and keeps the cycle of the latest access. Nothing is at 4.
class OneRegister final : public cpu::BusIf {
  public:
    cpu::BusAnswer load(std::uint32_t address, std::uint32_t, std::uint64_t cycle) override {
        cycle_ = cycle;
        return {value_, 3, address == kDevice + 4};
    }
    cpu::BusAnswer store(std::uint32_t address, std::uint32_t value, std::uint32_t,
                         std::uint64_t cycle) override {
        cycle_ = cycle;
        value_ = value;
        return {0, 3, address == kDevice + 4};
    }
    std::uint32_t value_ = 0;
    std::uint64_t cycle_ = 0;
};

class ProcessorBusTest : public ::testing::Test {
  protected:
    void SetUp() override {
        bus_.connect(memory_);
        bus_.socket.bind(target_.socket);
    }

    OneRegister device_;
    cpu::MemorySystem memory_{cpu::MemoryMap{}};
    ProcessorBus bus_{"bus", device_, kCycle};
    ControllerTarget target_{"target", device_, memory_, kCycle};
};

TEST_F(ProcessorBusTest, AnAccessIsATransactionOnceThereIsTime) {
    EXPECT_EQ(bus_.store(kDevice, 5, 4, 10).wait_cycles, 3u);
    EXPECT_EQ(bus_.transactions(), 0u);
    sc_core::sc_start(sc_core::SC_ZERO_TIME); // DMI is checked here
    bus_.begin(1000);
    const cpu::BusAnswer loaded = bus_.load(kDevice, 4, 1017);
    EXPECT_EQ(loaded.data, 5u);
    EXPECT_EQ(loaded.wait_cycles, 3u);
    EXPECT_FALSE(loaded.fault);
    EXPECT_EQ(device_.cycle_, 1017u);
    EXPECT_FALSE(bus_.store(kDevice, 0xABCD, 2, 1018).fault);
    EXPECT_EQ(device_.value_, 0xABCDu);
    EXPECT_TRUE(bus_.load(kDevice + 4, 4, 1019).fault);
    EXPECT_TRUE(bus_.store(kDevice + 4, 0, 4, 1019).fault);
    EXPECT_EQ(bus_.transactions(), 4u);
}

TEST_F(ProcessorBusTest, LinesOfTheSdramAreFetchedAndWrittenWhole) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    const cpu::MemoryMap& map = memory_.map();
    const std::uint32_t alias = map.sdram.base + map.cache_bytes; // the same place in the cache
    EXPECT_EQ(memory_.store(map.sdram.base, 7, 4, 0).wait_cycles, map.line_fill_cycles);
    EXPECT_EQ(bus_.transactions(), 1u);
    EXPECT_EQ(memory_.load(map.sdram.base + 60, 4, 1).wait_cycles, 0u);
    EXPECT_EQ(memory_.load(alias, 4, 2).wait_cycles,
              map.line_fill_cycles + map.line_write_back_cycles);
    EXPECT_EQ(bus_.transactions(), 3u);
    EXPECT_EQ(memory_.load(map.sdram.base, 4, 3).data, 7u);
}

/// An initiator of others, without the extension.
struct Foreign final : sc_core::sc_module {
    explicit Foreign(const sc_core::sc_module_name& name) : sc_module(name) {}
    tlm_utils::simple_initiator_socket<Foreign, 32> socket{"socket"};
};

class ForeignTest : public ::testing::Test {
  protected:
    ForeignTest() {
        foreign_.socket.bind(target_.socket);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        payload_.set_command(tlm::TLM_READ_COMMAND);
        payload_.set_address(kDevice);
        payload_.set_data_ptr(data_.data());
        payload_.set_data_length(4);
        payload_.set_streaming_width(4);
        payload_.set_byte_enable_ptr(nullptr);
    }
    tlm::tlm_response_status answer() {
        payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        foreign_.socket->b_transport(payload_, delay_);
        return payload_.get_response_status();
    }

    OneRegister device_;
    cpu::MemorySystem memory_{cpu::MemoryMap{}};
    ControllerTarget target_{"target", device_, memory_, kCycle};
    Foreign foreign_{"foreign"};
    tlm::tlm_generic_payload payload_;
    std::array<unsigned char, 64> data_{};
    sc_core::sc_time delay_ = to_sc_time(40 * kCycle);
};

TEST_F(ForeignTest, IsCountedByTheTimeOfTheTransaction) {
    EXPECT_EQ(answer(), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(device_.cycle_, 40u);
    EXPECT_EQ(to_ps(delay_), 43 * kCycle);
}

TEST_F(ForeignTest, IsToldWhatIsNotThere) {
    payload_.set_address(kDevice + 4);
    EXPECT_EQ(answer(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    payload_.set_address(0x1'4000'0000);
    EXPECT_EQ(answer(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    payload_.set_address(kDevice + 2); // across a word
    EXPECT_EQ(answer(), tlm::TLM_BURST_ERROR_RESPONSE);
    payload_.set_address(kDevice);
    payload_.set_streaming_width(2);
    EXPECT_EQ(answer(), tlm::TLM_BURST_ERROR_RESPONSE);
    payload_.set_streaming_width(4);
    payload_.set_byte_enable_ptr(data_.data());
    payload_.set_byte_enable_length(4);
    EXPECT_EQ(answer(), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    payload_.set_byte_enable_ptr(nullptr);
    payload_.set_command(tlm::TLM_IGNORE_COMMAND);
    device_.cycle_ = 0;
    EXPECT_EQ(answer(), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(device_.cycle_, 0u);
}

TEST_F(ForeignTest, MayReachTheCoupledMemoriesByDmiAndNothingElse) {
    for (const cpu::MemoryRegion& region : {memory_.map().instruction, memory_.map().data}) {
        tlm::tlm_dmi dmi;
        payload_.set_address(region.base + 100);
        ASSERT_TRUE(foreign_.socket->get_direct_mem_ptr(payload_, dmi));
        EXPECT_EQ(dmi.get_start_address(), region.base);
        EXPECT_EQ(dmi.get_dmi_ptr(), memory_.direct(region.base, region.size));
    }
    tlm::tlm_dmi dmi;
    for (const std::uint32_t address : {kDevice, memory_.map().sdram.base}) {
        payload_.set_address(address);
        EXPECT_FALSE(foreign_.socket->get_direct_mem_ptr(payload_, dmi));
    }
}

} // namespace
} // namespace cavern
