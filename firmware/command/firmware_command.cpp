#include "app/firmware_command.h"

#include <algorithm>
#include <chrono>
#include <CLI/CLI.hpp>
#include <iostream>

#include <fmt/format.h>

#include "app/places.h"
#include "core/base/error.h"
#include "cosim/rtl_machine.h"
#include "cpu/gdb_server.h"
#include "cpu/machine.h"
#include "cpu/machine_debug.h"
#include "cpu/program.h"
#include "firmware/command/firmware_files.h"

namespace cavern {

namespace {

/// How a run ended, whichever the processor.
struct Ending {
    cpu::Outcome outcome;
    cpu::Fault fault;
    std::uint32_t pc = 0;           ///< of the next instruction
    std::uint64_t executed = 0;     ///< instructions, those that trapped included
    std::uint64_t instructions = 0; ///< without them
    std::uint64_t cycles = 0;
};

/// Where and why the run ended, when it did not end well; nothing when it did.
std::string complaint(const Ending& ending, const cpu::Program& program) {
    const auto at = [&](std::uint32_t pc) { return program.describe(pc); };
    const cpu::Outcome& outcome = ending.outcome;
    switch (outcome.end) {
    case cpu::End::kExit:
        return outcome.status == 0
                   ? std::string()
                   : fmt::format("ended with status {}; 0 is success", outcome.status);
    case cpu::End::kWatchdog:
        return fmt::format("is still running after {} instructions, at {}; give it more with "
                           "--max-instructions",
                           ending.executed, at(ending.pc));
    case cpu::End::kDead:
        return fmt::format("waits for an interrupt that never comes, at {}; enable one before WFI",
                           at(ending.pc));
    case cpu::End::kKilled:
        return fmt::format("was ended by the debugger, at {}", at(ending.pc));
    case cpu::End::kFault:
    case cpu::End::kBreakpoint: // nobody but a debugger sets one
    case cpu::End::kWatchpoint:
        break;
    }
    const cpu::Fault& fault = ending.fault;
    const bool access =
        fault.kind != cpu::FaultKind::kFetch && fault.kind != cpu::FaultKind::kIllegal;
    return fmt::format("{}, {}{}; with --traps the processor would take a trap", at(fault.pc),
                       cpu::name_of(fault.kind),
                       access ? fmt::format(" (0x{:08x})", fault.address) : std::string());
}

cpu::FaultPolicy policy_of(const FirmwareCommandOptions& options) {
    return options.traps ? cpu::FaultPolicy::kTrap : cpu::FaultPolicy::kStop;
}

using Observer = cpu::Hart::Observer;

cpu::Outcome run_for_gdb(const FirmwareCommandOptions& options, const cpu::Program& program,
                         cpu::Machine& machine) {
    cpu::MachineDebugTarget target(machine, program);
    cpu::GdbServer server(target, *options.show.gdb);
    std::cerr << fmt::format("waiting for a debugger: gdb-multiarch {} -ex "
                             "\"target remote localhost:{}\"\n",
                             options.image, server.port());
    return cpu::run_debugged(machine, server, options.max_instructions);
}

using Run = Ending (*)(const FirmwareCommandOptions&, const cpu::Program&, const cpu::Uart::Sink&,
                       const Observer&);

Ending run_iss(const FirmwareCommandOptions& options, const cpu::Program& program,
               const cpu::Uart::Sink& log, const Observer& observe) {
    cpu::Machine machine({}, {}, policy_of(options), log);
    machine.load(program);
    const cpu::Outcome outcome = options.show.gdb ? run_for_gdb(options, program, machine)
                                 : observe        ? machine.run(options.max_instructions, observe)
                                                  : machine.run(options.max_instructions);
    const cpu::Hart& hart = machine.hart();
    return {outcome, hart.fault(), hart.pc(), hart.executed(), hart.instructions(), hart.cycle()};
}

template <RtlMachine::Core kCore>
Ending run_rtl(const FirmwareCommandOptions& options, const cpu::Program& program,
               const cpu::Uart::Sink& log, const Observer& observe) {
    RtlMachine::Options machine_options;
    machine_options.core = kCore;
    machine_options.policy = policy_of(options);
    RtlMachine machine(machine_options, log);
    machine.load(program);
    const cpu::Outcome outcome = machine.run(options.max_instructions, observe);
    return {outcome,
            machine.fault(),
            machine.core().retired().next_pc,
            machine.executed(),
            machine.instructions(),
            machine.core().retired().cycle + 1};
}

struct CpuRow {
    const char* name;
    Run run;
    bool has_debugger;
};
constexpr CpuRow kCpus[] = {{"iss", run_iss, true},
                            {"rtl", run_rtl<RtlMachine::Core::kIbex>, false},
                            {"lockstep", run_rtl<RtlMachine::Core::kLockstep>, false}};

/// Throws UserError where a debugger would see nothing.
const CpuRow& cpu_of(const FirmwareCommandOptions& options) {
    const CpuRow& row = *std::find_if(std::begin(kCpus), std::end(kCpus),
                                      [&](const CpuRow& each) { return each.name == options.cpu; });
    if (options.show.gdb && !row.has_debugger) {
        throw UserError("<command line>", 1,
                        fmt::format("--gdb does not go with --cpu {}", options.cpu),
                        "a debugger sees the interpreter, --cpu iss");
    }
    return row;
}

} // namespace

void add_firmware_command(CLI::App& app, FirmwareCommandOptions& options) {
    std::vector<std::string> names;
    for (const CpuRow& row : kCpus) {
        names.emplace_back(row.name);
    }
    CLI::App* firmware =
        app.add_subcommand("firmware", "runs a firmware image on the controller's processor alone");
    firmware->add_option("IMAGE", options.image, "ELF executable for RV32IMC")->required();
    firmware
        ->add_option("--cpu", options.cpu,
                     "iss: the interpreter; rtl: the core itself; lockstep: both, compared")
        ->capture_default_str()
        ->check(CLI::IsMember(names))
        ->type_name("NAME");
    firmware
        ->add_option("--max-instructions", options.max_instructions,
                     "ends a run that has not ended by itself")
        ->capture_default_str()
        ->check(CLI::PositiveNumber)
        ->type_name("N");
    add_firmware_options(*firmware, "", options.show);
    firmware->add_flag("--traps", options.traps,
                       "takes a trap on an illegal instruction or access, instead of stopping");
}

int run_firmware_command(const FirmwareCommandOptions& options) {
    const CpuRow& processor = cpu_of(options);
    check_firmware_options(options.show, "");
    Places places;
    places.reads("IMAGE", options.image);
    for (const FirmwareFileRow& row : kFirmwareFiles) {
        places.writes(std::string("--") + row.name, options.show.*row.path);
    }
    places.check();
    const cpu::Program program = cpu::Program::read(options.image, cpu::MemoryMap{});
    check_firmware_options(options.show, program);
    FirmwareFiles files(options.show);
    files.begin(program, cpu::MemoryMap{});
    const auto print = [&files, &options](char byte, std::uint64_t cycle) {
        std::cout.put(byte);
        if (options.show.gdb && byte == '\n') { // somebody watches
            std::cout.flush();
        }
        files.print(byte, [cycle] { return fmt::format("{:>12}", cycle); });
    };
    const auto start = std::chrono::steady_clock::now();
    Observer observer;
    if (files.trace() != nullptr || files.counts()) {
        observer = [&files](const cpu::Retired& retired) { files.add(retired); };
    }
    const Ending ending = processor.run(options, program, print, observer);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    std::cout.flush();
    files.commit();
    std::cerr << fmt::format("{} instructions, {} cycles, {:.1f} M instructions/s\n",
                             ending.instructions, ending.cycles,
                             static_cast<double>(ending.instructions) / wall.count() * 1e-6);
    const std::string what = complaint(ending, program);
    if (!what.empty()) {
        std::cerr << fmt::format("error: {}: {}\n", options.image, what);
    }
    return what.empty() ? 0 : 1;
}

} // namespace cavern
