#pragma once

#include <cstdint>
#include <vector>

#include "core/base/divisor.h"
#include "core/base/flat_map.h"
#include "core/base/lazy_array.h"
#include "core/base/strong_id.h"

namespace cavern {

class StateArchive;

/// Log blocks that take pages of any logical block, and the map from logical page to its newest
/// version among them: the fully associative log of FAST. Blocks have a slot each and an order, in
/// which they were opened; each is filled from its first page on. O(1) per call.
///
/// A position names a page of the log: slot * pages per block + page.
class SharedLog {
  public:
    static constexpr std::uint32_t kNone = FlatMap::kNone;

    /// Room for `most` blocks; the map grows with what they hold. `associates`: keeps associated()
    /// true.
    SharedLog(std::uint32_t most, std::uint32_t pages_per_block, bool associates = false);

    [[nodiscard]] std::uint32_t most() const { return static_cast<std::uint32_t>(slots_.size()); }
    /// Blocks that are open or full of pages, valid or not.
    [[nodiscard]] std::uint32_t used() const { return used_; }
    /// Slot opened first, or kNone.
    [[nodiscard]] std::uint32_t oldest() const { return oldest_; }
    /// Slot opened after that one, or kNone.
    [[nodiscard]] std::uint32_t newer(std::uint32_t slot) const { return slots_[slot].newer; }

    /// Adds an erased block; returns its slot.
    std::uint32_t open(BlockId block);
    /// The block has been erased; none of its pages may be valid.
    void close(std::uint32_t slot);

    [[nodiscard]] BlockId block(std::uint32_t slot) const { return slots_[slot].block; }
    [[nodiscard]] std::uint32_t filled(std::uint32_t slot) const { return slots_[slot].filled; }
    [[nodiscard]] bool is_full(std::uint32_t slot) const {
        return slots_[slot].filled == pages_per_block_;
    }
    /// Pages of the block that are the newest version of theirs.
    [[nodiscard]] std::uint32_t valid(std::uint32_t slot) const { return slots_[slot].valid; }

    /// Logical blocks that its valid pages belong to.
    [[nodiscard]] std::uint32_t associated(std::uint32_t slot) const {
        return slots_[slot].associated;
    }

    /// Notes that the next page of the block holds the newest version of `lpn`.
    void append(std::uint32_t slot, Lpn lpn);
    /// The log's version of `lpn`, if there is one, is not valid any more.
    void drop(Lpn lpn);

    /// Position of the newest version of `lpn`, or kNone.
    [[nodiscard]] std::uint32_t find(Lpn lpn) const { return map_.find(raw(lpn)); }
    [[nodiscard]] std::uint32_t slot_of(std::uint32_t position) const {
        return by_pages_.divide(position);
    }
    [[nodiscard]] std::uint32_t page_of(std::uint32_t position) const {
        return position - slot_of(position) * pages_per_block_;
    }
    /// Logical page written there.
    [[nodiscard]] Lpn lpn_at(std::uint32_t slot, std::uint32_t page) const {
        return Lpn{lpns_[std::size_t{slot} * pages_per_block_ + page]};
    }
    /// Whether that is still its newest version.
    [[nodiscard]] bool is_valid(std::uint32_t slot, std::uint32_t page) const {
        return page < filled(slot) && find(lpn_at(slot, page)) == slot * pages_per_block_ + page;
    }

    /// Checks order and counts; throws ModelError. Returns how many facts were compared.
    std::uint64_t check_invariants() const;
    void serialize(StateArchive& archive);

  private:
    struct Slot {
        BlockId block{};
        std::uint32_t filled = 0;
        std::uint32_t valid = 0;
        std::uint32_t associated = 0;
        std::uint32_t older = kNone;
        std::uint32_t newer = kNone; ///< of a closed slot: the next closed one
    };

    [[nodiscard]] std::uint64_t pair_of(std::uint32_t slot, Lpn lpn) const {
        const auto page = static_cast<std::uint32_t>(raw(lpn));
        return std::uint64_t{slot} << 32 | by_pages_.divide(page);
    }
    void associate(std::uint32_t slot, Lpn lpn);
    void dissociate(std::uint32_t slot, Lpn lpn);

    std::uint32_t pages_per_block_;
    bool associates_;
    Divisor by_pages_;
    std::vector<Slot> slots_;
    std::uint32_t used_ = 0;
    std::uint32_t oldest_ = kNone;
    std::uint32_t newest_ = kNone;
    std::uint32_t closed_ = kNone;
    LazyArray<std::uint32_t> lpns_; ///< by position
    FlatMap map_;                   ///< logical page -> position, of valid pages
    FlatMap pairs_;                 ///< slot and logical block -> valid pages, where there are some
};

} // namespace cavern
