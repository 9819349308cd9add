#include "app/firmware_command.h"

#include <chrono>
#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <iostream>
#include <optional>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/output_file.h"
#include "cosim/rtl_machine.h"
#include "cpu/call_profile.h"
#include "cpu/gdb_server.h"
#include "cpu/instruction_trace.h"
#include "cpu/line_coverage.h"
#include "cpu/machine.h"
#include "cpu/machine_debug.h"
#include "cpu/program.h"

namespace cavern {

namespace {

/// Each line of the firmware's log behind the cycle of its first byte.
class StampedLog {
  public:
    explicit StampedLog(const std::string& path) : file_(path) {}
    void add(char byte, std::uint64_t cycle) {
        if (line_.empty()) {
            since_ = cycle;
        }
        line_ += byte;
        if (byte == '\n') {
            end_line();
        }
    }
    void commit() {
        if (!line_.empty()) {
            line_ += '\n';
            end_line();
        }
        file_.finish();
        file_.commit();
    }

  private:
    void end_line() {
        file_.print("{:>12} {}", since_, line_);
        line_.clear();
    }
    OutputFile file_;
    std::string line_;
    std::uint64_t since_ = 0;
};

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

using Observer = std::function<void(const cpu::Retired&)>;

cpu::Outcome run_for_gdb(const FirmwareCommandOptions& options, const cpu::Program& program,
                         cpu::Machine& machine) {
    cpu::MachineDebugTarget target(machine, program);
    cpu::GdbServer server(target, *options.gdb);
    std::cerr << fmt::format("waiting for a debugger: gdb-multiarch {} -ex "
                             "\"target remote localhost:{}\"\n",
                             options.image, server.port());
    return cpu::run_debugged(machine, server, options.max_instructions);
}

Ending run_iss(const FirmwareCommandOptions& options, const cpu::Program& program,
               const cpu::Uart::Sink& log, const Observer& observe) {
    cpu::Machine machine({}, {}, policy_of(options), log);
    machine.load(program);
    const cpu::Outcome outcome = options.gdb ? run_for_gdb(options, program, machine)
                                 : observe   ? machine.run(options.max_instructions, observe)
                                             : machine.run(options.max_instructions);
    const cpu::Hart& hart = machine.hart();
    return {outcome, hart.fault(), hart.pc(), hart.executed(), hart.instructions(), hart.cycle()};
}

Ending run_rtl(const FirmwareCommandOptions& options, const cpu::Program& program,
               const cpu::Uart::Sink& log, const Observer& observe) {
    RtlMachine::Options machine_options;
    machine_options.core =
        options.cpu == "rtl" ? RtlMachine::Core::kIbex : RtlMachine::Core::kLockstep;
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

/// What a debugger does with the run is in no file: it goes back and forth.
void check_gdb(const FirmwareCommandOptions& options) {
    if (!options.gdb) {
        return;
    }
    if (options.cpu != "iss") {
        throw UserError("<command line>", 1,
                        fmt::format("--gdb does not go with --cpu {}", options.cpu),
                        "a debugger sees the interpreter, --cpu iss");
    }
    for (const auto& [name, value] : {std::pair{"--trace", &options.trace},
                                      {"--profile", &options.profile},
                                      {"--coverage", &options.coverage}}) {
        if (!value->empty()) {
            throw UserError("<command line>", 1, fmt::format("--gdb does not go with {}", name),
                            "run the image once more without a debugger");
        }
    }
}

void check_has_lines(const cpu::Program& program) {
    if (program.lines().empty()) {
        throw UserError(program.path(), 1, "has no lines of its source", "compile it with -g");
    }
}

} // namespace

void add_firmware_command(CLI::App& app, FirmwareCommandOptions& options) {
    CLI::App* firmware =
        app.add_subcommand("firmware", "runs a firmware image on the controller's processor alone");
    firmware->add_option("IMAGE", options.image, "ELF executable for RV32IMC")->required();
    firmware
        ->add_option("--cpu", options.cpu,
                     "iss: the interpreter; rtl: the core itself; lockstep: both, compared")
        ->capture_default_str()
        ->check(CLI::IsMember({"iss", "rtl", "lockstep"}));
    firmware->add_option("--trace", options.trace, "writes every instruction with its effects");
    firmware->add_option("--profile", options.profile,
                         "writes the cycles of each function and call stack, as folded stacks");
    firmware->add_option("--coverage", options.coverage,
                         "writes how often each line of the source was executed, for lcov");
    firmware->add_option("--log", options.log, "writes the log, with the cycle of each line");
    firmware
        ->add_option("--max-instructions", options.max_instructions,
                     "ends a run that has not ended by itself")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    firmware
        ->add_option("--gdb", options.gdb,
                     "waits for GDB on this TCP port of this machine; 0: any that is free")
        ->check(CLI::Range(0, 65535));
    firmware->add_flag("--traps", options.traps,
                       "takes a trap on an illegal instruction or access, instead of stopping");
}

int run_firmware_command(const FirmwareCommandOptions& options) {
    check_gdb(options);
    const cpu::Program program = cpu::Program::read(options.image, cpu::MemoryMap{});
    std::optional<OutputFile> trace;
    std::optional<OutputFile> folded;
    std::optional<OutputFile> lines;
    std::optional<StampedLog> log;
    if (!options.trace.empty()) {
        trace.emplace(options.trace);
    }
    if (!options.profile.empty()) {
        folded.emplace(options.profile);
    }
    if (!options.coverage.empty()) {
        check_has_lines(program);
        lines.emplace(options.coverage);
    }
    if (!options.log.empty()) {
        log.emplace(options.log);
    }
    const auto print = [&log, &options](char byte, std::uint64_t cycle) {
        std::cout.put(byte);
        if (options.gdb && byte == '\n') { // somebody watches
            std::cout.flush();
        }
        if (log) {
            log->add(byte, cycle);
        }
    };
    cpu::CallProfile profile(program);
    cpu::LineCoverage coverage(program, cpu::MemoryMap{});
    const auto start = std::chrono::steady_clock::now();
    const auto observe = [&](const cpu::Retired& retired) {
        if (trace) {
            trace->print("{}\n", cpu::trace_line(retired, &program));
        }
        if (folded) {
            profile.add(retired);
        }
        if (lines) {
            coverage.add(retired);
        }
    };
    const Observer observer = trace || folded || lines ? Observer(observe) : Observer();
    const Ending ending = options.cpu == "iss" ? run_iss(options, program, print, observer)
                                               : run_rtl(options, program, print, observer);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    std::cout.flush();
    if (trace) {
        trace->finish();
    }
    if (folded) {
        folded->print("{}", profile.folded());
        folded->finish();
    }
    if (lines) {
        lines->print("{}", coverage.lcov());
        lines->finish();
    }
    if (log) {
        log->commit();
    }
    if (trace) {
        trace->commit();
    }
    if (folded) {
        folded->commit();
    }
    if (lines) {
        lines->commit();
    }
    std::cerr << fmt::format("{} instructions, {} cycles, {:.1f} M instructions/s\n",
                             ending.instructions, ending.cycles,
                             static_cast<double>(ending.instructions) / wall.count() * 1e-6);
    const std::string what = complaint(ending, program);
    if (!what.empty()) {
        std::cerr << fmt::format("error: {}:1: {}\n", options.image, what);
    }
    return what.empty() ? 0 : 1;
}

} // namespace cavern
