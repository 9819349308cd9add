#pragma once

#include <cstdint>
#include <vector>

#include "firmware/lookup/cost/look_up_cycles.h"
#include "firmware/lookup/ftl_cache.h"

namespace cavern {

/// The data cache of `firmware/lookup`, built for the host, as a clerk of cycles: it is told of
/// each page that the drive reads or writes, looks it up as the firmware does, and says what that
/// takes the processor. Its frames hold what a buffer of as many pages holds that keeps pages read
/// and written in the order of their use, if the look-up knows one list; with several lists a
/// victim is that of its group.
class LookUpCost {
  public:
    struct Params {
        const LookUpCycles* cycles = nullptr;
        std::uint32_t frames = 0;
        std::uint64_t logical_pages = 0;
    };

    /// NULL, or what is wrong with the params.
    [[nodiscard]] static const char* why_not(const Params& params);

    /// No page is written. The params must be sound.
    explicit LookUpCost(const Params& params);
    LookUpCost(const LookUpCost&) = delete;
    LookUpCost& operator=(const LookUpCost&) = delete;

    /// The page is in flash from now on, as after preconditioning. At most once each.
    void prewrite(std::uint64_t page);

    /// The cycles of an access. A read of a page never written is not looked up and costs none.
    [[nodiscard]] double access(std::uint64_t page, bool writes);

    [[nodiscard]] const ftl_cache_counts& counts() const { return cache_.counts; }
    [[nodiscard]] const look_up_cost& cost() const { return cache_.cost; }

  private:
    const LookUpCycles& cycles_;
    std::vector<std::uint64_t> memory_;
    ftl_cache cache_{};
};

} // namespace cavern
