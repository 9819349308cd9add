// What no caller of the interface can do, and hardware will: the drive acts in the very cycle in
// which a store of the processor lands. Each case is tried with the drive at every cycle of the
// access.
#include <functional>
#include <gtest/gtest.h>
#include <memory>

#include "cosim/register_model.h"
#include "cpu/drive_registers_if.h"

namespace cavern {
namespace {

namespace regs = cpu::regs;
using regs::RegisterId;

/// Clocks of an access: grant, set-up, access (the edge at which fields are written), what it
/// starts, and two more.
constexpr int kClocks = 6;
constexpr int kFieldEdge = 2;
constexpr int kStartEdge = 3;

class RegisterEdgesTest : public testing::TestWithParam<int> {
  protected:
    using Drive = std::function<void(RegisterInputs&)>;

    void clock(const Drive& drive) {
        RegisterInputs inputs;
        drive(inputs);
        last_ = model_->settle(inputs);
        ASSERT_TRUE(model_->clock()) << model_->take_messages();
    }
    /// An access; `drive` acts in clock `at` of it. Returns what a load gives; outputs() are those
    /// of that clock.
    std::uint32_t access(RegisterId id, bool store, std::uint32_t value, int at = -1,
                         const Drive& drive = {}) {
        std::uint32_t data = 0;
        for (int n = 0; n < kClocks; ++n) {
            RegisterInputs inputs;
            inputs.req = n == 0;
            inputs.we = store;
            inputs.be = 0xF;
            inputs.addr = regs::kRegisters[static_cast<std::size_t>(id)].address;
            inputs.wdata = value;
            if (n == at) {
                drive(inputs);
            }
            const RegisterOutputs outputs = model_->settle(inputs);
            if (n == at) {
                last_ = outputs;
            }
            if (outputs.rvalid) {
                EXPECT_FALSE(outputs.err);
                data = outputs.rdata;
            }
            EXPECT_TRUE(model_->clock()) << model_->take_messages();
        }
        return data;
    }
    std::uint32_t load(RegisterId id) { return access(id, false, 0); }
    void store(RegisterId id, std::uint32_t value, int at = -1, const Drive& drive = {}) {
        access(id, true, value, at, drive);
    }
    [[nodiscard]] const RegisterOutputs& outputs() const { return last_; }

    static Drive push(std::uint32_t page) {
        return [page](RegisterInputs& inputs) {
            inputs.request_push = true;
            inputs.request.page = page;
        };
    }
    static void take(RegisterInputs& inputs) { inputs.operation_take = true; }
    static void complete(RegisterInputs& inputs) { inputs.dma_complete = true; }

  private:
    std::unique_ptr<RegisterModelIf> model_ = make_register_model(1);
    RegisterOutputs last_;
};

TEST_P(RegisterEdgesTest, ARequestMayComeWhileOneIsPopped) {
    clock(push(10));
    clock(push(11));
    store(RegisterId::kRequestPop, 1, GetParam(), push(12));
    EXPECT_EQ(load(RegisterId::kRequestFill), 2u);
    EXPECT_EQ(load(RegisterId::kRequestPage), 11u);
    store(RegisterId::kRequestPop, 1);
    EXPECT_EQ(load(RegisterId::kRequestPage), 12u);
    EXPECT_EQ(load(RegisterId::kCountersRequests), 2u);
}

TEST_P(RegisterEdgesTest, ARequestForAFullQueueIsLostWhileItIsFull) {
    for (std::uint32_t n = 0; n < regs::kRequestSlots; ++n) {
        clock(push(n));
    }
    store(RegisterId::kIrqPending, 0xF);
    store(RegisterId::kRequestPop, 1, GetParam(), push(99));
    const bool taken = !outputs().request_full;
    EXPECT_EQ(taken, GetParam() > kStartEdge);
    EXPECT_EQ(load(RegisterId::kRequestFill), regs::kRequestSlots - (taken ? 0 : 1));
    EXPECT_EQ(load(RegisterId::kIrqPending), taken ? regs::kIrqPendingRequest.mask() : 0);
    for (std::uint32_t n = 1; n < regs::kRequestSlots; ++n) {
        EXPECT_EQ(load(RegisterId::kRequestPage), n);
        store(RegisterId::kRequestPop, 1);
    }
    EXPECT_EQ(load(RegisterId::kRequestPage), taken ? 99u : 0u);
}

TEST_P(RegisterEdgesTest, AnOperationMayBeTakenWhileOneIsPushed) {
    store(RegisterId::kOperationDestination, 1);
    store(RegisterId::kOperationCommand, 2);
    store(RegisterId::kOperationDestination, 2);
    store(RegisterId::kOperationCommand, 2, GetParam(), take);
    EXPECT_TRUE(outputs().operation_valid);
    EXPECT_EQ(outputs().operation.destination, 1u);
    EXPECT_EQ(regs::kOperationFillValue.of(load(RegisterId::kOperationFill)), 1u);
    // It has run empty where the first was taken before the second was there.
    EXPECT_EQ(load(RegisterId::kIrqPending),
              GetParam() < kStartEdge ? regs::kIrqPendingOperationEmpty.mask() : 0);
    clock(take);
    EXPECT_EQ(outputs().operation.destination, 2u);
    EXPECT_EQ(load(RegisterId::kIrqPending), regs::kIrqPendingOperationEmpty.mask());
}

TEST_P(RegisterEdgesTest, AnEventIsNotLostToTheStoreThatClearsIt) {
    clock(complete);
    EXPECT_EQ(load(RegisterId::kIrqPending), regs::kIrqPendingDmaDone.mask());
    store(RegisterId::kIrqPending, regs::kIrqPendingDmaDone.mask(), GetParam(), complete);
    EXPECT_EQ(load(RegisterId::kIrqPending),
              GetParam() < kFieldEdge ? 0 : regs::kIrqPendingDmaDone.mask());
    EXPECT_EQ(load(RegisterId::kDmaCompleted), 2u);
}

TEST_P(RegisterEdgesTest, ACountIsNotLostToTheStoreThatClearsTheCounter) {
    clock(complete);
    clock(complete);
    store(RegisterId::kDmaCompleted, 0, GetParam(), complete);
    EXPECT_EQ(load(RegisterId::kDmaCompleted), GetParam() < kFieldEdge ? 0u : 1u);
}

INSTANTIATE_TEST_SUITE_P(Clocks, RegisterEdgesTest, testing::Range(0, kClocks));

} // namespace
} // namespace cavern
