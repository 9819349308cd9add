#pragma once

#include "core/base/request_op.h"
#include "core/base/units.h"
#include "core/ftl/flash_op.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern {

// Words that several logs use.

[[nodiscard]] inline const char* name(Origin origin) {
    switch (origin) {
    case Origin::kHost:
        return "host";
    case Origin::kGc:
        return "gc";
    case Origin::kMerge:
        return "merge";
    case Origin::kPadding:
        return "padding";
    case Origin::kMapping:
        return "map";
    case Origin::kWear:
        return "wear";
    case Origin::kRescue:
        return "rescue";
    case Origin::kRmw:
        return "rmw";
    case Origin::kFold:
        return "fold";
    case Origin::kRefresh:
        return "refresh";
    case Origin::kFailed:
        return "failed";
    case Origin::kCheckpoint:
        return "checkpoint";
    case Origin::kRecovery:
        break;
    }
    return "recovery";
}

/// Name of the array operation of a die, as data sheets call its time.
[[nodiscard]] inline const char* array_symbol(const NandExtension& command) {
    return begins_run(command.what)                ? row_of(row_of(command.what).step[0]).array
           : command.kind == FlashOpKind::kRead    ? "tR"
           : command.kind == FlashOpKind::kProgram ? "tPROG"
                                                   : "tBERS";
}

[[nodiscard]] inline const char* name(RequestOp op) {
    switch (op) {
    case RequestOp::kRead:
        return "read";
    case RequestOp::kWrite:
        return "write";
    case RequestOp::kTrim:
        return "trim";
    case RequestOp::kFlush:
        return "flush";
    case RequestOp::kZone:
        break;
    }
    return "zone";
}

} // namespace cavern
