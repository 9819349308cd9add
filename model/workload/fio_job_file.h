#pragma once

#include <string>

#include "workload/fio_job.h"

namespace cavern {

/// Reads a job file of fio 3.33: each key is honoured, or refused with its line, or says nothing
/// about the requests (docs/traces.md lists them). All jobs work on the drive, as though each named
/// it as its file. Throws UserError naming file and line.
[[nodiscard]] FioJobs load_fio_job_file(const std::string& path);
/// Reads a job file from text; `file` is for messages.
[[nodiscard]] FioJobs parse_fio_job_file(const std::string& text, const std::string& file);

/// Whether a workload of that name is a job file of fio, and not TOML.
[[nodiscard]] bool is_fio_job_file(const std::string& path);

} // namespace cavern
