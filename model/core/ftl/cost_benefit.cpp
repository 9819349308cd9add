#include "core/ftl/cost_benefit.h"

#include "core/base/check.h"
#include "core/base/wide.h"

namespace cavern {

CostBenefit::CostBenefit(const VictimContext& context)
    : pages_per_block_(context.geometry.pages_per_block), blocks_(context.blocks),
      clock_(context.clock), links_(context.geometry.blocks()),
      lists_(std::size_t{context.geometry.planes()} * context.geometry.pages_per_block) {}

// Time never runs backwards, so a list stays in the order of change when one is appended.
void CostBenefit::on_garbage(PlaneId plane, BlockId block) {
    const std::uint32_t entry = raw(block) + 1;
    Link& link = links_[raw(block)];
    const std::uint32_t valid = blocks_[raw(block)].valid;
    if (link.changed != 0) {
        unlink(list(plane, valid + 1), entry);
    }
    Ends& ends = list(plane, valid);
    link = {ends.newest, 0, clock_.now() + 1};
    (ends.newest != 0 ? links_[ends.newest - 1].newer : ends.oldest) = entry;
    ends.newest = entry;
}

void CostBenefit::on_collect(PlaneId plane, BlockId block) {
    Link& link = links_[raw(block)];
    CAVERN_CHECK(link.changed != 0, "a block that is no candidate is collected");
    unlink(list(plane, blocks_[raw(block)].valid), raw(block) + 1);
    link = {};
}

void CostBenefit::unlink(Ends& ends, std::uint32_t entry) {
    const Link& link = links_[entry - 1];
    (link.older != 0 ? links_[link.older - 1].newer : ends.oldest) = link.newer;
    (link.newer != 0 ? links_[link.newer - 1].older : ends.newest) = link.older;
}

std::optional<BlockId> CostBenefit::choose(PlaneId plane) {
    std::uint32_t best = head(list(plane, 0), true);
    for (std::uint32_t valid = 1; valid < pages_per_block_ && best == 0; ++valid) {
        best = head(list(plane, valid), false);
    }
    if (best == 0) {
        return std::nullopt;
    }
    if (blocks_[best - 1].valid == 0) {
        return BlockId{best - 1};
    }
    for (std::uint32_t valid = blocks_[best - 1].valid + 1u; valid < pages_per_block_; ++valid) {
        const std::uint32_t other = head(list(plane, valid), false);
        best = other != 0 && better(other, best) ? other : best;
    }
    return BlockId{best - 1};
}

std::uint32_t CostBenefit::head(const Ends& ends, bool whatever_its_age) const {
    std::uint32_t best = ends.oldest;
    if (best == 0) {
        return 0;
    }
    const std::uint64_t changed = links_[best - 1].changed;
    for (std::uint32_t entry = links_[best - 1].newer;
         entry != 0 && (whatever_its_age || links_[entry - 1].changed == changed);
         entry = links_[entry - 1].newer) {
        best = wins_tie(entry, best) ? entry : best;
    }
    return best;
}

bool CostBenefit::better(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t valid_a = blocks_[a - 1].valid;
    const std::uint32_t valid_b = blocks_[b - 1].valid;
    // age (N - v) / (2 v), without the common factor.
    const std::uint64_t now = clock_.now() + 1;
    const Uint128 score_a =
        Uint128{now - links_[a - 1].changed} * (pages_per_block_ - valid_a) * valid_b;
    const Uint128 score_b =
        Uint128{now - links_[b - 1].changed} * (pages_per_block_ - valid_b) * valid_a;
    return score_a != score_b ? score_a > score_b : wins_tie(a, b);
}

bool CostBenefit::wins_tie(std::uint32_t a, std::uint32_t b) const {
    const BlockState& x = blocks_[a - 1];
    const BlockState& y = blocks_[b - 1];
    return x.erases != y.erases ? x.erases < y.erases : a < b;
}

} // namespace cavern
