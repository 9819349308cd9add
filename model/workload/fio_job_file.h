#pragma once

#include <string>

#include "workload/generator.h"

namespace cavern {

/// Reads the part of a fio job file that says what is read and written where and how fast:
/// [global], jobs, readwrite, rwmixread, rwmixwrite, blocksize, bssplit, size, io_size, offset,
/// offset_increment, number_ios, numjobs, loops, iodepth, rate, rate_iops, rate_process, thinktime,
/// thinktime_blocks, startdelay, runtime, random_distribution, percentage_random, randseed, fsync,
/// fdatasync, with fio's units (k is 1024, times in its default units). What says how fio does it
/// (ioengine, direct, filename, verify ...) is ignored; anything else is a UserError naming file
/// and line, as is what needs fio's clock (time_based without a rate) or order (stonewall). All
/// jobs run together on one address space. Random offsets repeat (fio's norandommap).
[[nodiscard]] GeneratorSpec load_fio_job_file(const std::string& path);
/// Reads a job file from text; `file` is for messages.
[[nodiscard]] GeneratorSpec parse_fio_job_file(const std::string& text, const std::string& file);

} // namespace cavern
