#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workload/fio_job.h"
#include "workload/fio_values.h"

namespace cavern {

/// A section of a fio job file while it is read; [global] is the start of every later one.
struct FioDraft {
    FioJob job;
    std::uint64_t numjobs = 1;
    std::string ioengine = "psync";
    std::string random_generator = "tausworthe";
    bool direct = false;
    bool stonewall = false;
    bool new_group = false;
    bool exitall = false;
    std::string wait_for;           ///< name of a job; empty: none
    std::vector<std::string> notes; ///< on keys that mean nothing here
};

/// Reads an entry into the draft. Throws UserError for a key that is not known, or whose value
/// asks for what is not modelled.
void read_fio_entry(const FioEntry& entry, FioDraft& draft);

/// Whether fio 3.33 has an engine of that name that reads and writes a drive.
[[nodiscard]] bool is_fio_engine(std::string_view name);

/// What follows from several keys together: the queue of a synchronous engine, the map of random
/// places. Throws UserError at the job.
void settle_fio_draft(const std::string& file, FioDraft& draft);

} // namespace cavern
