#pragma once

#include <string>

namespace cavern {

/// Reads `text` as a trace of the format of that name (empty: detected), from memory, through every
/// reader property that must hold whatever the bytes are: requests in order of time with a size that
/// is not zero, below byte 2^63, or a UserError of one printable line that names a line of the text.
/// Anything else aborts. Returns the requests read.
std::size_t check_trace_bytes(const std::string& format, const std::string& text);

/// The same for a fio job file: a description that passes check() and generates, or a UserError.
void check_job_bytes(const std::string& text);

} // namespace cavern
