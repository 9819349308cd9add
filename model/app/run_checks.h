#pragma once

#include "app/places.h"
#include "app/run.h"
#include "config/config_loader.h"

namespace cavern {

/// The configuration of a run, and every fault of its command line that is known before a file is
/// opened. Throws UserError.
[[nodiscard]] ResolvedConfig resolve(const RunOptions& options);

/// Throws UserError where the controller cannot decide as the configuration says (cpu.decides).
void check_decides(const ResolvedConfig& resolved);

/// What a run reads, where it was found.
[[nodiscard]] Places inputs_of(const RunOptions& options, const ResolvedConfig& resolved);
/// What it writes.
void add_outputs(const RunOptions& options, Places& places);

/// Throws what is being handled; a fault of firmware that the user has named, as UserError at the
/// place where it is named, and likewise of firmware that a debugger has changed.
[[noreturn]] void rethrow_as_users(const ResolvedConfig& resolved, bool debugger_changed = false);

} // namespace cavern
