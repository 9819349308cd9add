#include "core/ftl/page_ftl.h"

#include <algorithm>
#include <string>

#include "core/base/check.h"
#include "core/ftl/page_ftl_fits.h"
#include "core/ftl/victim_policy_table.h"

namespace cavern {

namespace {

std::string name(BlockId block) {
    return "block " + std::to_string(raw(block));
}

std::unique_ptr<VictimPolicyIf> make_victim_policy(const FtlParams& params,
                                                   const Geometry& geometry,
                                                   const BlockStates& blocks,
                                                   const WriteClock& clock) {
    const VictimPolicyRow* row = find_victim_policy(params.gc_policy);
    CAVERN_CHECK(row != nullptr, "unknown victim policy " + params.gc_policy);
    return row->make({geometry, blocks, clock, params.seed, params.d_choices});
}

} // namespace

PageFtl::PageFtl(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log)
    : geometry_(geometry), pages_per_block_(geometry.pages_per_block),
      by_pages_per_block_(geometry.pages_per_block),
      by_blocks_per_plane_(geometry.blocks_per_plane), gc_low_(params.gc_low),
      gc_high_(params.gc_high), in_pages_(params.gc_in_pages), shared_(params.gc_shared_frontier),
      log_(log),
      l2p_(page_ftl_logical_pages(geometry, params.overprovision), Touches::kScattered),
      p2l_(geometry.pages()),
      blocks_(geometry.blocks()), pool_(geometry), planes_(geometry.planes()),
      victims_(make_victim_policy(params, geometry, blocks_, clock_)) {
    CAVERN_CHECK(gc_low_ >= 1 && gc_high_ > gc_low_, "the watermarks of collection cannot work");
    CAVERN_CHECK(pages_per_block_ <= 0xFFFFu && geometry.pages() < 0xFFFF'FFFFu,
                 "blocks or drive are too large for the map");
}

void PageFtl::write(Lpn lpn, PlaneId target, FlashOpList& ops) {
    CAVERN_CHECK(raw(lpn) < l2p_.size(),
                 "logical page " + std::to_string(raw(lpn)) + " is beyond the drive");
    Plane& plane = planes_[raw(target)];
    if (plane.host.next == plane.host.stop) {
        make_room(plane, target, ops);
    }
    // Only now: the collection may have moved the older version.
    if (const std::uint32_t old = l2p_[raw(lpn)]; old != 0) {
        invalidate(Ppn{old - 1});
    }
    const Ppn page = append(plane.host, target, lpn);
    ++plane.valid;
    ++counters_.host_pages;
    if (log_ != nullptr) {
        log_->program(Origin::kHost, lpn, page);
    }
    FlashOp& op = ops.emplace_back();
    op.kind = FlashOpKind::kProgram;
    op.page = page;
    op.lpn = lpn;
}

// As the general one, but without a virtual call for each page.
void PageFtl::write_unit(const UnitPage* pages, std::size_t count, FlashOpList& ops) {
    for (std::size_t i = 0; i < count; ++i) {
        if (pages[i].padding) {
            PageFtl::pad(pages[i].lpn, pages[i].target, ops);
        } else {
            PageFtl::write(pages[i].lpn, pages[i].target, ops);
        }
    }
}

void PageFtl::pad(Lpn lpn, PlaneId target, FlashOpList& ops) {
    Plane& plane = planes_[raw(target)];
    if (plane.host.next == plane.host.stop) {
        make_room(plane, target, ops);
    }
    const Ppn from = location(lpn);
    if (from != kNoPpn) {
        invalidate(from);
    }
    const Ppn to = append(plane.host, target, lpn);
    ++plane.valid;
    ++counters_.padding_pages;
    if (log_ != nullptr) {
        log_->program(Origin::kPadding, lpn, to);
    }
    const bool copies = from != kNoPpn;
    const auto read = static_cast<std::int32_t>(ops.size());
    if (copies) {
        ops.push_back({FlashOpKind::kRead, Origin::kPadding, from, lpn});
    }
    ops.push_back({FlashOpKind::kProgram, Origin::kPadding, to, lpn,
                   copies ? read : FlashOp::kNone, copies});
}

void PageFtl::make_room(Plane& plane, PlaneId target, FlashOpList& ops) {
    const bool low = in_pages_ ? free_pages(target) <= gc_low_ ||
                                     (!is_open(plane.host) && pool_.count(target) < 2)
                               : pool_.count(target) <= gc_low_;
    if (low) {
        collect(target, ops);
    }
    // With a shared frontier the collection may have left one open.
    Frontier& host = plane.host;
    if (!is_open(host)) {
        CAVERN_CHECK(pool_.count(target) >= 2,
                     "plane " + std::to_string(raw(target)) + " has no room for a host page");
        open(host, target);
    }
    host.stop = host.end;
    if (in_pages_) {
        // Free pages change only here and by host pages.
        const std::uint64_t free = free_pages(target);
        const std::uint64_t ahead = free > gc_low_ ? free - gc_low_ : 1;
        host.stop = static_cast<std::uint32_t>(std::min<std::uint64_t>(host.end, host.next + ahead));
    }
}

std::uint64_t PageFtl::free_pages(PlaneId id) const {
    const Plane& plane = planes_[raw(id)];
    return std::uint64_t{pool_.count(id)} * pages_per_block_ + (plane.host.end - plane.host.next) +
           (plane.gc.end - plane.gc.next);
}

Ppn PageFtl::read(Lpn lpn, FlashOpList&) {
    return location(lpn);
}

void PageFtl::trim(Lpn lpn, FlashOpList&) {
    const Ppn old = location(lpn);
    if (old != kNoPpn) {
        invalidate(old);
        l2p_[raw(lpn)] = 0;
    }
}

// Asks for a block of room, not a page: callers place a whole batch before they write it.
bool PageFtl::has_room(PlaneId target, Lpn) const {
    const Plane& plane = planes_[raw(target)];
    if (pool_.count(target) >= 2) {
        return true; // collecting a victim takes at most the one block it gives back
    }
    // Once the host block is full, collecting everything leaves the valid pages packed behind the
    // garbage that sits in the open collection block. What remains must be another block for the
    // host and the reserve. (Collection stops earlier at gc_high, which is at least these two.)
    const std::uint64_t host = plane.host.end - plane.host.next;
    const std::uint64_t garbage =
        is_open(plane.gc)
            ? pages_per_block_ - (plane.gc.end - plane.gc.next) - blocks_[plane.gc.block].valid
            : 0;
    const std::uint64_t pages = plane.valid + host + garbage;
    return (pages + pages_per_block_ - 1) / pages_per_block_ + 2 <= geometry_.blocks_per_plane;
}

Ppn PageFtl::location(Lpn lpn) const {
    CAVERN_CHECK(raw(lpn) < l2p_.size(),
                 "logical page " + std::to_string(raw(lpn)) + " is beyond the drive");
    const std::uint32_t entry = l2p_[raw(lpn)];
    return entry == 0 ? kNoPpn : Ppn{entry - 1};
}

std::uint64_t PageFtl::mapped_pages() const {
    std::uint64_t pages = 0;
    for (const Plane& plane : planes_) {
        pages += plane.valid;
    }
    return pages;
}

void PageFtl::open(Frontier& frontier, PlaneId plane) {
    const BlockId block = pool_.take(plane);
    const std::uint32_t first = raw(geometry_.page(block, 0));
    frontier = {raw(block), first, first + pages_per_block_, first + pages_per_block_};
    blocks_[raw(block)].use = BlockUse::kOpen;
    victims_->on_open(plane, block);
}

void PageFtl::close(Frontier& frontier, PlaneId plane) {
    BlockState& block = blocks_[frontier.block];
    block.use = BlockUse::kClosed;
    if (block.valid < pages_per_block_) {
        victims_->on_garbage(plane, BlockId{frontier.block});
    }
}

Ppn PageFtl::append(Frontier& frontier, PlaneId plane, Lpn lpn) {
    const std::uint32_t page = frontier.next++;
    p2l_[page] = static_cast<std::uint32_t>(raw(lpn));
    l2p_[raw(lpn)] = page + 1;
    ++blocks_[frontier.block].valid;
    if (!is_open(frontier)) {
        close(frontier, plane);
    }
    return Ppn{page};
}

void PageFtl::invalidate(Ppn page) {
    const BlockId id{by_pages_per_block_.divide(raw(page))};
    const PlaneId plane{by_blocks_per_plane_.divide(raw(id))};
    BlockState& block = blocks_[raw(id)];
    --block.valid;
    --planes_[raw(plane)].valid;
    if (block.use == BlockUse::kClosed) {
        victims_->on_garbage(plane, id);
    }
}

void PageFtl::collect(PlaneId plane, FlashOpList& ops) {
    while (wants_more(plane)) {
        const std::optional<BlockId> victim = victims_->choose(plane);
        if (!victim) {
            return;
        }
        relocate(*victim, plane, ops);
    }
}

bool PageFtl::wants_more(PlaneId plane) const {
    if (!in_pages_) {
        return pool_.count(plane) < gc_high_;
    }
    return free_pages(plane) < gc_high_ ||
           (!is_open(planes_[raw(plane)].host) && pool_.count(plane) < 2);
}

// Each victim has fewer valid pages than a block, so one free block suffices for its copies, and
// the erase gives one back: the pool is as full as before or fuller, and the free pages have grown.
void PageFtl::relocate(BlockId victim, PlaneId plane, FlashOpList& ops) {
    BlockState& block = blocks_[raw(victim)];
    const std::uint32_t copies = block.valid;
    if (log_ != nullptr) {
        log_->gc(victim, copies);
    }
    victims_->on_collect(plane, victim);
    Frontier& frontier = gc_frontier(planes_[raw(plane)]);
    std::int32_t last = FlashOp::kNone;
    // The places of the victim's pages in the map are scattered: have them fetched while the first
    // ones are looked at.
    for (std::uint32_t i = 0; i < pages_per_block_; ++i) {
        __builtin_prefetch(&l2p_[p2l_[raw(geometry_.page(victim, i))]], 1);
    }
    std::uint32_t copied = 0;
    for (std::uint32_t i = 0; copied < copies; ++i) {
        CAVERN_CHECK(i < pages_per_block_, name(victim) + " has fewer valid pages than counted");
        const Ppn from = geometry_.page(victim, i);
        if (!is_valid(from)) {
            continue;
        }
        const Lpn lpn{p2l_[raw(from)]};
        if (!is_open(frontier)) {
            open(frontier, plane);
        }
        const Ppn to = append(frontier, plane, lpn);
        if (log_ != nullptr) {
            log_->program(Origin::kGc, lpn, to);
        }
        const auto read = static_cast<std::int32_t>(ops.size());
        ops.push_back({FlashOpKind::kRead, Origin::kGc, from, lpn});
        ops.push_back({FlashOpKind::kProgram, Origin::kGc, to, lpn, read, true});
        last = read + 1;
        ++copied;
    }
    block.valid = 0;
    block.use = BlockUse::kFree;
    ++block.erases;
    pool_.give_back(victim);
    ops.push_back({FlashOpKind::kErase, Origin::kGc, geometry_.page(victim, 0), kNoLpn, last});
    counters_.gc_pages += copies;
    ++counters_.gc_runs;
    ++counters_.erases;
}

std::uint64_t PageFtl::check_invariants() const {
    std::uint64_t facts = 0;
    std::uint64_t valid = 0;
    for (std::uint32_t i = 0; i < geometry_.planes(); ++i) {
        facts += check_plane(PlaneId{i});
        valid += planes_[i].valid;
    }
    std::uint64_t mapped = 0;
    for (std::size_t i = 0; i < l2p_.size(); ++i) {
        mapped += l2p_[i] != 0 ? 1 : 0;
    }
    // With check_block this makes the map injective: as many physical pages name a logical page
    // that points back to them as there are logical pages that point anywhere.
    CAVERN_CHECK(mapped == valid, std::to_string(mapped) + " logical pages are mapped but " +
                                      std::to_string(valid) + " physical pages are valid");
    return facts + 1;
}

std::uint64_t PageFtl::check_plane(PlaneId id) const {
    const Plane& plane = planes_[raw(id)];
    const std::string where = "plane " + std::to_string(raw(id)) + ": ";
    std::uint64_t facts = 0;
    const std::vector<BlockId> free = pool_.list(id);
    for (const BlockId block : free) {
        CAVERN_CHECK(blocks_[raw(block)].use == BlockUse::kFree && blocks_[raw(block)].valid == 0,
                     name(block) + " is in the free pool and in use");
        ++facts;
    }
    std::size_t unused = geometry_.blocks_per_plane - pool_.first_fresh(id);
    std::uint64_t valid = 0;
    bool garbage = false;
    for (std::uint32_t i = 0; i < pool_.first_fresh(id); ++i) {
        const BlockId block = geometry_.block(id, i);
        const BlockState& state = blocks_[raw(block)];
        const bool frontier = (is_open(plane.host) && plane.host.block == raw(block)) ||
                              (is_open(plane.gc) && plane.gc.block == raw(block));
        CAVERN_CHECK(frontier == (state.use == BlockUse::kOpen),
                     name(block) + " is open without being a frontier, or the reverse");
        unused += state.use == BlockUse::kFree ? 1 : 0;
        garbage |= state.use == BlockUse::kClosed && state.valid < pages_per_block_;
        valid += state.valid;
        facts += check_block(block) + 1;
    }
    CAVERN_CHECK(unused == free.size(), where + "a free block is missing from the pool");
    CAVERN_CHECK(!free.empty(), where + "the reserve block is gone");
    CAVERN_CHECK(valid == plane.valid, where + "the valid pages are miscounted");
    const std::optional<BlockId> victim = victims_->choose(id);
    CAVERN_CHECK(victim.has_value() == garbage, where + "the candidates for collection are wrong");
    CAVERN_CHECK(!victim || (blocks_[raw(*victim)].use == BlockUse::kClosed &&
                             blocks_[raw(*victim)].valid < pages_per_block_),
                 where + "the next victim is no candidate");
    return facts + 5;
}

std::uint64_t PageFtl::check_block(BlockId block) const {
    std::uint32_t valid = 0;
    for (std::uint32_t i = 0; i < pages_per_block_; ++i) {
        valid += is_valid(geometry_.page(block, i)) ? 1 : 0;
    }
    CAVERN_CHECK(valid == blocks_[raw(block)].valid,
                 name(block) + " counts " + std::to_string(blocks_[raw(block)].valid) +
                     " valid pages and has " + std::to_string(valid));
    return std::uint64_t{pages_per_block_} + 1;
}

} // namespace cavern
