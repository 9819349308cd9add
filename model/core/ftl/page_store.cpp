#include "core/ftl/page_store.h"

#include "core/base/check.h"
#include "core/ftl/victim_policy_table.h"

namespace cavern {

namespace {

std::unique_ptr<VictimPolicyIf> make_policy(const FtlParams& params, const Geometry& geometry,
                                            const BlockStates& blocks, const WriteClock& clock) {
    CAVERN_CHECK(params.gc_policy != nullptr, "a layer that collects has a victim policy");
    return params.gc_policy->make({geometry, blocks, clock, params.seed}, params.gc_params);
}

} // namespace

PageStore::PageStore(const Geometry& geometry, const FtlParams& params, const FtlCounters& counters)
    : geometry_(geometry), clock_(counters), owners_(geometry.pages()), blocks_(geometry.blocks()),
      is_table_(geometry.blocks()), pool_(geometry), planes_(geometry.planes()),
      victims_(make_policy(params, geometry, blocks_, clock_)), tables_(geometry, blocks_) {
    for (Plane& plane : planes_) {
        plane.fill({0, geometry.pages_per_block});
    }
}

void PageStore::open(PlaneId plane, Stream stream) {
    CAVERN_CHECK(room(plane, stream) == 0, "a stream that has an open block takes another");
    const BlockId block = pool_.take(plane);
    planes_[raw(plane)][static_cast<std::size_t>(stream)] = {raw(block), 0};
    blocks_[raw(block)].use = BlockUse::kOpen;
    is_table_[raw(block)] = stream == Stream::kTable ? 1 : 0;
    victims_->on_open(plane, block);
}

void PageStore::close(PlaneId plane, Stream stream) {
    CAVERN_CHECK(room(plane, stream) != 0, "a stream without an open block is closed");
    Frontier& f = planes_[raw(plane)][static_cast<std::size_t>(stream)];
    f.next = geometry_.pages_per_block;
    blocks_[f.block].use = BlockUse::kClosed;
    report_garbage(BlockId{f.block}); // of pages never written, if of no others
}

Ppn PageStore::append(PlaneId plane, Stream stream, std::uint32_t owner) {
    return append_run(plane, stream, owner, 1);
}

Ppn PageStore::append_run(PlaneId plane, Stream stream, std::uint32_t owner, std::uint32_t count) {
    CAVERN_CHECK(room(plane, stream) >= count, "a page is appended to a stream without a block");
    Frontier& f = planes_[raw(plane)][static_cast<std::size_t>(stream)];
    const BlockId id{f.block};
    const Ppn page = geometry_.page(id, f.next);
    f.next += count;
    for (std::uint32_t i = 0; i < count; ++i) {
        owners_[raw(page) + i] = owner + i;
    }
    BlockState& block = blocks_[raw(id)];
    block.valid = static_cast<decltype(block.valid)>(block.valid + count);
    if (f.next == geometry_.pages_per_block) {
        block.use = BlockUse::kClosed;
        if (block.valid < geometry_.pages_per_block) {
            report_garbage(id);
        }
    }
    return page;
}

void PageStore::mount(const MountedDrive& drive, std::uint64_t first_table, Stream copies) {
    pool_.take_all();
    for (std::uint64_t owner = 0; owner < drive.places.size(); ++owner) {
        if (drive.places[owner] == 0) {
            continue;
        }
        const Ppn page{drive.places[owner] - 1};
        const BlockId block = geometry_.block_of(page);
        owners_[raw(page)] = static_cast<std::uint32_t>(owner);
        ++blocks_[raw(block)].valid;
        is_table_[raw(block)] = owner >= first_table ? 1 : 0;
    }
    for (std::uint32_t block = 0; block < geometry_.blocks(); ++block) {
        const MountedDrive::Block& found = drive.blocks[block];
        blocks_[block].erases = found.erases;
        if (found.next == 0) {
            pool_.give_back(BlockId{block});
        }
    }
    for (const BlockId block : drive.filled) {
        const PlaneId plane = geometry_.plane_of(block);
        const MountedDrive::Block& found = drive.blocks[raw(block)];
        BlockState& state = blocks_[raw(block)];
        victims_->on_open(plane, block);
        state.use = BlockUse::kClosed;
        if (found.open && found.next < geometry_.pages_per_block) {
            const Stream stream = holds_tables(block) ? Stream::kTable : copies;
            CAVERN_CHECK(room(plane, stream) == 0, "one block of a kind goes on to be filled");
            planes_[raw(plane)][static_cast<std::size_t>(stream)] = {raw(block), found.next};
            state.use = BlockUse::kOpen;
        } else if (state.valid < geometry_.pages_per_block) {
            report_garbage(block);
        }
    }
}

void PageStore::invalidate(Ppn page) {
    const BlockId id = geometry_.block_of(page);
    BlockState& block = blocks_[raw(id)];
    --block.valid;
    if (block.use == BlockUse::kClosed) {
        report_garbage(id);
    }
}

void PageStore::report_garbage(BlockId block) {
    const PlaneId plane = geometry_.plane_of(block);
    victims_->on_garbage(plane, block);
    if (holds_tables(block)) {
        tables_.on_garbage(plane, block);
    }
}

void PageStore::begin_collect(BlockId victim) {
    const PlaneId plane = geometry_.plane_of(victim);
    victims_->on_collect(plane, victim);
    if (holds_tables(victim)) {
        tables_.on_collect(plane, victim);
    }
    // Not a candidate while its pages go: invalidate() must not report it again.
    blocks_[raw(victim)].use = BlockUse::kEmptied;
}

void PageStore::release(BlockId victim) {
    BlockState& block = blocks_[raw(victim)];
    CAVERN_CHECK(block.valid == 0, block_name(victim) + " is erased with valid pages in it");
    block.use = BlockUse::kFree;
    ++block.erases;
    pool_.give_back(victim);
}

std::uint32_t PageStore::next_page(BlockId block) const {
    for (const Frontier& f : planes_[raw(geometry_.plane_of(block))]) {
        if (f.block == raw(block) && f.next < geometry_.pages_per_block) {
            return f.next;
        }
    }
    return geometry_.pages_per_block;
}

std::uint64_t PageStore::check_pools() const {
    std::uint64_t facts = 0;
    for (std::uint32_t p = 0; p < geometry_.planes(); ++p) {
        const PlaneId plane{p};
        const std::vector<BlockId> free = pool_.list(plane);
        for (const BlockId block : free) {
            CAVERN_CHECK(blocks_[raw(block)].use == BlockUse::kFree,
                         block_name(block) + " is in the free pool and in use");
        }
        std::uint32_t unused = 0;
        for (std::uint32_t i = 0; i < geometry_.blocks_per_plane; ++i) {
            const BlockId block = geometry_.block(plane, i);
            const BlockUse use = blocks_[raw(block)].use;
            unused += use == BlockUse::kFree ? 1 : 0;
            CAVERN_CHECK((next_page(block) < geometry_.pages_per_block) == (use == BlockUse::kOpen),
                         block_name(block) + " is open without being filled, or the reverse");
        }
        CAVERN_CHECK(unused == free.size(),
                     "plane " + std::to_string(p) + " has lost a free block");
        facts += free.size() + geometry_.blocks_per_plane + 1;
    }
    return facts;
}

void PageStore::check_valid(BlockId block, std::uint32_t valid) const {
    CAVERN_CHECK(valid == valid_pages(block), block_name(block) + " counts " +
                                                  std::to_string(valid_pages(block)) +
                                                  " valid pages and has " + std::to_string(valid));
}

} // namespace cavern
