#pragma once

#include <array>
#include <cstdint>

#include "core/parts/nand_timing.h"

namespace cavern {

/// What crosses the bus behind the command and address cycles of a step.
enum class NandData : std::uint8_t { kNone, kIn, kOut, kStatus };

/// A phase of the bus. The die is busy from its end on, if the array works then.
enum class NandStep : std::uint8_t {
    kRead,
    kProgram,
    kErase,
    kDataOut,
    kCopyRead,
    kCopyProgram,
    kCacheNext,
    kCacheRead,
    kCacheEnd,
    kSuspend,
    kResume,
    kStatus,
    kReset
};

struct NandStepRow {
    const char* name;                           ///< what timelines call it
    std::uint32_t (*cycles)(const NandTiming&); ///< command and address cycles
    bool each_plane;                            ///< these once for each
    NandData data;
    const char* bus = "";   ///< in the table of docs/nand-commands.md, where the step is in it
    const char* array = ""; ///< the symbol of the time that follows, or ""
};

/// What a die is given to do: the first rows of kNandCommands.
enum class NandCommand : std::uint8_t {
    kRead,
    kProgram,
    kErase,
    kRegisterRead, ///< of what the page register still holds
    kCacheProgram, ///< another one of its blocks may follow (15h)
    kCopyBack,     ///< within a plane
    kReset
};

/// Of a command of one step that each die is given at the beginning of the run, in the order of the
/// rows, before the flash scheduler gives it one. It names no page, and changes none.
struct NandBeginning {
    std::uint8_t opcode = 0;                     ///< its first cycle; the others are its address
    bool (*given)(const NandTiming&) = nullptr;  ///< null: the command is no such one
    TimePs (*busy)(const NandTiming&) = nullptr; ///< of the die, after tWB
};

/// A row of the table of docs/nand-commands.md, which is printed from these. Each step but the
/// first begins when the die is ready after the one before.
struct NandCommandRow {
    const char* name;
    const char* keys; ///< that turn it on
    const char* of;   ///< what the first step is of, or with
    const char* out;  ///< what is before data out
    std::uint32_t steps;
    std::array<NandStep, 2> step;
    NandBeginning beginning = {};
};

inline constexpr std::array<NandStepRow, 13> kNandSteps{{
    {"command", [](const NandTiming& t) { return t.read_cycles; }, true, NandData::kNone, "command",
     "tR"},
    {"data in", [](const NandTiming& t) { return t.program_cycles; }, true, NandData::kIn,
     "command and data in", "tPROG"},
    {"command", [](const NandTiming& t) { return t.erase_cycles; }, true, NandData::kNone,
     "command", "tBERS"},
    // 00h where the status was asked for: no more of it.
    {"data out", [](const NandTiming& t) { return t.polls.on ? 1u : 0u; }, false, NandData::kOut,
     "data out"},
    {"copy read", [](const NandTiming& t) { return t.read_cycles; }, false, NandData::kNone,
     "command (00h-35h)", "tR"},
    {"copy program", [](const NandTiming& t) { return t.program_cycles; }, false, NandData::kNone,
     "command (85h-10h)", "tPROG"},
    {"cache read", [](const NandTiming&) { return 1u; }, false, NandData::kNone, "31h", "tRCBSY"},
    {"cache read", [](const NandTiming& t) { return t.read_cycles; }, true, NandData::kNone},
    {"cache end", [](const NandTiming&) { return 1u; }, false, NandData::kNone},
    {"suspend", [](const NandTiming& t) { return t.suspend.cycles; }, false, NandData::kNone,
     "command"},
    {"resume", [](const NandTiming& t) { return t.suspend.cycles; }, false, NandData::kNone},
    {"status", [](const NandTiming& t) { return t.polls.cycles; }, false, NandData::kStatus,
     "command, tWHR, status byte"},
    {"reset", [](const NandTiming&) { return 1u; }, false, NandData::kNone, "command", "tRST"},
}};
[[nodiscard]] constexpr const NandStepRow& row_of(NandStep step) {
    return kNandSteps[static_cast<std::size_t>(step)];
}

inline constexpr std::array<NandCommandRow, 14> kNandCommands{{
    {"read", "", "", "", 2, {NandStep::kRead, NandStep::kDataOut}},
    {"program", "", "", "", 1, {NandStep::kProgram}},
    {"erase", "", "", "", 1, {NandStep::kErase}},
    {"read of the page register",
     "`nand.column_change`",
     "",
     "column change, tCCS, ",
     1,
     {NandStep::kDataOut}},
    {"cache program",
     "`nand.cache_program`",
     " with 15h, the last with 10h, while the array works on the page before",
     "",
     1,
     {NandStep::kProgram}},
    {"copy-back", "`nand.copy_back`", "", "", 2, {NandStep::kCopyRead, NandStep::kCopyProgram}},
    {"reset",
     "`nand.reset`",
     "",
     "",
     1,
     {NandStep::kReset},
     {0xFF, [](const NandTiming& t) { return t.reset.on; },
      [](const NandTiming& t) { return t.reset.t_rst; }}},
    // The same of several pages.
    {"multi-plane program", "`nand.multi_plane`", " of each plane", "", 1, {NandStep::kProgram}},
    {"multi-plane read",
     "`nand.multi_plane_read`",
     " of each plane",
     "then each page by itself: column change, tCCS, ",
     2,
     {NandStep::kRead, NandStep::kDataOut}},
    {"multi-plane erase", "`nand.multi_plane_erase`", " of each plane", "", 1, {NandStep::kErase}},
    {"one-shot program",
     "`nand.one_shot`",
     " of each page of a word line",
     "",
     1,
     {NandStep::kProgram}},
    // What comes between the steps of others.
    {"cache read",
     "`nand.cache_read`",
     " (with the page, if it is not the next one; 3Fh for the last one)",
     "",
     2,
     {NandStep::kCacheNext, NandStep::kDataOut}},
    {"suspend, resume",
     "`nand.program_suspend`, `nand.erase_suspend`",
     "",
     "",
     1,
     {NandStep::kSuspend}},
    {"status poll", "`nand.ready`", "", "", 1, {NandStep::kStatus}},
}};
[[nodiscard]] constexpr const NandCommandRow& row_of(NandCommand command) {
    return kNandCommands[static_cast<std::size_t>(command)];
}
/// Whether it is one that dies are given at the beginning of the run.
[[nodiscard]] constexpr bool begins_run(NandCommand command) {
    return row_of(command).beginning.given != nullptr;
}

} // namespace cavern
