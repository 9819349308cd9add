#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/data/untimed_data.h"
#include "core/drive/drive_core.h"
#include "core/drive/steady_state.h"
#include "core/nand/nand_array.h"

namespace cavern {

/// State of the drive before the run starts.
struct Precondition {
    double fill = 0.0; ///< share of the logical pages written once, 0..1
    bool random_order = false;
    double overwrite = 0.0; ///< then this many times the filled pages, uniformly at random
    std::optional<SteadyState> until = std::nullopt; ///< and on, in rounds, until this holds
};

/// How it went, round by round; nothing without `until`.
struct PreconditionResult {
    std::vector<double> amplification; ///< programs a host page, of each round
    SteadyWindow window;               ///< the last rounds
    bool steady = false;
};

/// Brings FTL and array into that state at memory speed: the core decides, the array follows at
/// once, the write buffer is passed by. Counters of the core are reset afterwards; wear stays.
/// `watch`, if there is one, is told now and then how many pages are written of how many at most;
/// what it throws ends the work. `data`, which may be null, get what the drive makes.
using PreconditionWatch = std::function<void(std::uint64_t done, std::uint64_t most)>;
PreconditionResult precondition(DriveCore& core, NandArray& array, const Precondition& what,
                                std::uint64_t seed, const PreconditionWatch& watch = {},
                                UntimedData* data = nullptr);

/// Carries out a list of operations on the array in order, without time.
void apply_untimed(const FlashOpList& ops, NandArray& array);

} // namespace cavern
