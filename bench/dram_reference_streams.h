#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "timed/dram/fr_fcfs_scheduler.h"

namespace cavern {

/// One access of 64 bytes, issued at clock `earliest` or when the queue takes it.
struct ReferenceAccess {
    DramClock earliest;
    std::uint64_t address;
    bool is_write;
};

/// The part of configs/dram/ddr3-1600-2gb-x16.toml.
[[nodiscard]] SdramTiming ddr3_1600_2gb_x16();
/// The parts of configs/dram/ddr4-3200.toml and lpddr4-3200.toml.
[[nodiscard]] SdramTiming ddr4_3200();
[[nodiscard]] SdramTiming lpddr4_3200();

/// Names of the address streams, "a_seq_rd" to "j_single_rd_1us".
[[nodiscard]] const std::vector<std::string>& reference_stream_names();

/// The 100,000 accesses of one stream; tests/reference/README.md defines them. Throws ModelError
/// for an unknown name.
[[nodiscard]] std::vector<ReferenceAccess> make_reference_stream(const std::string& name);

struct ReferenceRun {
    std::uint64_t accesses = 0;
    DramClock clocks = 0;        ///< end of the last data
    std::uint64_t refreshes = 0; ///< REF commands due up to that clock
    SdramStatistics statistics;
    double bytes_per_second = 0.0;
};

/// Runs `stream`, each access `bytes` long. With `one_outstanding` an access is issued one clock
/// after the end of the one before; else as soon as its clock has come.
[[nodiscard]] ReferenceRun run_stream(const std::vector<ReferenceAccess>& stream,
                                      const SdramTiming& timing, std::uint32_t bank_queue_depth,
                                      bool one_outstanding, std::uint32_t bytes = 64);

} // namespace cavern
