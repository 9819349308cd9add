#pragma once

#include <string>

namespace cavern {

/// Files that are being written, under temporary names. What ends the process by a signal (Ctrl-C,
/// termination, hang-up) takes them along; what ends it without a word (kill -9) leaves them to the
/// next that writes the same file.

/// `target` with the number of this process.
[[nodiscard]] std::string part_of(const std::string& target);
void note_part(const std::string& part);
void forget_part(const std::string& part);
/// Those of `target` that a process left which is no more.
void sweep_parts(const std::string& target);
/// From now on SIGINT, SIGTERM and SIGHUP remove what is noted, before they end the process as
/// ever; one that is ignored stays so.
void remove_parts_on_signals();
/// Callable in a signal handler.
void remove_parts();

} // namespace cavern
