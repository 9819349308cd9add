#include "config/nand_command_list.h"

#include "core/parts/nand_commands.h"

namespace cavern {

std::string nand_commands_markdown() {
    std::string table =
        "| command | phases on the bus (array times between them) | key |\n|---|---|---|\n";
    for (const NandCommandRow& row : kNandCommands) {
        std::string phases;
        for (std::uint32_t i = 0; i < row.steps; ++i) {
            const NandStepRow& step = row_of(row.step[i]);
            phases += i == 0 ? "" : ", ";
            phases += step.data == NandData::kOut ? row.out : "";
            phases += step.bus;
            phases += i == 0 ? row.of : "";
            phases += *step.array == '\0' ? "" : std::string(", tWB + ") + step.array;
        }
        table += std::string("| ") + row.name + " | " + phases + " | " + row.keys +
                 (*row.keys == '\0' ? "|\n" : " |\n");
    }
    return table;
}

} // namespace cavern
