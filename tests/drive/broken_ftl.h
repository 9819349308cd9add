#pragma once

#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "core/ftl/ftl.h"

namespace cavern::testing {

/// How a BrokenFtl errs, once, at its `after`-th chance.
enum class Fault {
    kNone,
    kSwapPages,      ///< two programs of a block change places
    kLoseErase,      ///< a block is taken into use again without its erase
    kProgramTwice,   ///< a page is programmed a second time
    kReadElsewhere,  ///< a read is sent to the page of another logical page
    kReadOld,        ///< a read is sent to the page that held the version before
    kReadErased,     ///< a read is sent to a page not programmed
    kForgetMapping,  ///< a mapped page is reported as never written
    kWrongSpareArea, ///< a copy carries the number of another logical page
    kSupersedesNone  ///< from then on host pages do not say what they supersede
};

/// A translation layer in which one thing goes wrong; otherwise the one inside.
class BrokenFtl final : public FtlIf {
  public:
    BrokenFtl(std::unique_ptr<FtlIf> inner, const Geometry& geometry, Fault fault,
              std::uint32_t after)
        : inner_(std::move(inner)), geometry_(geometry), fault_(fault), after_(after) {
        parts_.map_cache = inner_->parts().map_cache;
        parts_.map_in_flash = inner_->parts().map_in_flash;
    }

    void write(Lpn lpn, PlaneId target, FlashOpList& ops) override {
        const std::size_t first = ops.size();
        const Ppn before = inner_->location(lpn);
        inner_->write(lpn, target, ops);
        note_old(lpn, before, first, ops);
        // Not always the last: a block that has become complete may be switched at once.
        std::size_t host = ops.size() - 1;
        while (ops[host].kind != FlashOpKind::kProgram || ops[host].origin != Origin::kHost) {
            --host;
        }
        FlashOp& program = ops[host];
        switch (fault_) {
        case Fault::kSwapPages:
            // This program takes the next page of its block, the one that follows there takes its
            // own.
            if (swapped_with_ != kNoPpn && program.page == swapped_with_) {
                program.page = Ppn{raw(program.page) - 1};
                swapped_with_ = kNoPpn;
            } else if (geometry_.page_in_block(program.page) + 1 < geometry_.pages_per_block &&
                       strike()) {
                program.page = swapped_with_ = Ppn{raw(program.page) + 1};
            }
            break;
        case Fault::kProgramTwice:
            if (geometry_.page_in_block(program.page) != 0 && strike()) {
                program.page = Ppn{raw(program.page) - 1};
            }
            break;
        case Fault::kWrongSpareArea:
            // Of a copy: that of a host page is compared at once by the core.
            for (std::size_t i = first; i < ops.size(); ++i) {
                if (ops[i].copies && strike()) {
                    ops[i].lpn = Lpn{raw(ops[i].lpn) == 0 ? 1 : raw(ops[i].lpn) - 1};
                }
            }
            break;
        case Fault::kLoseErase:
            lose_erase(first, ops);
            break;
        case Fault::kSupersedesNone:
            if (after_ == 0 || strike()) {
                program.supersedes = kNoPpn;
            }
            break;
        default:
            break;
        }
    }

    [[nodiscard]] Ppn read(Lpn lpn, FlashOpList& ops) override {
        const Ppn place = inner_->read(lpn, ops);
        if (place == kNoPpn) {
            return place;
        }
        if (fault_ == Fault::kForgetMapping && strike()) {
            return kNoPpn;
        }
        if (fault_ == Fault::kReadElsewhere && last_read_ != kNoPpn && last_read_ != place &&
            strike()) {
            return last_read_;
        }
        if (fault_ == Fault::kReadOld && old_.count(lpn) != 0 && strike()) {
            return old_[lpn];
        }
        if (fault_ == Fault::kReadErased && strike()) {
            // The last page of the last block: the drives of these tests never get there.
            return Ppn{static_cast<std::uint32_t>(geometry_.pages() - 1)};
        }
        last_read_ = place;
        return place;
    }

    [[nodiscard]] Ppn location(Lpn lpn) const override { return inner_->location(lpn); }
    [[nodiscard]] std::uint64_t mapped_pages() const override { return inner_->mapped_pages(); }
    void trim(Lpn lpn, FlashOpList& ops) override { inner_->trim(lpn, ops); }
    [[nodiscard]] bool has_room(PlaneId target, Lpn lpn) const override {
        return inner_->has_room(target, lpn);
    }
    void pad(Lpn lpn, PlaneId target, FlashOpList& ops) override { inner_->pad(lpn, target, ops); }
    [[nodiscard]] std::optional<DieId> destination(Lpn lpn,
                                                   std::optional<DieId> target) const override {
        return inner_->destination(lpn, target);
    }
    [[nodiscard]] std::uint64_t logical_pages() const override { return inner_->logical_pages(); }
    [[nodiscard]] const FtlCounters& counters() const override { return inner_->counters(); }
    [[nodiscard]] CounterView own_counters() const override { return inner_->own_counters(); }
    [[nodiscard]] std::uint64_t programs() const override { return inner_->programs(); }
    void reset_counters() override { inner_->reset_counters(); }
    std::uint64_t check_invariants() const override { return inner_->check_invariants(); }
    [[nodiscard]] std::optional<std::uint32_t> valid_count(BlockId block) const override {
        return inner_->valid_count(block);
    }

  private:
    bool strike() {
        if (after_ == 0) {
            return false;
        }
        return --after_ == 0;
    }

    /// Keeps where older versions are that are still there.
    void note_old(Lpn lpn, Ppn before, std::size_t first, const FlashOpList& ops) {
        if (before != kNoPpn) {
            old_[lpn] = before;
        }
        for (std::size_t i = first; i < ops.size(); ++i) {
            for (auto it = old_.begin(); ops[i].kind == FlashOpKind::kErase && it != old_.end();) {
                const bool erased =
                    geometry_.block_of(it->second) == geometry_.block_of(ops[i].page);
                it = erased ? old_.erase(it) : std::next(it);
            }
        }
    }

    /// A read of what the block still holds takes the erase's place.
    void lose_erase(std::size_t first, FlashOpList& ops) {
        for (std::size_t i = first; i < ops.size(); ++i) {
            if (ops[i].kind == FlashOpKind::kErase && ops[i].after != FlashOp::kNone && strike()) {
                const auto last_copy = static_cast<std::size_t>(ops[i].after);
                ops[i].kind = FlashOpKind::kRead;
                ops[i].page = ops[static_cast<std::size_t>(ops[last_copy].after)].page;
                ops[i].after = FlashOp::kNone;
            }
        }
    }

    std::unique_ptr<FtlIf> inner_;
    Geometry geometry_;
    Fault fault_;
    std::uint32_t after_;
    Ppn swapped_with_ = kNoPpn;
    Ppn last_read_ = kNoPpn;
    std::map<Lpn, Ppn> old_;
};

} // namespace cavern::testing
