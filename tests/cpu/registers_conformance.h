#pragma once

// What every form of the register block must do, whoever carries it out. A source of a folder's
// tests includes this, and instantiates it with its forms: INSTANTIATE_TEST_SUITE_P(Forms,
// RegistersTest, ..., name_of).

#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "tests/cpu/register_drill.h"

namespace cavern::cpu {

using regs::RegisterId;

struct RegisterForm {
    const char* name;
    std::unique_ptr<DriveRegistersIf> (*make)(WindowIf* window);
};

inline std::string name_of(const testing::TestParamInfo<RegisterForm>& info) {
    return info.param.name;
}

class RegistersTest : public testing::TestWithParam<RegisterForm> {
  protected:
    /// Pushes an operation as firmware does: what changes, then the command.
    void push_operation(std::uint32_t destination, std::uint32_t command) {
        write(*form, RegisterId::kOperationDestination, destination);
        write(*form, RegisterId::kOperationCommand, command);
    }

    DrillWindow window;
    std::unique_ptr<DriveRegistersIf> form = GetParam().make(&window);
};

TEST_P(RegistersTest, EveryFieldHasItsResetValue) {
    EXPECT_EQ(faults_of_reset_values(*form), "");
}

TEST_P(RegistersTest, EveryFieldHasItsAccess) {
    EXPECT_EQ(faults_of_access(*form), "");
}

TEST_P(RegistersTest, AResetBringsAllBack) {
    DriveRegistersIf& registers = *form;
    for (const regs::RegisterInfo& info : regs::kRegisters) {
        registers.store(kRegisterBase + info.address, 0xFFFF'FFFF, 4, 0);
    }
    registers.push_request({}, 5);
    EXPECT_NE(faults_of_reset_values(registers), "");
    registers.reset();
    EXPECT_EQ(faults_of_reset_values(registers), "");
    EXPECT_FALSE(registers.take_operation(0));
    EXPECT_FALSE(registers.take_descriptor(0));
}

TEST_P(RegistersTest, WhatIsNotThereFaults) {
    DriveRegistersIf& registers = *form;
    for (const std::uint32_t offset :
         {0x010u, 0x03Cu, 0x050u, 0x210u, 0x8000u, 0xBFFCu, 0x1'0000u}) {
        const BusAnswer loaded = registers.load(kRegisterBase + offset, 4, 0);
        EXPECT_TRUE(loaded.fault) << offset;
        EXPECT_EQ(loaded.data, 0u) << offset;
        EXPECT_TRUE(registers.store(kRegisterBase + offset, 1, 4, 0).fault) << offset;
    }
    EXPECT_EQ(faults_of_reset_values(registers), ""); // and does nothing
}

TEST_P(RegistersTest, AnAccessWaitsOneCycle) {
    DriveRegistersIf& registers = *form;
    EXPECT_EQ(registers.load(address_of(RegisterId::kIdentificationMagic), 4, 0).wait_cycles, 1u);
    EXPECT_EQ(registers.store(address_of(RegisterId::kIdentificationScratch), 1, 4, 0).wait_cycles,
              1u);
    EXPECT_EQ(registers.store(address_of(RegisterId::kIdentificationMagic), 1, 4, 0).wait_cycles,
              1u);
}

TEST_P(RegistersTest, RequestsComeInOrderAndAreTakenByAPop) {
    DriveRegistersIf& registers = *form;
    for (std::uint16_t n = 0; n < regs::kRequestSlots; ++n) {
        EXPECT_TRUE(registers.push_request(
            {regs::Opcode::kWrite, n % 2 == 1, n, 1000u + n, 1u + n, 0x5'0000'0000u + n}, n));
    }
    EXPECT_FALSE(registers.push_request({regs::Opcode::kTrim, true, 99, 99, 99, 99}, 50));
    for (std::uint32_t n = 0; n < regs::kRequestSlots; ++n) {
        EXPECT_EQ(read(registers, RegisterId::kRequestFill), regs::kRequestSlots - n);
        EXPECT_EQ(read(registers, RegisterId::kRequestCommand),
                  regs::kRequestCommandOpcode.place(1) | regs::kRequestCommandFua.place(n % 2) |
                      regs::kRequestCommandTag.place(n));
        EXPECT_EQ(read(registers, RegisterId::kRequestPage), 1000 + n);
        EXPECT_EQ(read(registers, RegisterId::kRequestPages), 1 + n);
        EXPECT_EQ(read(registers, RegisterId::kRequestArrivalLow), n);
        EXPECT_EQ(read(registers, RegisterId::kRequestArrivalHigh), 5u);
        EXPECT_TRUE(
            regs::kControlStatusRequestWaiting.of(read(registers, RegisterId::kControlStatus)));
        write(registers, RegisterId::kRequestPop, 0); // is none
        write(registers, RegisterId::kRequestPop, 1);
    }
    EXPECT_FALSE(
        regs::kControlStatusRequestWaiting.of(read(registers, RegisterId::kControlStatus)));
    EXPECT_EQ(read(registers, RegisterId::kRequestPage), 0u);
    EXPECT_EQ(read(registers, RegisterId::kCountersRequests), regs::kRequestSlots);
    EXPECT_EQ(read(registers, RegisterId::kControlError), 0u);
    write(registers, RegisterId::kRequestPop, 1);
    EXPECT_EQ(read(registers, RegisterId::kControlError),
              regs::kControlErrorRequestUnderflow.mask());
    EXPECT_EQ(read(registers, RegisterId::kIrqPending),
              regs::kIrqPendingRequest.mask() | regs::kIrqPendingError.mask());
    EXPECT_EQ(read(registers, RegisterId::kCountersRequests), regs::kRequestSlots);
}

TEST_P(RegistersTest, OperationsKeepWhatIsNotWrittenAgain) {
    DriveRegistersIf& registers = *form;
    write(registers, RegisterId::kOperationLogicalPage, 0x1234'5678);
    write(registers, RegisterId::kOperationSource, 77);
    write(registers, RegisterId::kOperationFrame, 5);
    write(registers, RegisterId::kOperationDependence, 0x8001'0003);
    write(registers, RegisterId::kOperationSupersedes, 0x8765'4321);
    write(registers, RegisterId::kOperationUnits, 0x1'0009);
    write(registers, RegisterId::kOperationOutcome, 2);
    EXPECT_FALSE(registers.take_operation(0)); // nothing is pushed yet
    push_operation(900, 0xBEEF'0014);
    push_operation(901, 0xBEEF'0314);
    for (const std::uint32_t n : {0u, 1u}) {
        const auto operation = registers.take_operation(0);
        ASSERT_TRUE(operation);
        EXPECT_EQ(operation->kind, regs::Operation::kMove);
        EXPECT_EQ(operation->origin, regs::Origin::kCollection);
        EXPECT_EQ(operation->last, n == 1);
        EXPECT_EQ(operation->tag, 0xBEEF);
        EXPECT_EQ(operation->result, 0);
        EXPECT_EQ(operation->logical_page, 0x1234'5678u);
        EXPECT_EQ(operation->source, 77u);
        EXPECT_EQ(operation->destination, 900 + n);
        EXPECT_EQ(operation->frame, 5u);
        EXPECT_TRUE(operation->waits);
        EXPECT_EQ(operation->after, 0x1'0003u);
        EXPECT_EQ(operation->copies, n == 1);
        EXPECT_EQ(operation->supersedes, 0x8765'4321u);
        EXPECT_EQ(operation->units, 0x1'0009u);
        EXPECT_FALSE(operation->hit);
        EXPECT_TRUE(operation->done);
    }
    EXPECT_EQ(read(registers, RegisterId::kCountersOperations), 2u);
}

TEST_P(RegistersTest, OnlyTheLowByteOfACommandPushes) {
    DriveRegistersIf& registers = *form;
    registers.store(address_of(RegisterId::kOperationCommand) + 2, 0x4321, 2, 0);
    registers.store(address_of(RegisterId::kOperationCommand) + 1, 1, 1, 0);
    EXPECT_FALSE(registers.take_operation(0));
    registers.store(address_of(RegisterId::kOperationCommand), 0x02, 1, 0);
    const auto operation = registers.take_operation(0);
    ASSERT_TRUE(operation);
    EXPECT_EQ(operation->kind, regs::Operation::kProgram);
    EXPECT_TRUE(operation->last);
    EXPECT_EQ(operation->tag, 0x4321);
    registers.store(address_of(RegisterId::kControlDoorbell) + 2, 7, 1, 0); // the result alone
    EXPECT_FALSE(registers.take_operation(0));
    registers.store(address_of(RegisterId::kControlDoorbell) + 1, 0x12, 1, 0); // half of the tag
    const auto bell = registers.take_operation(0);
    ASSERT_TRUE(bell);
    EXPECT_EQ(bell->tag, 0x1200);
    EXPECT_EQ(bell->result, 7);
}

TEST_P(RegistersTest, ADoorbellComesBehindTheOperationsOfItsRequest) {
    DriveRegistersIf& registers = *form;
    push_operation(1, 0x0007'0002);
    write(registers, RegisterId::kControlDoorbell, 0x3'0007);
    push_operation(2, 0x0008'0002);
    EXPECT_EQ(registers.take_operation(0)->destination, 1u);
    const auto bell = registers.take_operation(0);
    EXPECT_EQ(bell->kind, regs::Operation::kDecided);
    EXPECT_TRUE(bell->last);
    EXPECT_EQ(bell->tag, 7);
    EXPECT_EQ(bell->result, 3);
    EXPECT_EQ(bell->destination, 0u);
    EXPECT_EQ(registers.take_operation(0)->destination, 2u);
    EXPECT_EQ(read(registers, RegisterId::kCountersDecisions), 1u);
    EXPECT_EQ(read(registers, RegisterId::kCountersOperations), 2u);
}

TEST_P(RegistersTest, AFullOperationQueueLosesWhatIsPushedAndSaysSo) {
    DriveRegistersIf& registers = *form;
    for (std::uint32_t n = 0; n < regs::kOperationSlots; ++n) {
        EXPECT_EQ(read(registers, RegisterId::kOperationFill), n | (regs::kOperationSlots - n)
                                                                       << 16);
        push_operation(n, 1);
    }
    EXPECT_TRUE(regs::kControlStatusOperationFull.of(read(registers, RegisterId::kControlStatus)));
    EXPECT_EQ(read(registers, RegisterId::kControlError), 0u);
    push_operation(1000, 1);
    EXPECT_EQ(read(registers, RegisterId::kControlError),
              regs::kControlErrorOperationOverflow.mask());
    write(registers, RegisterId::kControlError, 0xFFFF'FFFF);
    write(registers, RegisterId::kControlDoorbell, 1);
    EXPECT_EQ(read(registers, RegisterId::kControlError),
              regs::kControlErrorOperationOverflow.mask());
    EXPECT_EQ(read(registers, RegisterId::kCountersOperations), regs::kOperationSlots);
    EXPECT_EQ(read(registers, RegisterId::kCountersDecisions), 0u);
    for (std::uint32_t n = 0; n < regs::kOperationSlots; ++n) {
        EXPECT_FALSE(regs::kIrqPendingOperationEmpty.of(read(registers, RegisterId::kIrqPending)));
        EXPECT_EQ(registers.take_operation(0)->destination, n);
    }
    EXPECT_TRUE(regs::kIrqPendingOperationEmpty.of(read(registers, RegisterId::kIrqPending)));
    EXPECT_FALSE(registers.take_operation(0));
}

TEST_P(RegistersTest, DescriptorsPassAndAreCounted) {
    DriveRegistersIf& registers = *form;
    write(registers, RegisterId::kDmaFrame, 3);
    write(registers, RegisterId::kDmaExtent, 0x0804);
    for (std::uint32_t n = 0; n <= regs::kDmaSlots; ++n) { // one too many
        write(registers, RegisterId::kDmaPage, 50 + n);
        write(registers, RegisterId::kDmaCommand, n << 16 | (n % 2));
    }
    EXPECT_EQ(read(registers, RegisterId::kControlError), regs::kControlErrorDmaOverflow.mask());
    EXPECT_EQ(read(registers, RegisterId::kDmaFill), regs::kDmaSlots);
    for (std::uint32_t n = 0; n < regs::kDmaSlots; ++n) {
        const auto descriptor = registers.take_descriptor(0);
        ASSERT_TRUE(descriptor);
        EXPECT_EQ(descriptor->to_flash, n % 2 == 1);
        EXPECT_EQ(descriptor->tag, n);
        EXPECT_EQ(descriptor->frame, 3u);
        EXPECT_EQ(descriptor->page, 50 + n);
        EXPECT_EQ(descriptor->first, 4);
        EXPECT_EQ(descriptor->sectors, 8);
    }
    EXPECT_FALSE(registers.take_descriptor(0));
    registers.complete_descriptor(0);
    registers.complete_descriptor(0);
    EXPECT_EQ(read(registers, RegisterId::kDmaCompleted), 2u);
    EXPECT_TRUE(regs::kIrqPendingDmaDone.of(read(registers, RegisterId::kIrqPending)));
}

TEST_P(RegistersTest, TheWindowShowsTheSpaceFromItsOffset) {
    DriveRegistersIf& registers = *form;
    const std::uint32_t memory = kRegisterBase + regs::kMemoryAddress;
    window.words[0][10] = 0x1122'3344;
    window.words[1][13] = 0x5566'7788;
    write(registers, RegisterId::kWindowOffset, 10);
    EXPECT_EQ(registers.load(memory, 4, 0).data, 0x1122'3344u);
    EXPECT_EQ(registers.load(memory + 1, 2, 0).data, 0x2233u);
    EXPECT_EQ(registers.load(memory, 4, 0).wait_cycles, 1u + 10 % 4);
    write(registers, RegisterId::kWindowSpace, 1);
    EXPECT_EQ(registers.load(memory + 12, 4, 0).data, 0x5566'7788u);
    EXPECT_EQ(registers.store(memory + 13, 0xAB, 1, 0).wait_cycles, 1u + 13 % 4);
    EXPECT_EQ(window.words[1][13], 0x5566'AB88u);
    EXPECT_EQ(window.accesses, 5u);

    EXPECT_EQ(read(registers, RegisterId::kControlError), 0u);
    const BusAnswer outside = registers.load(memory + 4 * (DrillWindow::kWords - 10), 4, 0);
    EXPECT_FALSE(outside.fault);
    EXPECT_EQ(outside.data, 0u);
    EXPECT_EQ(read(registers, RegisterId::kControlError), regs::kControlErrorWindowRange.mask());
    // The last word of the window, far past 2^32 words.
    write(registers, RegisterId::kControlError, 0xF);
    write(registers, RegisterId::kWindowOffset, 0xFFFF'FFFF);
    registers.store(kRegisterBase + regs::kBytes - 4, 1, 4, 0);
    EXPECT_EQ(read(registers, RegisterId::kControlError), regs::kControlErrorWindowRange.mask());
}

TEST_P(RegistersTest, GeometryAndIdlenessAreShown) {
    DriveRegistersIf& registers = *form;
    registers.set_geometry({8, 4, 2, 1024, 256, 16384, 1'000'000, 4096, 400'000});
    registers.set_idle(true, false);
    EXPECT_EQ(read(registers, RegisterId::kGeometryParallelism), 0x02'04'08u);
    EXPECT_EQ(read(registers, RegisterId::kGeometryBlocks), 1024u);
    EXPECT_EQ(read(registers, RegisterId::kGeometryPages), 256u);
    EXPECT_EQ(read(registers, RegisterId::kGeometryPageBytes), 16384u);
    EXPECT_EQ(read(registers, RegisterId::kGeometryLogicalPages), 1'000'000u);
    EXPECT_EQ(read(registers, RegisterId::kGeometryFrames), 4096u);
    EXPECT_EQ(read(registers, RegisterId::kGeometryClock), 400'000u);
    const std::uint32_t status = read(registers, RegisterId::kControlStatus);
    EXPECT_TRUE(regs::kControlStatusHostIdle.of(status));
    EXPECT_FALSE(regs::kControlStatusFlashIdle.of(status));
    registers.reset();
    EXPECT_EQ(read(registers, RegisterId::kGeometryBlocks), 1024u); // the drive is the same
    EXPECT_TRUE(regs::kControlStatusHostIdle.of(read(registers, RegisterId::kControlStatus)));
    EXPECT_FALSE(registers.ready());
    write(registers, RegisterId::kControlControl, 1);
    EXPECT_TRUE(registers.ready());
}

TEST_P(RegistersTest, AnEventInterruptsWhenItIsEnabled) {
    DriveRegistersIf& registers = *form;
    registers.push_request({}, 100);
    EXPECT_FALSE(registers.interrupt(100));
    write(registers, RegisterId::kIrqEnable, regs::kIrqEnableRequest.mask(), 101);
    EXPECT_TRUE(registers.interrupt(104));
    write(registers, RegisterId::kIrqPending, 0, 105);
    EXPECT_TRUE(registers.interrupt(108));
    write(registers, RegisterId::kIrqPending, regs::kIrqPendingRequest.mask(), 109);
    EXPECT_FALSE(registers.interrupt(112));
    write(registers, RegisterId::kIrqRaise, regs::kIrqRaiseError.mask(), 113);
    EXPECT_FALSE(registers.interrupt(120));
    write(registers, RegisterId::kIrqEnable, regs::kIrqEnableError.mask(), 121);
    EXPECT_TRUE(registers.interrupt(124));
}

TEST_P(RegistersTest, ModerationWaitsForTheCount) {
    DriveRegistersIf& registers = *form;
    write(registers, RegisterId::kIrqEnable, 0x5);
    write(registers, RegisterId::kIrqModeration, 3);
    write(registers, RegisterId::kIrqModerationTime, 0xFFFF'FFFF);
    for (const bool again : {false, true}) {
        registers.push_request({}, 10);
        EXPECT_FALSE(registers.interrupt(11));
        registers.complete_descriptor(12);
        EXPECT_FALSE(registers.interrupt(13));
        // One of two bits is cleared: what has been counted stays.
        write(registers, RegisterId::kIrqPending, regs::kIrqPendingDmaDone.mask(), 14);
        registers.push_request({}, 20);
        EXPECT_TRUE(registers.interrupt(20)) << again;
        write(registers, RegisterId::kIrqPending, 0x5, 21);
        EXPECT_FALSE(registers.interrupt(30)); // and the count starts anew
    }
    // What is not moderated does not wait.
    write(registers, RegisterId::kIrqEnable, 0xF);
    write(registers, RegisterId::kRequestPop, 1);
    write(registers, RegisterId::kIrqRaise, regs::kIrqRaiseOperationEmpty.mask());
    EXPECT_TRUE(registers.interrupt(40));
}

TEST_P(RegistersTest, ModerationWaitsForTheTime) {
    DriveRegistersIf& registers = *form;
    write(registers, RegisterId::kIrqEnable, 0x1);
    write(registers, RegisterId::kIrqModeration, 200);
    write(registers, RegisterId::kIrqModerationTime, 500);
    EXPECT_FALSE(registers.interrupt_due(0));
    const std::uint64_t start = 0x1'FFFF'FFF0; // across 2^33
    registers.push_request({}, start);
    registers.push_request({}, start + 400); // counts from the first
    EXPECT_FALSE(registers.interrupt(start + 499));
    EXPECT_EQ(registers.interrupt_due(start + 499), start + 500);
    EXPECT_TRUE(registers.interrupt(start + 500));
    EXPECT_FALSE(registers.interrupt_due(start + 500));
    EXPECT_TRUE(registers.interrupt(start + 0x2'0000'0000));
    write(registers, RegisterId::kIrqPending, 0x1, start + 600);
    EXPECT_FALSE(registers.interrupt(start + 2000));
    // What firmware raises itself counts from the edge that it reaches: three cycles on.
    write(registers, RegisterId::kIrqRaise, 0x1, start + 3000);
    EXPECT_FALSE(registers.interrupt(start + 3502));
    EXPECT_TRUE(registers.interrupt(start + 3503));
}

TEST_P(RegistersTest, MoreEventsThanTheCounterHoldsInterrupt) {
    DriveRegistersIf& registers = *form;
    write(registers, RegisterId::kIrqEnable, 0x4);
    write(registers, RegisterId::kIrqModeration, 255);
    write(registers, RegisterId::kIrqModerationTime, 0xFFFF'FFFF);
    for (int n = 1; n <= 600; ++n) { // 255 and no further: 256 would be 0
        registers.complete_descriptor(1);
        EXPECT_EQ(registers.interrupt(2), n >= 255) << n;
    }
}

TEST_P(RegistersTest, CountersCountAndAreClearedByAnyWrite) {
    DriveRegistersIf& registers = *form;
    registers.add_busy_cycles(0xFFFF'FFFF);
    EXPECT_EQ(read(registers, RegisterId::kCountersBusyCycles), 0xFFFF'FFFFu);
    registers.add_busy_cycles(3); // modulo 2^32
    EXPECT_EQ(read(registers, RegisterId::kCountersBusyCycles), 2u);
    registers.add_busy_cycles(0);
    EXPECT_EQ(read(registers, RegisterId::kCountersBusyCycles), 2u);
    registers.store(address_of(RegisterId::kCountersBusyCycles) + 3, 0, 1, 0);
    EXPECT_EQ(read(registers, RegisterId::kCountersBusyCycles), 0u);
}

} // namespace cavern::cpu
