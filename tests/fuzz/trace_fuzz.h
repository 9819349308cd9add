#pragma once

#include <string>

namespace cavern {

/// Reads `text` as a trace of the format of that name (empty: detected), from memory, through every
/// reader property that must hold whatever the bytes are: requests in order of time with a size
/// that is not zero, below byte 2^63, which written as csv are read the same again, or a UserError
/// of one printable line that names a line of the text. Anything else aborts. Returns the requests
/// read.
std::size_t check_trace_bytes(const std::string& format, const std::string& text);

/// The same for tables that --columns describes, by names and by numbers.
std::size_t check_table_bytes(const std::string& text);

/// The same for a workload, a fio job file or TOML: a description that passes check() and
/// generates, or a UserError. Returns the requests generated.
std::size_t check_job_bytes(const std::string& text);
std::size_t check_workload_bytes(const std::string& text);

/// Unpacks `bytes` (gzip, xz, zstd, or none of them) line by line: an end or a UserError. Returns
/// the lines.
std::size_t check_packed_bytes(const std::string& bytes);

/// One of the above by the name of what it reads: a format, "" (detected), "table", "job",
/// "workload", "packed".
std::size_t check_bytes(const std::string& reader, const std::string& bytes);

} // namespace cavern
