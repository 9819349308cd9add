#include "core/ftl/mcsplit.h"

#include "core/base/check.h"
#include "core/ftl/ftl_why_not.h"

namespace cavern {

namespace {

std::uint32_t stripe_of(const Geometry& geometry, const FtlParams& params) {
    const std::uint32_t stripe = own_params<McSplitParams>(params).stripe;
    return stripe == 0 ? geometry.channels : stripe;
}

std::uint64_t mcsplit_superblocks(const Geometry& geometry, const FtlParams& params) {
    const std::uint64_t pages =
        std::uint64_t{stripe_of(geometry, params)} * geometry.pages_per_block;
    return (exported_pages(geometry, params.overprovision) + pages - 1) / pages;
}

} // namespace

McSplit::McSplit(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log)
    : BlockLogFtl(geometry, params,
                  {stripe_of(geometry, params), geometry.planes_per_die, 1,
                   params.log_blocks / stripe_of(geometry, params)},
                  log),
      stripe_(stripe_of(geometry, params)) {
    CAVERN_CHECK(!mcsplit_why_not(geometry, params), "the drive cannot hold its log superblocks");
    for (std::uint32_t plane = 0; plane < geometry.planes_per_die; ++plane) {
        for (std::uint32_t slot = 0; slot < geometry.dies_per_channel(); ++slot) {
            for (std::uint32_t channel = 0; channel < geometry.channels; channel += stripe_) {
                homes_.push_back(geometry.plane(geometry.die_at(ChannelId{channel}, slot), plane));
            }
        }
    }
    if (params.recovers) {
        store().keep_block_of_each_plane();
    }
}

// No block changes its plane: each has one kept for the mount.
MountNeeds McSplit::mount_needs() const {
    MountNeeds needs;
    needs.columns = stripe_;
    return needs;
}

void McSplit::write(Lpn lpn, PlaneId, FlashOpList& ops) {
    put(lpn, home(unit_of(lpn)), Origin::kHost, ops);
}

void McSplit::pad(Lpn lpn, PlaneId, FlashOpList& ops) {
    put(lpn, home(unit_of(lpn)), Origin::kPadding, ops);
}

std::uint64_t McSplit::check_invariants() const {
    std::uint64_t facts = 0;
    for (Unit unit = 0; unit < units(); ++unit) {
        if (is_placed(unit)) {
            CAVERN_CHECK(home_of(unit) == home(unit),
                         "superblock " + std::to_string(unit) + " is not where its number says");
            ++facts;
        }
    }
    return facts + BlockLogFtl::check_invariants();
}

std::optional<std::string> mcsplit_why_not(const Geometry& geometry, const FtlParams& params) {
    if (const auto problem = drive_fits(geometry, params)) {
        return problem;
    }
    const std::uint32_t stripe = stripe_of(geometry, params);
    if (geometry.channels % stripe != 0) {
        return "ftl.mcsplit.stripe = " + std::to_string(stripe) + " does not divide the " +
               std::to_string(geometry.channels) + " channels; a divisor of them, or 0 for all";
    }
    const std::uint64_t logs = params.log_blocks / stripe;
    if (logs == 0) {
        return "ftl.log_blocks = " + std::to_string(params.log_blocks) +
               " makes no superblock of " + std::to_string(stripe) + "; at least " +
               std::to_string(stripe);
    }
    const std::uint64_t homes = std::uint64_t{geometry.planes()} / stripe;
    const std::uint64_t data = (mcsplit_superblocks(geometry, params) + homes - 1) / homes;
    return params.recovers ? spare_fits(geometry, data, logs + 2, "ftl.log_blocks / stripe + 2")
                           : spare_fits(geometry, data, logs + 1, "ftl.log_blocks / stripe + 1");
}

} // namespace cavern
