#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/fio_values.h"
#include "workload/generator.h"
#include "workload/job_text.h"

namespace cavern {

/// A section of a fio job file while it is read; [global] is the start of every later one.
struct FioDraft {
    JobSpec job;
    std::optional<SizesText> sizes;
    std::optional<std::uint64_t> io_size;
    std::optional<std::uint64_t> size;
    std::optional<double> size_percent;
    std::optional<std::uint64_t> file_size; ///< filesize
    std::uint64_t numjobs = 1;
    std::uint64_t offset_increment = 0;
    std::uint64_t zone_size = 0;
    bool zoned = false;
    bool time_based = false;
    std::optional<TimePs> runtime;
    TimePs ramp = 0;
    bool stonewall = false;
    std::string wait_for;           ///< name of a job; empty: none
    std::vector<std::string> notes; ///< on keys that mean nothing here
};

/// Reads an entry into the draft. Throws UserError for a key that is not known, or whose value
/// asks for what is not modelled.
void read_fio_entry(const FioEntry& entry, FioDraft& draft);

} // namespace cavern
