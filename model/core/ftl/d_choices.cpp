#include "core/ftl/d_choices.h"

#include <algorithm>
#include <array>

#include "core/base/check.h"

namespace cavern {

namespace {

/// Rounded down, at least 1: what MQSim draws (Tavakkol et al., FAST 2018, its source).
std::uint32_t usual_choices(std::uint32_t blocks) {
    std::uint32_t log = 0;
    while (blocks >> (log + 1) != 0) {
        ++log;
    }
    return std::max(log, 1u);
}

} // namespace

std::optional<std::string> DChoicesParams::why_not() const {
    if (d <= kMost) {
        return std::nullopt;
    }
    return "ftl.d-choices.d = " + std::to_string(d) + " is too large; at most " +
           std::to_string(kMost);
}

DChoices::DChoices(const VictimContext& context, const Params& params)
    : seed_(context.seed),
      d_(params.d != 0 ? params.d : usual_choices(context.geometry.blocks_per_plane)),
      blocks_(context.blocks), candidates_(context.geometry) {
    CAVERN_CHECK(!params.why_not(), "d-choices looks at too many blocks");
}

std::optional<BlockId> DChoices::choose(PlaneId plane) {
    const std::uint32_t count = candidates_.count(plane);
    std::optional<BlockId> best;
    const auto look_at = [&](std::uint32_t i) {
        const BlockId block = candidates_.at(plane, i);
        best = !best || better(block, *best) ? block : *best;
    };
    if (count <= d_) {
        for (std::uint32_t i = 0; i < count; ++i) {
            look_at(i);
        }
        return best;
    }
    Random random = candidates_.random(plane, seed_);
    std::array<std::uint32_t, DChoicesParams::kMost> drawn{};
    for (std::uint32_t n = 0; n < d_;) {
        const auto i = static_cast<std::uint32_t>(random.below(count));
        if (std::find(drawn.begin(), drawn.begin() + n, i) == drawn.begin() + n) {
            drawn[n++] = i;
            look_at(i);
        }
    }
    return best;
}

bool DChoices::better(BlockId a, BlockId b) const {
    const BlockState& x = blocks_[raw(a)];
    const BlockState& y = blocks_[raw(b)];
    if (x.valid != y.valid) {
        return x.valid < y.valid;
    }
    return x.erases != y.erases ? x.erases < y.erases : raw(a) < raw(b);
}

} // namespace cavern
