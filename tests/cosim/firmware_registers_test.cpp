// Compiled firmware reaches a drive through the registers: requests go in, operations come out. The
// drive is a script here. The same with each form of registers and processor.
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "cosim/ibex_core.h"
#include "cosim/registers_lockstep.h"
#include "cosim/rtl_registers.h"
#include "cpu/hart.h"
#include "cpu/program.h"
#include "cpu/register_block.h"
#include "cpu/uart.h"

namespace cavern::cpu {
namespace {

constexpr std::uint64_t kMostCycles = 200'000;

/// Requests by their arrival. Three together, one alone, twelve together, one long, and the last.
std::vector<HostRequest> script() {
    std::vector<HostRequest> requests;
    std::uint16_t tag = 0;
    const auto add = [&](regs::Opcode opcode, std::uint32_t page, std::uint32_t pages,
                         std::uint64_t arrival) {
        requests.push_back({opcode, false, ++tag, page, pages, arrival});
    };
    for (std::uint32_t n = 0; n < 3; ++n) {
        add(regs::Opcode::kWrite, 100 + n, 2, 1000 + n);
    }
    add(regs::Opcode::kRead, 7, 1, 10'000);
    for (std::uint32_t n = 0; n < 12; ++n) {
        add(n % 2 == 0 ? regs::Opcode::kWrite : regs::Opcode::kRead, 500 + n, 1 + n % 3, 20'000);
    }
    add(regs::Opcode::kTrim, 3, 5, 30'000);
    add(regs::Opcode::kWrite, 4000, 100, 30'001); // more than the queue holds
    requests.push_back({regs::Opcode::kFlush, false, 0xFFFF, 0, 0, 60'000});
    return requests;
}

std::string text_of(const FlashOperation& operation) {
    std::string text = operation.kind == regs::Operation::kDecided   ? "decided"
                       : operation.kind == regs::Operation::kProgram ? "program"
                       : operation.kind == regs::Operation::kRead    ? "read"
                                                                     : "?";
    const bool reads = operation.kind == regs::Operation::kRead;
    for (const std::uint32_t part :
         {std::uint32_t{operation.tag}, operation.logical_page,
          reads ? operation.source : operation.destination, operation.frame}) {
        text += " " + std::to_string(part);
    }
    return text + (operation.last ? " last" : "");
}

/// What the firmware is to decide, by the rules at its head.
std::vector<std::string> expected() {
    std::vector<std::string> all;
    std::uint32_t next = 0;
    for (const HostRequest& request : script()) {
        for (std::uint32_t n = 0; n < request.pages && request.opcode != regs::Opcode::kTrim; ++n) {
            FlashOperation operation;
            operation.tag = request.tag;
            operation.logical_page = request.page + n;
            operation.frame = n;
            operation.last = n + 1 == request.pages;
            if (request.opcode == regs::Opcode::kRead) {
                operation.kind = regs::Operation::kRead;
                operation.source = request.page + n;
            } else {
                operation.kind = regs::Operation::kProgram;
                operation.destination = next++;
            }
            all.push_back(text_of(operation));
        }
        FlashOperation bell;
        bell.tag = request.tag;
        bell.last = true;
        all.push_back(text_of(bell));
    }
    return all;
}

struct Decisions {
    std::vector<std::string> operations;
    std::uint64_t cycles = 0;
    std::uint32_t status = 0; ///< interrupts that the firmware has had
};

/// The drive around the registers, and the bus in front of them.
class Board final : public BusIf {
  public:
    /// `more_waits`: wait cycles of each load beyond the registers' own.
    explicit Board(DriveRegistersIf& registers, std::uint32_t more_waits = 0)
        : registers_(registers), more_waits_(more_waits) {}

    BusAnswer load(std::uint32_t address, std::uint32_t size, std::uint64_t cycle) override {
        if (!map_.registers.contains(address)) {
            return map_.uart.contains(address) ? uart_.load(address - map_.uart.base)
                                               : BusAnswer{0, 0, true};
        }
        BusAnswer answer = registers_.load(address, size, cycle);
        answer.wait_cycles += more_waits_;
        return answer;
    }
    BusAnswer store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                    std::uint64_t cycle) override {
        return map_.registers.contains(address) ? registers_.store(address, value, size, cycle)
               : map_.uart.contains(address) ? uart_.store(address - map_.uart.base, value, cycle)
                                             : BusAnswer{0, 0, true};
    }

    /// The drive at `cycle`: it pushes what has arrived, and takes an operation every 50 cycles.
    /// Returns the interrupt line.
    bool attend(std::uint64_t cycle) {
        while (pushed_ < script_.size() && script_[pushed_].arrival <= cycle &&
               registers_.ready() && registers_.push_request(script_[pushed_], cycle)) {
            ++pushed_;
        }
        if (cycle >= taken_ + 50) {
            taken_ = cycle;
            if (const auto operation = registers_.take_operation(cycle)) {
                run.operations.push_back(text_of(*operation));
            }
        }
        return registers_.interrupt(cycle);
    }
    /// The firmware has ended the run: takes what is left.
    [[nodiscard]] bool ended(std::uint64_t cycle) {
        if (!uart_.exit_status()) {
            return false;
        }
        while (const auto operation = registers_.take_operation(cycle)) {
            run.operations.push_back(text_of(*operation));
        }
        run.status = *uart_.exit_status();
        run.cycles = cycle;
        return true;
    }

    Decisions run;

  private:
    MemoryMap map_;
    DriveRegistersIf& registers_;
    std::uint32_t more_waits_;
    Uart uart_;
    std::vector<HostRequest> script_ = script();
    std::size_t pushed_ = 0;
    std::uint64_t taken_ = 0;
};

Program firmware() {
    return Program::read(CAVERN_FIRMWARE_DIR "/registers.elf", {});
}

Decisions run_on_hart(DriveRegistersIf& registers, std::uint32_t more_waits = 0) {
    Board board(registers, more_waits);
    MemorySystem memory({}, &board);
    const Program program = firmware();
    program.load_into(memory);
    Hart hart(memory);
    hart.reset(program.entry());
    while (hart.cycle() < kMostCycles && !board.ended(hart.cycle())) {
        hart.set_interrupt(interrupt::kExternal, board.attend(hart.cycle()));
        const Stop stop = hart.step();
        if (stop == Stop::kWaiting) {
            hart.advance_to(hart.cycle() + 1);
        } else {
            EXPECT_EQ(stop, Stop::kInstructions) << program.describe(hart.pc());
        }
        if (testing::Test::HasFailure()) {
            break;
        }
    }
    return board.run;
}

Decisions run_on_ibex(DriveRegistersIf& registers) {
    Board board(registers);
    MemorySystem memory({}, &board);
    firmware().load_into(memory);
    IbexCore core(memory, 1);
    core.reset();
    while (core.cycle() < kMostCycles && !board.ended(core.cycle())) {
        core.set_interrupt(interrupt::kExternal, board.attend(core.cycle()));
        core.tick();
    }
    return board.run;
}

TEST(FirmwareRegistersTest, DecidesWhatItsRulesSay) {
    RegisterBlock registers(nullptr);
    const Decisions run = run_on_hart(registers);
    EXPECT_EQ(run.operations, expected());
    EXPECT_GT(run.cycles, 60'000u);
    // Three together and one alone wait for the time, twelve together come by the count, then there
    // is what has waited for room, and the last.
    EXPECT_GE(run.status, 5u);
    EXPECT_LT(run.status, script().size());
}

TEST(FirmwareRegistersTest, TheFormOfTheRegistersDoesNotMatterToACycle) {
    RegisterBlock block(nullptr);
    const Decisions in_cpp = run_on_hart(block);
    RegistersLockstep lockstep(make_register_model(1), nullptr, "registers");
    const Decisions both = run_on_hart(lockstep);
    EXPECT_GT(lockstep.compared(), 1000u);
    EXPECT_EQ(both.operations, in_cpp.operations);
    EXPECT_EQ(both.cycles, in_cpp.cycles);
    EXPECT_EQ(both.status, in_cpp.status);
}

TEST(FirmwareRegistersTest, OneMoreWaitCycleIsSeen) {
    RegisterBlock usual(nullptr);
    RegisterBlock slower(nullptr);
    const Decisions before = run_on_hart(usual);
    const Decisions after = run_on_hart(slower, 1);
    EXPECT_EQ(after.operations, before.operations);
    EXPECT_GT(after.cycles, before.cycles);
}

TEST(FirmwareRegistersTest, ProcessorAndRegistersAreBothRtl) {
    RtlRegisters registers(make_register_model(1), nullptr, "registers");
    const Decisions run = run_on_ibex(registers);
    EXPECT_EQ(run.operations, expected());
    EXPECT_LT(run.cycles, kMostCycles);
    EXPECT_GT(run.cycles, 60'000u);
}

} // namespace
} // namespace cavern::cpu
