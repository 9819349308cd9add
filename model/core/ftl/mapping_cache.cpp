#include "core/ftl/mapping_cache.h"

#include <algorithm>
#include <string>

#include "core/base/check.h"

namespace cavern {

namespace {

/// The index grows beyond this by doubling, which ends once the table has been full.
constexpr std::uint32_t kIndexAtFirst = 1u << 16;

} // namespace

MappingCache::MappingCache(std::uint32_t capacity, std::uint32_t most, std::uint32_t tables,
                           bool segmented)
    : segmented_(segmented), capacity_(std::min(capacity, most)), entries_(most), heads_(tables),
      index_(std::min(capacity_, kIndexAtFirst)) {
    CAVERN_CHECK(capacity_ >= 1, "a mapping cache needs at least one entry");
}

void MappingCache::set_capacity(std::uint64_t capacity) {
    capacity_ = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(capacity, 1, std::uint64_t{entries_.size()}));
    bound_protected();
}

std::uint32_t MappingCache::insert(Lpn lpn, std::uint32_t table, std::uint32_t place) {
    CAVERN_CHECK(size_ < capacity_, "an entry is inserted into a full mapping cache");
    std::uint32_t entry = unused_;
    if (entry != kNone) {
        unused_ = entries_[entry].newer;
    } else {
        entry = fresh_++;
    }
    entries_[entry] = {static_cast<std::uint32_t>(raw(lpn)),
                       table,
                       place,
                       kNone,
                       kNone,
                       kNone,
                       kNone,
                       kProbation,
                       false,
                       false};
    link(entry, kProbation);
    index_.set(raw(lpn), entry);
    ++size_;
    return entry;
}

void MappingCache::touch(std::uint32_t entry) {
    const Segment to = segmented_ ? kProtected : kProbation;
    if (lists_[to].newest == entry) {
        return;
    }
    unlink(entry);
    link(entry, to);
    bound_protected();
}

/// What is too much in the protected list falls back as the newest of the other.
void MappingCache::bound_protected() {
    while (lists_[kProtected].size > std::max(1u, capacity_ / 2)) {
        const std::uint32_t entry = lists_[kProtected].oldest;
        unlink(entry);
        link(entry, kProbation);
    }
}

std::uint32_t MappingCache::after(std::uint32_t entry) const {
    const Entry& e = entries_[entry];
    return e.newer == kNone && e.segment == kProbation ? lists_[kProtected].oldest : e.newer;
}

void MappingCache::remove(std::uint32_t entry) {
    CAVERN_CHECK(!entries_[entry].dirty, "a dirty mapping entry is forgotten");
    unlink(entry);
    index_.erase(entries_[entry].lpn);
    entries_[entry].newer = unused_;
    unused_ = entry;
    --size_;
}

void MappingCache::change(std::uint32_t entry, std::uint32_t place) {
    Entry& e = entries_[entry];
    e.place = place;
    if (e.dirty) {
        return;
    }
    e.dirty = true;
    Dirty& head = heads_[e.table];
    e.next_dirty = kNone;
    e.previous_dirty = head.first == 0 ? kNone : head.last - 1;
    if (head.first == 0) {
        head.first = entry + 1;
    } else {
        entries_[head.last - 1].next_dirty = entry;
    }
    head.last = entry + 1;
}

void MappingCache::clean(std::uint32_t table) {
    std::uint32_t entry = first_dirty(table);
    while (entry != kNone) {
        Entry& e = entries_[entry];
        const std::uint32_t next = e.next_dirty;
        e.dirty = false;
        e.next_dirty = e.previous_dirty = kNone;
        entry = next;
    }
    heads_[table] = {0, 0};
}

void MappingCache::link(std::uint32_t entry, Segment segment) {
    List& list = lists_[segment];
    Entry& e = entries_[entry];
    e.segment = segment;
    e.newer = kNone;
    e.older = list.newest;
    if (list.newest == kNone) {
        list.oldest = entry;
    } else {
        entries_[list.newest].newer = entry;
    }
    list.newest = entry;
    ++list.size;
}

void MappingCache::unlink(std::uint32_t entry) {
    const Entry& e = entries_[entry];
    List& list = lists_[e.segment];
    (e.older == kNone ? list.oldest : entries_[e.older].newer) = e.newer;
    (e.newer == kNone ? list.newest : entries_[e.newer].older) = e.older;
    --list.size;
}

std::uint64_t MappingCache::check_invariants() const {
    std::uint64_t facts = 2;
    std::uint32_t listed = 0;
    std::uint32_t dirty = 0;
    for (const Segment segment : {kProbation, kProtected}) {
        std::uint32_t count = 0;
        for (std::uint32_t entry = lists_[segment].oldest; entry != kNone;
             entry = entries_[entry].newer) {
            CAVERN_CHECK(++count <= size_, "a list of the mapping cache runs in a circle");
            CAVERN_CHECK(find(lpn(entry)) == entry && entries_[entry].segment == segment,
                         "mapping entry of logical page " + std::to_string(raw(lpn(entry))) +
                             " is not found where it is listed");
            dirty += is_dirty(entry) ? 1 : 0;
            facts += 2;
        }
        CAVERN_CHECK(count == lists_[segment].size, "a list of the mapping cache is miscounted");
        listed += count;
    }
    CAVERN_CHECK(listed == size_ && index_.size() == size_ && size_ <= capacity_,
                 "the mapping cache holds other entries than it counts");
    std::uint32_t dirty_listed = 0;
    for (std::uint32_t table = 0; table < heads_.size(); ++table) {
        for (std::uint32_t entry = first_dirty(table); entry != kNone; entry = next_dirty(entry)) {
            CAVERN_CHECK(is_dirty(entry) && entries_[entry].table == table &&
                             ++dirty_listed <= dirty,
                         "translation page " + std::to_string(table) +
                             " lists an entry that is none of its dirty ones");
            ++facts;
        }
    }
    CAVERN_CHECK(dirty == dirty_listed, "a dirty mapping entry is on no list");
    return facts;
}

} // namespace cavern
