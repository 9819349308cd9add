#include "core/ftl/superblock.h"

#include <limits>

#include "core/base/check.h"
#include "core/ftl/ftl_why_not.h"

namespace cavern {

namespace {

std::uint64_t superblocks(const Geometry& geometry, const FtlParams& params) {
    const std::uint32_t blocks = own_params<SuperblockParams>(params).blocks;
    return (data_blocks(geometry, params.overprovision) + blocks - 1) / blocks;
}

} // namespace

Superblock::Superblock(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log)
    : Superblock(geometry, params, own_params<SuperblockParams>(params), log) {}

Superblock::Superblock(const Geometry& geometry, const FtlParams& params,
                       const SuperblockParams& own, DecisionLogIf* log)
    : pages_per_block_(geometry.pages_per_block), room_(own.blocks + own.updates),
      updates_(own.updates), by_unit_pages_(own.blocks * geometry.pages_per_block),
      by_pages_(geometry.pages_per_block),
      logical_pages_(exported_pages(geometry, params.overprovision)),
      data_blocks_(static_cast<std::uint32_t>(data_blocks(geometry, params.overprovision))),
      store_(geometry, params.strict_order, log), l2p_(logical_pages_), p2l_(geometry.pages()),
      valid_(geometry.blocks()), blocks_(superblocks(geometry, params) * room_),
      count_(superblocks(geometry, params)) {
    CAVERN_CHECK(!superblock_why_not(geometry, params), "the drive cannot hold its update blocks");
    parts_.mount = this;
    if (params.recovers) {
        store_.keep_blocks(1);
    }
}

void Superblock::check_range(Lpn lpn) const {
    CAVERN_CHECK(raw(lpn) < logical_pages_,
                 "logical page " + std::to_string(raw(lpn)) + " is beyond the drive");
}

std::uint32_t Superblock::limit(Unit unit) const {
    const std::uint32_t data = room_ - updates_;
    const std::uint32_t rest = data_blocks_ - unit * data;
    return (rest < data ? rest : data) + updates_;
}

void Superblock::write(Lpn lpn, PlaneId target, FlashOpList& ops) {
    put(lpn, target, Origin::kHost, ops);
}

void Superblock::pad(Lpn lpn, PlaneId target, FlashOpList& ops) {
    put(lpn, target, Origin::kPadding, ops);
}

Ppn Superblock::read(Lpn lpn, FlashOpList&) {
    return location(lpn);
}

Ppn Superblock::location(Lpn lpn) const {
    check_range(lpn);
    const std::uint32_t place = l2p_[raw(lpn)];
    return place == 0 ? kNoPpn : Ppn{place - 1};
}

void Superblock::trim(Lpn lpn, FlashOpList&) {
    check_range(lpn);
    unmap(lpn);
}

void Superblock::unmap(Lpn lpn) {
    std::uint32_t& place = l2p_[raw(lpn)];
    if (place != 0) {
        --valid_[by_pages_.divide(place - 1)];
        --mapped_;
        place = 0;
    }
}

void Superblock::map(Lpn lpn, Ppn place) {
    unmap(lpn);
    l2p_[raw(lpn)] = static_cast<std::uint32_t>(raw(place) + 1);
    p2l_[raw(place)] = static_cast<std::uint32_t>(raw(lpn));
    ++valid_[by_pages_.divide(raw(place))];
    ++mapped_;
}

void Superblock::put(Lpn lpn, PlaneId target, Origin origin, FlashOpList& ops) {
    check_range(lpn);
    const BlockId into = open_block(unit_of(lpn), target, ops);
    const std::uint32_t page = store_.next_page(into);
    map(lpn, store_.program(into, page, lpn, origin, location(lpn), ops));
}

BlockId Superblock::open_block(Unit unit, PlaneId target, FlashOpList& ops) {
    if (const std::uint32_t last = count_[unit];
        last != 0 && store_.next_page(block(unit, last - 1)) < pages_per_block_) {
        return block(unit, last - 1);
    }
    if (count_[unit] == limit(unit)) {
        reclaim(unit, ops);
        if (count_[unit] == limit(unit)) {
            return block(unit, count_[unit] - 1u);
        }
    }
    return add(unit, store_.take_near(target));
}

BlockId Superblock::add(Unit unit, BlockId block) {
    block_at(unit, count_[unit]++) = raw(block) + 1;
    return block;
}

// The cases of open_block(), in its order.
std::optional<DieId> Superblock::destination(Lpn lpn, std::optional<DieId> target) const {
    const Geometry& geometry = store_.geometry();
    const Unit unit = unit_of(lpn);
    if (count_[unit] != 0) {
        const BlockId last = block(unit, count_[unit] - 1u);
        if (store_.next_page(last) < pages_per_block_) {
            return geometry.die_of(geometry.plane_of(last));
        }
    }
    if (count_[unit] == limit(unit)) {
        const BlockId victim = block(unit, victim_of(unit));
        if (valid_pages(victim) != 0) {
            return store_.die_near(geometry.plane_of(victim));
        }
    }
    return store_.die_near(target);
}

std::uint32_t Superblock::victim_of(Unit unit) const {
    std::uint32_t at = 0;
    for (std::uint32_t i = 1; i < count_[unit]; ++i) {
        if (valid_pages(block(unit, i)) < valid_pages(block(unit, at))) {
            at = i;
        }
    }
    return at;
}

void Superblock::reclaim(Unit unit, FlashOpList& ops) {
    const std::uint32_t at = victim_of(unit);
    const BlockId victim = block(unit, at);
    for (std::uint32_t i = at + 1; i < count_[unit]; ++i) {
        block_at(unit, i - 1) = block_at(unit, i);
    }
    block_at(unit, --count_[unit]) = 0;
    const std::uint32_t copies = valid_pages(victim);
    if (copies == 0) {
        store_.erase(victim, FlashOp::kNone, ops);
        store_.count_reclaim(victim);
        return;
    }
    CAVERN_CHECK(copies < pages_per_block_, "a superblock has no invalid page left to reclaim");
    const Geometry& geometry = store_.geometry();
    const BlockId into = add(unit, store_.take_near(geometry.plane_of(victim)));
    for (std::uint32_t page = 0; page < pages_per_block_; ++page) {
        const Ppn from = geometry.page(victim, page);
        const Lpn lpn{p2l_[raw(from)]};
        if (l2p_[raw(lpn)] == raw(from) + 1) {
            map(lpn, store_.copy(from, into, store_.next_page(into), lpn, Origin::kMerge, ops));
        }
    }
    store_.erase(victim, static_cast<std::int32_t>(ops.size()) - 1, ops);
    store_.count_merge(MergeKind::kPartial, Lbn{unit}, copies, 1);
}

std::uint64_t Superblock::check_invariants() const {
    const Geometry& geometry = store_.geometry();
    std::vector<bool> in_use(geometry.blocks(), false);
    std::vector<std::uint32_t> valid(geometry.blocks(), 0);
    std::uint64_t mapped = 0;
    for (std::uint64_t page = 0; page < logical_pages_; ++page) {
        const Ppn place = location(Lpn{page});
        if (place == kNoPpn) {
            continue;
        }
        const BlockId block = geometry.block_of(place);
        CAVERN_CHECK(p2l_[raw(place)] == page &&
                         geometry.page_in_block(place) < store_.next_page(block),
                     "logical page " + std::to_string(page) +
                         " is mapped to a page that is not programmed with it");
        ++mapped;
        ++valid[raw(block)];
    }
    CAVERN_CHECK(mapped == mapped_, "the number of mapped pages is not as counted");
    std::uint64_t facts = 2 * mapped + 1;
    std::uint64_t in_superblocks = 0;
    for (Unit unit = 0; unit < count_.size(); ++unit) {
        const std::string name = "superblock " + std::to_string(unit);
        CAVERN_CHECK(count_[unit] <= limit(unit), name + " has more blocks than it may");
        for (std::uint32_t i = 0; i < count_[unit]; ++i) {
            const BlockId each = block(unit, i);
            CAVERN_CHECK(!in_use[raw(each)], "block " + std::to_string(raw(each)) +
                                                 " is in two superblocks, or twice in one");
            in_use[raw(each)] = true;
            CAVERN_CHECK(valid[raw(each)] == valid_pages(each),
                         "block " + std::to_string(raw(each)) + " counts " +
                             std::to_string(valid_pages(each)) + " valid pages and has " +
                             std::to_string(valid[raw(each)]));
            CAVERN_CHECK(i + 1u == count_[unit] || store_.next_page(each) == pages_per_block_,
                         name + " has two open blocks");
            for (std::uint32_t page = 0; page < store_.next_page(each); ++page) {
                const Lpn lpn{p2l_[raw(geometry.page(each, page))]};
                CAVERN_CHECK(unit_of(lpn) == unit, name + " holds a page of another");
            }
            in_superblocks += valid[raw(each)];
            facts += 3 + store_.next_page(each);
        }
    }
    CAVERN_CHECK(in_superblocks == mapped, "a page is mapped to a block of no superblock");
    CAVERN_CHECK(store_.free_blocks() >= 1, "the drive has no block left to copy into");
    return facts + 2 + store_.check_invariants(in_use);
}

std::optional<std::string> superblock_why_not(const Geometry& geometry, const FtlParams& params) {
    if (const auto problem = drive_fits(geometry, params)) {
        return problem;
    }
    const auto own = own_params<SuperblockParams>(params);
    if (own.blocks == 0 || own.updates == 0) {
        return "a superblock without data blocks or without update blocks; at least 1 of each";
    }
    const std::uint64_t room = std::uint64_t{own.blocks} + own.updates;
    if (room > std::numeric_limits<std::uint16_t>::max()) {
        return "a superblock of " + std::to_string(room) +
               " blocks is too large; at most 65535 with its update blocks";
    }
    return drive_spare_fits(geometry, params.overprovision,
                            superblocks(geometry, params) * own.updates + (params.recovers ? 2 : 1),
                            params.recovers ? "ftl.superblock.updates for each superblock + 2"
                                            : "ftl.superblock.updates for each superblock + 1");
}

} // namespace cavern
