#include "cpu/register_block.h"

#include <gtest/gtest.h>

#include "tests/cpu/registers_conformance.h"

namespace cavern::cpu {
namespace {

std::unique_ptr<DriveRegistersIf> in_cpp(WindowIf* window) {
    return std::make_unique<RegisterBlock>(window);
}
INSTANTIATE_TEST_SUITE_P(Forms, RegistersTest, testing::Values(RegisterForm{"Cpp", in_cpp}),
                         name_of);

TEST(RegisterBlockTest, WithoutAWindowEveryWordIsOutside) {
    RegisterBlock registers(nullptr);
    EXPECT_EQ(registers.load(kRegisterBase + regs::kMemoryAddress, 4, 0).data, 0u);
    EXPECT_EQ(read(registers, RegisterId::kControlError), regs::kControlErrorWindowRange.mask());
}

/// A block of which one thing is wrong, for seeing that the drill finds it.
class Wrong final : public DriveRegistersIf {
  public:
    enum class Fault { kResetValue, kHeldBit, kNotCleared, kNarrowStore };
    explicit Wrong(Fault fault) : fault_(fault), block_(&window_) {}

    BusAnswer load(std::uint32_t address, std::uint32_t size, std::uint64_t cycle) override {
        BusAnswer answer = block_.load(address, size, cycle);
        const bool moderation = address == address_of(RegisterId::kIrqModeration);
        if (fault_ == Fault::kResetValue && moderation && !stored_) {
            answer.data |= 1;
        } else if (fault_ == Fault::kHeldBit && moderation) {
            answer.data &= ~0x80u;
        }
        return answer;
    }
    BusAnswer store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                    std::uint64_t cycle) override {
        stored_ = stored_ || address == address_of(RegisterId::kIrqModeration);
        if (fault_ == Fault::kNotCleared && address == address_of(RegisterId::kIrqPending)) {
            value &= ~regs::kIrqPendingDmaDone.mask();
        }
        if (fault_ == Fault::kNarrowStore && address == address_of(RegisterId::kDmaFrame)) {
            size = 4;
        }
        return block_.store(address, value, size, cycle);
    }
    void reset() override {
        block_.reset();
        stored_ = false;
    }
    void set_geometry(const RegisterGeometry& geometry) override { block_.set_geometry(geometry); }
    void set_idle(bool host, bool flash) override { block_.set_idle(host, flash); }
    bool ready() override { return block_.ready(); }
    bool push_request(const HostRequest& request, std::uint64_t cycle) override {
        return block_.push_request(request, cycle);
    }
    std::optional<FlashOperation> take_operation(std::uint64_t cycle) override {
        return block_.take_operation(cycle);
    }
    std::optional<DmaDescriptor> take_descriptor(std::uint64_t cycle) override {
        return block_.take_descriptor(cycle);
    }
    void complete_descriptor(std::uint64_t cycle) override { block_.complete_descriptor(cycle); }
    void add_busy_cycles(std::uint32_t cycles) override { block_.add_busy_cycles(cycles); }
    bool interrupt(std::uint64_t cycle) override { return block_.interrupt(cycle); }
    std::optional<std::uint64_t> interrupt_due(std::uint64_t cycle) override {
        return block_.interrupt_due(cycle);
    }

  private:
    Fault fault_;
    bool stored_ = false;
    DrillWindow window_;
    RegisterBlock block_;
};

TEST(RegisterDrillTest, NoticesAWrongResetValue) {
    Wrong registers(Wrong::Fault::kResetValue);
    EXPECT_EQ(faults_of_reset_values(registers),
              "irq.moderation.events: 0x1 after a reset, not 0x0\n");
}

TEST(RegisterDrillTest, NoticesABitThatIsNotHeld) {
    Wrong registers(Wrong::Fault::kHeldBit);
    EXPECT_EQ(faults_of_reset_values(registers), "");
    EXPECT_EQ(faults_of_access(registers).rfind("irq.moderation.events: 0x7f after a store", 0),
              0u);
}

TEST(RegisterDrillTest, NoticesAFieldThatIsNotCleared) {
    Wrong registers(Wrong::Fault::kNotCleared);
    EXPECT_EQ(faults_of_access(registers).rfind("irq.pending.dma_done: 0x1 after a store", 0), 0u);
}

TEST(RegisterDrillTest, NoticesAStoreThatIsTooWide) {
    Wrong registers(Wrong::Fault::kNarrowStore);
    EXPECT_EQ(faults_of_access(registers).rfind("dma.frame.value: ", 0), 0u);
}

} // namespace
} // namespace cavern::cpu
