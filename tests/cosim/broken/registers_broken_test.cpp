// Each wrong register block is found, and the register and field named: by the drill that knows the
// table, and by lockstep with the C++ form.
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "cosim/registers_lockstep.h"
#include "tests/cosim/broken/registers_broken_models.h"
#include "tests/cpu/register_drill.h"
#include "tests/cpu/register_stream.h"

namespace cavern::cpu {
namespace {

/// The first line of what lockstep says, up to the values.
std::string difference_of(const std::string& variant, std::uint32_t audit_every) {
    DrillWindow window;
    RegistersLockstep registers(make_broken_register_model(variant), &window, "registers",
                                audit_every);
    RegisterStream stream(registers, 7);
    try {
        while (stream.coverage().accesses < 100'000) { // with several resets
            stream.step();
        }
    } catch (const ModelError& error) {
        return error.what();
    }
    return {};
}

std::string place_of(const std::string& difference) {
    const std::string before = "registers: RTL and model differ in ";
    const std::size_t end = difference.find(" by step ");
    return difference.rfind(before, 0) == 0 && end != std::string::npos
               ? difference.substr(before.size(), end - before.size())
               : "nowhere: " + difference;
}

TEST(RegistersBrokenTest, LockstepNamesRegisterAndField) {
    EXPECT_EQ(place_of(difference_of("reset", 1)), "irq.moderation.events");
    EXPECT_EQ(place_of(difference_of("clear", 1)).rfind("counters.", 0), 0u);
    EXPECT_NE(difference_of("queue", 1), ""); // where, depends on which queue is full first
    EXPECT_EQ(place_of(difference_of("moderation", 1)), "interrupt line");
}

TEST(RegistersBrokenTest, LockstepNeedsNoAuditForWhatFirmwareSees) {
    EXPECT_EQ(place_of(difference_of("reset", 0)), "irq.moderation.events");
    EXPECT_EQ(place_of(difference_of("clear", 0)).rfind("counters.", 0), 0u);
    EXPECT_NE(difference_of("queue", 0), "");
    EXPECT_EQ(place_of(difference_of("moderation", 0)), "interrupt line");
}

TEST(RegistersBrokenTest, LockstepNamesTheFieldThatShowsAShorterQueueFirst) {
    RegistersLockstep registers(make_broken_register_model("queue"), nullptr, "registers", 1);
    std::uint32_t pushed = 0;
    try {
        for (; pushed <= regs::kOperationSlots; ++pushed) {
            write(registers, regs::RegisterId::kOperationCommand, 1);
        }
        ADD_FAILURE() << "no difference";
    } catch (const ModelError& error) {
        EXPECT_EQ(place_of(error.what()), "control.status.operation_full");
    }
    EXPECT_EQ(pushed, regs::kOperationSlots - 2); // before it is full
}

TEST(RegistersBrokenTest, LockstepShowsValuesAndTheLastSteps) {
    DrillWindow window;
    RegistersLockstep registers(make_broken_register_model("reset"), &window, "registers");
    write(registers, regs::RegisterId::kIdentificationScratch, 0xAB, 7);
    try {
        registers.load(address_of(regs::RegisterId::kIrqModeration), 4, 9);
        ADD_FAILURE() << "no difference";
    } catch (const ModelError& error) {
        EXPECT_STREQ(error.what(),
                     "registers: RTL and model differ in irq.moderation.events by step 2: RTL 0x1, "
                     "model 0x0; last steps:\n"
                     "  cycle 7: store of 4 bytes, identification.scratch (0x4000000c) = 0xab\n"
                     "  cycle 9: load of 4 bytes, irq.moderation (0x400001cc)");
    }
}

TEST(RegistersBrokenTest, TheDrillNamesRegisterAndField) {
    DrillWindow window;
    RtlRegisters reset(make_broken_register_model("reset"), &window, "registers");
    EXPECT_EQ(faults_of_reset_values(reset), "irq.moderation.events: 0x1 after a reset, not 0x0\n");
    EXPECT_EQ(faults_of_access(reset), "");
    RtlRegisters clear(make_broken_register_model("clear"), &window, "registers");
    EXPECT_EQ(faults_of_reset_values(clear), "");
    EXPECT_EQ(faults_of_access(clear).rfind("counters.requests.value: 0x1 after a store", 0), 0u);
}

TEST(RegistersBrokenTest, FirmwareThatCountsFreeEntriesLosesOneInTheShorterQueue) {
    RtlRegisters registers(make_broken_register_model("queue"), nullptr, "registers");
    for (std::uint32_t n = 0; n < regs::kOperationSlots; ++n) {
        write(registers, regs::RegisterId::kOperationCommand, 1);
    }
    EXPECT_EQ(read(registers, regs::RegisterId::kControlError),
              regs::kControlErrorOperationOverflow.mask());
}

} // namespace
} // namespace cavern::cpu
