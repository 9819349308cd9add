#include "core/ftl/mapping_cache.h"

#include <list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"

namespace cavern {

/// Damages a cache, for the tests that expect the damage to be found.
struct MappingCacheProbe {
    static void make_dirty(MappingCache& c, std::uint32_t entry) { c.entries_[entry].dirty = true; }
    static void rename(MappingCache& c, std::uint32_t entry) { ++c.entries_[entry].lpn; }
    static void miscount(MappingCache& c) { ++c.size_; }
    static void drop_dirty(MappingCache& c, std::uint32_t table) { c.heads_[table] = {0, 0}; }
    static void swap_table(MappingCache& c, std::uint32_t entry) { ++c.entries_[entry].table; }
};

namespace {

using Pages = std::vector<std::uint64_t>;

/// Four pages to a translation page.
std::uint32_t put(MappingCache& cache, std::uint64_t lpn) {
    return cache.insert(Lpn{lpn}, static_cast<std::uint32_t>(lpn / 4), 0);
}

/// Pages in the order they would leave.
Pages order(const MappingCache& cache) {
    Pages pages;
    for (std::uint32_t e = cache.victim(); e != MappingCache::kNone; e = cache.after(e)) {
        pages.push_back(raw(cache.lpn(e)));
    }
    return pages;
}

TEST(MappingCacheTest, TheLeastRecentlyUsedEntryLeavesFirst) {
    MappingCache cache(4, 4, 4, false);
    for (const std::uint64_t lpn : {3, 5, 7, 9}) {
        put(cache, lpn);
    }
    cache.touch(cache.find(Lpn{5}));
    EXPECT_EQ(order(cache), (Pages{3, 7, 9, 5}));
    EXPECT_TRUE(cache.is_full());
    cache.remove(cache.victim());
    EXPECT_EQ(cache.find(Lpn{3}), MappingCache::kNone);
    put(cache, 1);
    EXPECT_EQ(order(cache), (Pages{7, 9, 5, 1}));
    EXPECT_GT(cache.check_invariants(), 8u);
}

// The protected list holds two of four: of the entries used again the oldest falls back.
TEST(MappingCacheTest, SegmentedEntriesUsedOnceLeaveFirst) {
    MappingCache cache(4, 4, 4, true);
    for (const std::uint64_t lpn : {3, 5, 7, 9}) {
        put(cache, lpn);
    }
    cache.touch(cache.find(Lpn{3}));
    EXPECT_EQ(order(cache), (Pages{5, 7, 9, 3}));
    cache.touch(cache.find(Lpn{5}));
    cache.touch(cache.find(Lpn{7})); // 3 falls back behind 9
    EXPECT_EQ(order(cache), (Pages{9, 3, 5, 7}));
    cache.touch(cache.find(Lpn{5})); // protected already
    EXPECT_EQ(order(cache), (Pages{9, 3, 7, 5}));
    cache.set_capacity(2); // one may be protected
    EXPECT_EQ(order(cache), (Pages{9, 3, 7, 5}));
    cache.remove(cache.victim());
    cache.remove(cache.victim());
    EXPECT_EQ(order(cache), (Pages{7, 5}));
    EXPECT_GT(cache.check_invariants(), 4u);
}

TEST(MappingCacheTest, DirtyEntriesAreListedByTranslationPage) {
    MappingCache cache(8, 8, 4, false);
    for (const std::uint64_t lpn : {0, 1, 4, 2, 5}) {
        cache.change(put(cache, lpn), 10);
    }
    Pages dirty;
    for (std::uint32_t e = cache.first_dirty(0); e != MappingCache::kNone;
         e = cache.next_dirty(e)) {
        dirty.push_back(raw(cache.lpn(e)));
    }
    EXPECT_EQ(dirty, (Pages{0, 1, 2}));
    cache.clean(0);
    EXPECT_FALSE(cache.is_dirty(cache.find(Lpn{1})));
    EXPECT_TRUE(cache.is_dirty(cache.find(Lpn{5})));
    EXPECT_THROW(cache.remove(cache.find(Lpn{5})), ModelError);
    EXPECT_GT(cache.check_invariants(), 10u);
}

TEST(MappingCacheTest, ItsSizeStaysBetweenOneEntryAndTheMost) {
    MappingCache cache(4, 6, 4, false);
    cache.set_capacity(0);
    EXPECT_EQ(cache.capacity(), 1u);
    cache.set_capacity(100);
    EXPECT_EQ(cache.capacity(), 6u);
    put(cache, 1);
    cache.set_capacity(1);
    EXPECT_THROW(put(cache, 2), ModelError);
}

// Beside lists searched from end to end.
TEST(MappingCacheTest, AMillionRandomStepsLeaveTheOrderOfANaiveList) {
    for (const bool segmented : {false, true}) {
        MappingCache cache(12, 40, 16, segmented);
        std::list<std::uint64_t> once; // oldest first
        std::list<std::uint64_t> again;
        Random random(segmented ? 3 : 4);
        const auto bound = [&] {
            while (again.size() > std::max(1u, cache.capacity() / 2)) {
                once.push_back(again.front());
                again.pop_front();
            }
        };
        for (int step = 0; step < 500'000; ++step) {
            const std::uint64_t lpn = random.below(64);
            if (random.below(500) == 0) {
                cache.set_capacity(1 + random.below(40));
                bound();
            }
            while (cache.size() > cache.capacity() ||
                   (cache.is_full() && cache.find(Lpn{lpn}) == MappingCache::kNone)) {
                std::list<std::uint64_t>& from = once.empty() ? again : once;
                ASSERT_EQ(raw(cache.lpn(cache.victim())), from.front());
                from.pop_front();
                cache.clean(cache.table(cache.victim()));
                cache.remove(cache.victim());
            }
            std::uint32_t entry = cache.find(Lpn{lpn});
            if (entry == MappingCache::kNone) {
                entry = put(cache, lpn);
                once.push_back(lpn);
            } else {
                cache.touch(entry);
                once.remove(lpn);
                again.remove(lpn);
                (segmented ? again : once).push_back(lpn);
                bound();
            }
            if (random.below(3) == 0) {
                cache.change(entry, 1);
            }
            if (step % 1000 == 0) {
                Pages expected(once.begin(), once.end());
                expected.insert(expected.end(), again.begin(), again.end());
                ASSERT_EQ(order(cache), expected);
                cache.check_invariants();
            }
        }
    }
}

// The negative control: each damage is found.
TEST(MappingCacheTest, EveryDamageIsFound) {
    const auto found = [](const auto& damage) {
        MappingCache cache(8, 8, 4, false);
        for (const std::uint64_t lpn : {0, 1, 4, 2}) {
            put(cache, lpn);
        }
        cache.change(cache.find(Lpn{1}), 7);
        cache.check_invariants();
        damage(cache);
        try {
            cache.check_invariants();
        } catch (const ModelError&) {
            return true;
        }
        return false;
    };
    using Probe = MappingCacheProbe;
    EXPECT_FALSE(found([](MappingCache&) {}));
    EXPECT_TRUE(found([](MappingCache& c) { Probe::make_dirty(c, 0); }));
    EXPECT_TRUE(found([](MappingCache& c) { Probe::rename(c, 2); }));
    EXPECT_TRUE(found([](MappingCache& c) { Probe::miscount(c); }));
    EXPECT_TRUE(found([](MappingCache& c) { Probe::drop_dirty(c, 0); }));
    EXPECT_TRUE(found([](MappingCache& c) { Probe::swap_table(c, 1); }));
}

} // namespace
} // namespace cavern
