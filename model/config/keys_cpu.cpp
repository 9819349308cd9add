#include "config/key_builder.h"

namespace cavern {

using T = KeyType;

Keys cpu_keys() {
    const auto cpu = &SsdConfig::cpu;
    const auto cycles = [cpu](const char* name, const char* meaning,
                              std::uint32_t CpuConfig::*member,
                              const char* source = "firmware drive_cycles") {
        return KeyRow(T::kCount, name, meaning)
            .range(0, 1'000'000'000)
            .to(cpu, member)
            .from(source);
    };
    const auto finer = [cpu](const char* name, const std::string& meaning,
                             std::uint32_t CpuConfig::*member) {
        return KeyRow(T::kCount, name,
                      "with cpu.model = cost: beside the others, " + meaning +
                          "; the command that brought it does not wait for that, the next one does")
            .range(0, 1'000'000'000)
            .to(cpu, member);
    };
    return {
        KeyRow(T::kWord, "cpu.model", "what the decisions of the controller cost in time")
            .of({{"none", "Decisions take no time."},
                 {"cost", "Each command, page and flash operation takes processor cycles, so many "
                          "of each."},
                 {"iss", "Compiled firmware is executed, instruction by instruction with the "
                         "cycles of Ibex: by the interpreter."},
                 {"rtl", "The same by the RTL of Ibex, a hundred times slower."},
                 {"lockstep", "By both; the first difference ends the run."}})
            .to(cpu, &CpuConfig::model),
        KeyRow(T::kWord, "cpu.decides",
               "who decides which page leaves the buffer, where it goes and what is collected")
            .of({{"core", "The decision core."},
                 {"firmware", "The firmware of firmware/drive; each of its answers is checked."},
                 {"lockstep", "The decision core; the firmware is asked the same, and the first "
                              "difference ends the run."}})
            .to(cpu, &CpuConfig::decides),
        KeyRow(T::kCount, "cpu.cores",
               "so many processors handle commands; decisions keep the order of arrival")
            .range(1, 64)
            .to(cpu, &CpuConfig::cores),
        KeyRow(T::kHertz, "cpu.clock", "clock frequency of the processors")
            .to(cpu, &CpuConfig::hz)
            .at_least(1'000),
        cycles("cpu.command_cycles", "with cpu.model = cost: to take up a command",
               &CpuConfig::command_cycles, "estimate"),
        cycles("cpu.read_cycles", "with cpu.model = cost: to decide a page that is read",
               &CpuConfig::read_cycles),
        cycles("cpu.write_cycles", "with cpu.model = cost: to decide a page that is written",
               &CpuConfig::write_cycles),
        cycles("cpu.operation_cycles",
               "with cpu.model = cost: to hand a flash operation on; the command that brought it "
               "does not wait for that, the next one does",
               &CpuConfig::operation_cycles),
        finer("cpu.eviction_cycles", "for each page that leaves the write buffer",
              &CpuConfig::eviction_cycles),
        finer("cpu.allocation_cycles", "for each page that gets a place in flash, of any origin",
              &CpuConfig::allocation_cycles),
        finer("cpu.map_cycles", "for each page of the map read or programmed (ftl.scheme = dftl)",
              &CpuConfig::map_cycles),
        finer("cpu.collection_cycles",
              "for each step of collection: a page copied for it, or a block erased",
              &CpuConfig::collection_cycles),
        KeyRow(
            T::kWord, "cpu.look_up",
            "with cpu.model = cost: how the firmware finds a page in the buffer; each page costs "
            "what that takes the processor, measured for a buffer of 16384 pages, in place of "
            "read_cycles and write_cycles")
            .of({{"none", "Pages cost cpu.read_cycles and cpu.write_cycles."},
                 {"lm", "Walks the group's list from its least recently used page."},
                 {"ml", "Walks the group's list from its most recently used page."},
                 {"sq", "Walks the group's frames in the order of the array."},
                 {"sg", "Walks the part of the array that the map entry names."},
                 {"bt", "Searches a B-tree."},
                 {"dx", "Takes the frame from the map entry."}})
            .to(cpu, &CpuConfig::look_up),
        KeyRow(T::kCount, "cpu.look_up_groups",
               "with cpu.look_up: into so many groups it divides the buffer")
            .range(1, 256)
            .to(cpu, &CpuConfig::look_up_groups),
        KeyRow(T::kText, "cpu.firmware",
               "image that is executed with cpu.model = iss, rtl or lockstep: built-in "
               "(firmware/drive), or an ELF executable for RV32IMC")
            .names_file()
            .stored_as_none("built-in")
            .to(cpu, &CpuConfig::firmware),
        KeyRow(T::kWord, "cpu.registers", "through which registers that firmware meets the drive")
            .of({{"tlm", "Those of the model."}, {"rtl", "Those of the RTL (rtl/regs)."}})
            .to(cpu, &CpuConfig::registers),
        KeyRow(T::kCount, "cpu.watchdog",
               "instructions that the firmware may take for a request; more end the run")
            .range(1'000, 1'000'000'000'000)
            .to(cpu, &CpuConfig::watchdog),
    };
}

} // namespace cavern
