#pragma once

#include <array>
#include <cstddef>

#include "core/base/request_op.h"
#include "core/base/units.h"
#include "core/ftl/flash_op.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern {

// Words that several logs use.

[[nodiscard]] inline const char* name(Origin origin) {
    constexpr std::array<const char*, kOrigins> kNames{
        "host",   "gc",     "merge", "padding", "map",     "wear",      "recovery",
        "rescue", "failed", "rmw",   "fold",    "refresh", "checkpoint"};
    return kNames.at(static_cast<std::size_t>(origin));
}

/// Name of the array operation of a die, as data sheets call its time.
[[nodiscard]] inline const char* array_symbol(const NandExtension& command) {
    return begins_run(command.what)                ? row_of(row_of(command.what).step[0]).array
           : command.kind == FlashOpKind::kRead    ? "tR"
           : command.kind == FlashOpKind::kProgram ? "tPROG"
                                                   : "tBERS";
}

[[nodiscard]] inline const char* name(RequestOp op) {
    constexpr std::array<const char*, kRequestOps> kNames{"read", "write", "trim", "flush", "zone"};
    return kNames.at(static_cast<std::size_t>(op));
}

} // namespace cavern
