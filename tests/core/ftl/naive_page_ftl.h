#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "core/base/geometry.h"
#include "core/ftl/flash_op.h"
#include "core/ftl/ftl_params.h"

namespace cavern::testing {

/// Page mapping with dictionaries, lists and linear scans: the same rules, every operation
/// predicted.
class NaiveFtl {
  public:
    NaiveFtl(const Geometry& geometry, const FtlParams& params)
        : geometry_(geometry), params_(params), planes_(geometry.planes()),
          blocks_(geometry.blocks()) {
        for (std::uint32_t b = 0; b < geometry.blocks(); ++b) {
            planes_[b / geometry.blocks_per_plane].free.push_back(b);
        }
    }

    FlashOpList write(std::uint64_t lpn, std::uint32_t p) {
        FlashOpList ops;
        Plane& plane = planes_[p];
        if (!plane.host) {
            if (plane.free.size() <= params_.gc_low) {
                while (plane.free.size() < params_.gc_high) {
                    const std::optional<std::uint32_t> victim = best_victim(p);
                    if (!victim) {
                        break;
                    }
                    collect(*victim, plane, ops);
                }
            }
        }
        forget(lpn);
        const Ppn page = append(lpn, plane, plane.host);
        ops.push_back({FlashOpKind::kProgram, Origin::kHost, page, Lpn{lpn}});
        return ops;
    }
    void forget(std::uint64_t lpn) {
        const auto found = map_.find(lpn);
        if (found != map_.end()) {
            blocks_[found->second / geometry_.pages_per_block].content[found->second] = kNoLpn;
            map_.erase(found);
        }
    }
    [[nodiscard]] Ppn location(std::uint64_t lpn) const {
        const auto found = map_.find(lpn);
        return found == map_.end() ? kNoPpn : Ppn{found->second};
    }
    [[nodiscard]] std::uint32_t valid(std::uint32_t block) const {
        std::uint32_t n = 0;
        for (const auto& [page, lpn] : blocks_[block].content) {
            n += lpn != kNoLpn ? 1 : 0;
        }
        return n;
    }
    [[nodiscard]] std::vector<BlockId> free_blocks(std::uint32_t plane) const {
        std::vector<BlockId> ids;
        for (const std::uint32_t b : planes_[plane].free) {
            ids.push_back(BlockId{b});
        }
        return ids;
    }

  private:
    struct Plane {
        std::deque<std::uint32_t> free;
        std::optional<std::uint32_t> host;
        std::optional<std::uint32_t> gc;
    };
    struct Block {
        std::map<std::uint32_t, Lpn> content; // every programmed page; kNoLpn once invalid
        std::uint32_t erases = 0;
    };

    Ppn append(std::uint64_t lpn, Plane& plane, std::optional<std::uint32_t>& frontier) {
        if (!frontier) {
            frontier = plane.free.front();
            plane.free.pop_front();
        }
        Block& block = blocks_[*frontier];
        const auto page = static_cast<std::uint32_t>(*frontier * geometry_.pages_per_block +
                                                     block.content.size());
        block.content[page] = Lpn{lpn};
        map_[lpn] = page;
        if (block.content.size() == geometry_.pages_per_block) {
            frontier.reset();
        }
        return Ppn{page};
    }
    [[nodiscard]] std::optional<std::uint32_t> best_victim(std::uint32_t plane) const {
        std::optional<std::uint32_t> best;
        for (std::uint32_t i = 0; i < geometry_.blocks_per_plane; ++i) {
            const std::uint32_t b = plane * geometry_.blocks_per_plane + i;
            if (blocks_[b].content.size() < geometry_.pages_per_block ||
                valid(b) == geometry_.pages_per_block) {
                continue;
            }
            if (!best || valid(b) < valid(*best) ||
                (valid(b) == valid(*best) && blocks_[b].erases < blocks_[*best].erases)) {
                best = b;
            }
        }
        return best;
    }
    void collect(std::uint32_t victim, Plane& plane, FlashOpList& ops) {
        std::int32_t last = FlashOp::kNone;
        const std::map<std::uint32_t, Lpn> content = blocks_[victim].content;
        for (const auto& [page, lpn] : content) {
            if (lpn == kNoLpn) {
                continue;
            }
            ops.push_back({FlashOpKind::kRead, Origin::kGc, Ppn{page}, lpn});
            const Ppn to =
                append(raw(lpn), plane, params_.gc_shared_frontier ? plane.host : plane.gc);
            ops.push_back(FlashOp::copy(Origin::kGc, Ppn{page}, to, lpn,
                                        static_cast<std::int32_t>(ops.size()) - 1));
            last = static_cast<std::int32_t>(ops.size()) - 1;
        }
        ops.push_back({FlashOpKind::kErase, Origin::kGc, Ppn{victim * geometry_.pages_per_block},
                       kNoLpn, last});
        blocks_[victim].content.clear();
        ++blocks_[victim].erases;
        plane.free.push_back(victim);
    }

    Geometry geometry_;
    FtlParams params_;
    std::vector<Plane> planes_;
    std::vector<Block> blocks_;
    std::map<std::uint64_t, std::uint32_t> map_;
};

} // namespace cavern::testing
