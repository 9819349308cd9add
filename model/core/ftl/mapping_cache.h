#pragma once

#include <cstdint>

#include "core/base/flat_map.h"
#include "core/base/lazy_array.h"
#include "core/base/strong_id.h"

namespace cavern {

class StateArchive;

/// The cached mapping table of DFTL (Gupta et al., ASPLOS 2009, section 3.2): for some logical
/// pages where they are, in order of use, and which of these entries differ from the translation
/// pages in flash. Dirty entries are also listed by translation page, so that writing one back
/// looks at nothing else.
///
/// Order of use: one list, least recently used first; or, segmented, a probationary list for
/// entries used once and a protected one, of at most half the capacity, for those used again
/// (Karedla et al., "Caching strategies to improve disk system performance", IEEE Computer 1994).
/// O(1) per call.
///
/// Entries are numbered; a number is valid until its entry is removed. Memory: about 60 bytes for
/// each entry ever in use at once.
class MappingCache {
  public:
    static constexpr std::uint32_t kNone = 0xFFFF'FFFFu;

    /// `capacity` entries >= 1 at the start, never more than `most`. `tables`: translation pages.
    MappingCache(std::uint32_t capacity, std::uint32_t most, std::uint32_t tables, bool segmented);

    [[nodiscard]] std::uint32_t size() const { return size_; }
    [[nodiscard]] std::uint32_t capacity() const { return capacity_; }
    [[nodiscard]] std::uint32_t most() const { return static_cast<std::uint32_t>(entries_.size()); }
    [[nodiscard]] bool is_full() const { return size_ >= capacity_; }
    /// From now on so many entries (clipped to 1 .. most()); the caller removes those too many.
    void set_capacity(std::uint64_t capacity);

    /// Entry of the page, or kNone.
    [[nodiscard]] std::uint32_t find(Lpn lpn) const { return index_.find(raw(lpn)); }
    /// Adds a clean entry as the most recent; there must be none for the page and room for it.
    /// `place`: physical page + 1, or 0 for none.
    std::uint32_t insert(Lpn lpn, std::uint32_t table, std::uint32_t place);
    /// The entry is used again.
    void touch(std::uint32_t entry);
    /// The entry to go next, or kNone.
    [[nodiscard]] std::uint32_t victim() const {
        return lists_[kProbation].oldest != kNone ? lists_[kProbation].oldest
                                                  : lists_[kProtected].oldest;
    }
    /// Next entry to go after this one, or kNone.
    [[nodiscard]] std::uint32_t after(std::uint32_t entry) const;
    /// Forgets a clean entry.
    void remove(std::uint32_t entry);

    [[nodiscard]] Lpn lpn(std::uint32_t entry) const { return Lpn{entries_[entry].lpn}; }
    [[nodiscard]] std::uint32_t table(std::uint32_t entry) const { return entries_[entry].table; }
    [[nodiscard]] std::uint32_t place(std::uint32_t entry) const { return entries_[entry].place; }
    [[nodiscard]] bool is_dirty(std::uint32_t entry) const { return entries_[entry].dirty; }
    /// The entry was made without its translation page: what that says is not known to it.
    void set_unseen(std::uint32_t entry, bool unseen) { entries_[entry].unseen = unseen; }
    [[nodiscard]] bool is_unseen(std::uint32_t entry) const { return entries_[entry].unseen; }
    /// A new place, which no translation page has yet.
    void change(std::uint32_t entry, std::uint32_t place);

    /// Dirty entries of a translation page, in the order they became dirty.
    [[nodiscard]] std::uint32_t first_dirty(std::uint32_t table) const {
        return heads_[table].first - 1u;
    }
    [[nodiscard]] std::uint32_t next_dirty(std::uint32_t entry) const {
        return entries_[entry].next_dirty;
    }
    /// Those entries have been written back.
    void clean(std::uint32_t table);

    /// Lists, index and counts agree; throws ModelError. Returns facts compared.
    std::uint64_t check_invariants() const;
    void serialize(StateArchive& archive);

  private:
    friend struct MappingCacheProbe; // tests corrupt the state to see check_invariants notice

    enum Segment : std::uint8_t { kProbation, kProtected };

    struct Entry {
        std::uint32_t lpn;
        std::uint32_t table;
        std::uint32_t place;
        std::uint32_t older;
        std::uint32_t newer; ///< of an unused entry: the next unused one
        std::uint32_t next_dirty;
        std::uint32_t previous_dirty;
        Segment segment;
        bool dirty;
        bool unseen;
    };
    struct List {
        std::uint32_t oldest = kNone;
        std::uint32_t newest = kNone;
        std::uint32_t size = 0;
    };
    struct Dirty {
        std::uint32_t first; ///< entry + 1, or 0
        std::uint32_t last;
    };

    void link(std::uint32_t entry, Segment segment);
    void unlink(std::uint32_t entry);
    void bound_protected();

    bool segmented_;
    std::uint32_t capacity_;
    std::uint32_t size_ = 0;
    std::uint32_t fresh_ = 0;      ///< entries from here on were never used
    std::uint32_t unused_ = kNone; ///< removed ones
    List lists_[2];
    LazyArray<Entry> entries_;
    LazyArray<Dirty> heads_; ///< by translation page
    FlatMap index_;
};

} // namespace cavern
