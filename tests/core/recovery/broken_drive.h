#pragma once

#include <cstdint>
#include <memory>

#include "core/recovery/pending_operations.h"
#include "core/recovery/power_cuts.h"
#include "core/recovery/spare_scan.h"

namespace cavern::testing {

/// Cuts of a drive whose operations under way are a `Pending`, in which a rule is broken.
template <typename Pending>
class CutsAmid final : public PowerCuts {
  public:
    using PowerCuts::PowerCuts;

  private:
    [[nodiscard]] std::unique_ptr<PendingOperations>
    make_pending(NandArray& array, std::uint32_t word_line, std::uint64_t seed) const override {
        return std::make_unique<Pending>(array, word_line, seed);
    }
};

/// Cuts of a drive whose recovery reads the flash by a `Scan`, likewise.
template <typename Scan>
class CutsReadBy final : public PowerCuts {
  public:
    using PowerCuts::PowerCuts;

  private:
    [[nodiscard]] std::unique_ptr<SpareScan> make_scan(const NandArray& array,
                                                       std::uint64_t numbers) const override {
        return std::make_unique<Scan>(array, numbers);
    }
};

/// Sequence numbers are ignored: the page found last is taken, which may be stale.
class ScanWithoutSequence final : public SpareScan {
  public:
    using SpareScan::SpareScan;

  private:
    [[nodiscard]] bool is_newer(PageVersion, PageVersion) const override { return true; }
};
using NoSequence = CutsReadBy<ScanWithoutSequence>;

} // namespace cavern::testing
