#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/base/lazy_array.h"
#include "core/base/page_numbers.h"
#include "core/ftl/page_ftl.h"
#include "firmware/twin/decision_guide.h"

namespace cavern {

/// A page-mapped translation layer whose operations are those that the firmware has answered. It
/// keeps account of where pages are and what is programmed, and throws ModelError for an operation
/// that cannot be: on a page beyond the drive; a program that is not of the next page of its block,
/// not of the page due, or does not say which place it supersedes; a copy of what was not read; a
/// read of a page that is not valid; an erase of a block with valid pages; a wait for an operation
/// that comes later.
class GuidedFtl final : public FtlIf, public IdleWorkIf {
  public:
    /// `log` may be null.
    GuidedFtl(DecisionGuide& guide, const Geometry& geometry, const FtlParams& params,
              DecisionLogIf* log);

    void write(Lpn lpn, PlaneId target, FlashOpList& ops) override;
    /// The firmware pads nothing: throws ModelError.
    void pad(Lpn lpn, PlaneId target, FlashOpList& ops) override;
    void write_unit(const UnitPage* pages, std::size_t count, FlashOpList& ops) override;
    void prefetch_hint(Lpn lpn) const override { place_.prefetch(raw(lpn)); }
    [[nodiscard]] Ppn read(Lpn lpn, FlashOpList&) override { return location(lpn); }
    [[nodiscard]] Ppn location(Lpn lpn) const override;
    [[nodiscard]] std::uint64_t mapped_pages() const override { return mapped_; }
    [[nodiscard]] std::optional<std::uint32_t> valid_count(BlockId block) const override {
        return blocks_[raw(block)].valid;
    }
    void trim(Lpn lpn, FlashOpList& ops) override;
    bool maintain(PlaneId plane, std::uint32_t copies, FlashOpList& ops) override;
    /// The firmware has chosen the plane: always.
    [[nodiscard]] bool has_room(PlaneId, Lpn) const override { return true; }
    [[nodiscard]] std::optional<DieId> destination(Lpn,
                                                   std::optional<DieId> target) const override {
        return target;
    }
    [[nodiscard]] std::uint64_t logical_pages() const override { return place_.size(); }
    [[nodiscard]] const FtlCounters& counters() const override { return counters_; }
    void reset_counters() override { counters_ = {}; }
    std::uint64_t check_invariants() const override;

  private:
    struct Block {
        std::uint32_t programmed; ///< pages, since the last erase
        std::uint32_t valid;
        std::uint32_t copied; ///< pages, by collection since then
    };

    /// Carries out the next operation of the answer. `due`: the host's page that it may program, or
    /// kNoLpn. True if it did.
    bool take_operation(Lpn due, FlashOpList& ops);
    /// All that are left. None of them is of the host.
    void take_rest(FlashOpList& ops);
    void read_copy(const FlashOp& op);
    void program(const FlashOp& op, const FlashOpList& before);
    void erase(const FlashOp& op);
    void invalidate(Ppn page);

    DecisionGuide& guide_;
    Geometry geometry_;
    bool in_steps_; ///< collection
    DecisionLogIf* log_;
    PageNumbers place_; ///< by logical page: physical page + 1, 0: none
    LazyArray<Block> blocks_;
    std::uint64_t mapped_ = 0;
    FtlCounters counters_;
};

} // namespace cavern
