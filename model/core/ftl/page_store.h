#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/geometry.h"
#include "core/base/lazy_array.h"
#include "core/ftl/block_state.h"
#include "core/ftl/free_pool.h"
#include "core/ftl/ftl_params.h"
#include "core/ftl/greedy.h"
#include "core/ftl/mounted_drive.h"
#include "core/ftl/victim_policy.h"

namespace cavern {

/// The physical side of a page-mapped layer with several kinds of pages: for each plane the free
/// blocks, a block being filled by each stream, how many pages of a block are valid and who owns
/// them, and which block is collected next. Blocks hold pages of tables or pages of data, not both;
/// collection chooses among all of them by one policy, or, when asked to, among those of tables.
///
/// Owners are numbers the layer chooses. Memory: 4 bytes a physical page, about 30 a block;
/// untouched parts cost nothing.
class PageStore {
  public:
    enum class Stream : std::uint8_t { kHost, kCopy, kTable };
    static constexpr std::size_t kStreams = 3;

    /// Blocks are collected by params.gc_policy. `counters` are the layer's, which the ages of
    /// blocks are taken from; they must outlive the store.
    PageStore(const Geometry& geometry, const FtlParams& params, const FtlCounters& counters);

    /// The counters are about to be set to zero.
    void on_counters_reset() { clock_.on_reset(); }

    [[nodiscard]] std::uint32_t free_blocks(PlaneId plane) const { return pool_.count(plane); }
    /// Pages the open block of a stream can still take; 0 without one.
    [[nodiscard]] std::uint32_t room(PlaneId plane, Stream stream) const {
        return geometry_.pages_per_block - frontier(plane, stream).next;
    }
    /// Takes a free block, which there must be, for a stream that has none open.
    void open(PlaneId plane, Stream stream);
    /// The next page of the stream's open block becomes a valid page of `owner`.
    Ppn append(PlaneId plane, Stream stream, std::uint32_t owner);
    /// The same for `count` pages of as many owners from `owner` on; there must be room for them.
    Ppn append_run(PlaneId plane, Stream stream, std::uint32_t owner, std::uint32_t count);
    /// The open block of a stream takes no more pages, and can be collected as any other.
    void close(PlaneId plane, Stream stream);
    /// Pages of the open block of a stream that are not valid any more; 0 without one.
    [[nodiscard]] std::uint32_t garbage(PlaneId plane, Stream stream) const {
        const Frontier& f = frontier(plane, stream);
        return f.next == geometry_.pages_per_block ? 0 : f.next - blocks_[f.block].valid;
    }
    /// What flash holds after a loss of power (FtlIf::mount): owners are numbers of `drive.places`,
    /// those from `first_table` on are tables. Blocks left open go on to be filled by `copies`, or
    /// with tables.
    void mount(const MountedDrive& drive, std::uint64_t first_table, Stream copies);

    /// The page is not valid any more.
    void invalidate(Ppn page);

    /// The block to be collected next: closed, with garbage in it.
    [[nodiscard]] std::optional<BlockId> victim(PlaneId plane) { return victims_->choose(plane); }
    /// The same among blocks of tables: the one with the fewest valid pages.
    [[nodiscard]] std::optional<BlockId> table_victim(PlaneId plane) {
        return tables_.choose(plane);
    }
    /// It is about to be emptied: append its valid pages elsewhere, then release() it.
    void begin_collect(BlockId victim);
    /// The block goes back to the free ones.
    void release(BlockId victim);

    [[nodiscard]] bool holds_tables(BlockId block) const { return is_table_[raw(block)] != 0; }
    [[nodiscard]] std::uint32_t valid_pages(BlockId block) const {
        return blocks_[raw(block)].valid;
    }
    [[nodiscard]] std::uint32_t owner(Ppn page) const { return owners_[raw(page)]; }
    [[nodiscard]] std::uint32_t erase_count(BlockId block) const {
        return blocks_[raw(block)].erases;
    }
    [[nodiscard]] const Geometry& geometry() const { return geometry_; }

    /// Compares pools, frontiers, kinds and valid counts with what `is_valid(owner, page)` says of
    /// each page. Throws ModelError. Returns facts compared.
    template <typename IsValid>
    std::uint64_t check_invariants(IsValid is_valid) const {
        std::uint64_t facts = check_pools();
        for (std::uint32_t block = 0; block < geometry_.blocks(); ++block) {
            if (blocks_[block].use == BlockUse::kFree) {
                continue;
            }
            std::uint32_t valid = 0;
            for (std::uint32_t i = 0; i < geometry_.pages_per_block; ++i) {
                const Ppn page = geometry_.page(BlockId{block}, i);
                valid += i < next_page(BlockId{block}) && is_valid(owner(page), page) ? 1 : 0;
            }
            check_valid(BlockId{block}, valid);
            facts += geometry_.pages_per_block + 1;
        }
        return facts;
    }

  private:
    friend struct PageStoreProbe; // tests corrupt the state to see check_invariants notice

    struct Frontier {
        std::uint32_t block = 0;
        std::uint32_t next = 0; ///< pages_per_block: none open
    };
    using Plane = std::array<Frontier, kStreams>;

    [[nodiscard]] const Frontier& frontier(PlaneId plane, Stream stream) const {
        return planes_[raw(plane)][static_cast<std::size_t>(stream)];
    }
    void report_garbage(BlockId block);
    [[nodiscard]] std::uint32_t next_page(BlockId block) const;
    [[nodiscard]] std::uint64_t check_pools() const;
    void check_valid(BlockId block, std::uint32_t valid) const;

    Geometry geometry_;
    WriteClock clock_;
    LazyArray<std::uint32_t> owners_;
    BlockStates blocks_;
    LazyArray<std::uint8_t> is_table_; ///< by block in use
    FreePool pool_;
    std::vector<Plane> planes_;
    std::unique_ptr<VictimPolicyIf> victims_;
    Greedy tables_;
};

} // namespace cavern
