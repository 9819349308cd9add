#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "firmware/lookup/ftl_cache.h"

namespace cavern::test {

/// A small cache of the firmware with memory of its own: 8 frames before 64 logical pages, in one
/// group; blocks of 4 pages.
inline ftl_cache_settings small_cache() {
    ftl_cache_settings settings{};
    settings.logical_pages = 64;
    settings.frames = 8;
    settings.groups = 1;
    settings.order = 5;
    settings.blocks = 24;
    settings.pages_per_block = 4;
    settings.low_watermark = 4;
    settings.high_watermark = 8;
    settings.seed = 1;
    return settings;
}

class LookupCache {
  public:
    LookupCache(const look_up& how, const ftl_cache_settings& settings);
    LookupCache(const LookupCache&) = delete;
    LookupCache& operator=(const LookupCache&) = delete;

    ftl_cache* operator->() { return &cache_; }
    ftl_cache* get() { return &cache_; }

    void read(std::uint32_t lpn) { ftl_cache_read(&cache_, lpn); }
    void write(std::uint32_t lpn) { ftl_cache_write(&cache_, lpn); }
    /// Words such as "W0 R3".
    void play(const std::string& words);

    /// The logical pages of a group from CLRU to CMRU, kNoPage for an empty frame.
    [[nodiscard]] std::vector<std::uint32_t> pages(std::uint32_t group) const;
    [[nodiscard]] std::uint64_t misses() const;
    /// What ftl_cache_check says; "" for nothing.
    [[nodiscard]] std::string broken() const;

  private:
    std::vector<std::uint64_t> memory_;
    ftl_cache cache_{};
};

/// Plays the worked example of docs/algorithms.md, LOOK-1, which has eight frames, in so many
/// groups. Returns the compares, and checks what is the same with every look-up.
std::uint64_t compares_in_worked_example(const look_up& how, std::uint32_t groups);

/// The same cache as its paper says it, with the containers of the library: lists of frames by
/// group, LRU first, and what a search in them must compare.
class NaiveCache {
  public:
    NaiveCache(const look_up& how, const ftl_cache_settings& settings);

    void read(std::uint32_t lpn);
    void write(std::uint32_t lpn);

    [[nodiscard]] const ftl_cache_counts& counts() const { return counts_; }
    /// Compares of LM, ML, SQ and SG; 0 with the others.
    [[nodiscard]] std::uint64_t compares() const { return compares_; }
    [[nodiscard]] std::vector<std::uint32_t> pages(std::uint32_t group) const;
    [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> cached() const;

  private:
    enum class State { kNever, kFlash, kOnlyCached };

    int find(std::uint32_t lpn);
    int take(std::uint32_t lpn);
    void used(std::uint32_t lpn, int frame);
    [[nodiscard]] std::uint64_t cost(std::uint32_t lpn, int found) const;

    const look_up& how_;
    ftl_cache_settings settings_;
    std::uint32_t lists_, searched_;
    std::vector<std::list<int>> order_;
    std::vector<std::uint32_t> held_; ///< by frame
    std::unordered_map<std::uint32_t, int> where_;
    std::vector<State> state_;
    ftl_cache_counts counts_{};
    std::uint64_t compares_ = 0;
};

/// Plays random accesses into both, with some pages read and written more often than others.
/// Returns the first difference, "" for none. Every 100 accesses the cache's own check is called.
std::string difference_after(LookupCache& cache, NaiveCache& naive, std::uint32_t accesses,
                             std::uint32_t seed);

/// The same with caches of several sizes, groupings and orders.
std::string first_difference(const look_up& how, std::uint32_t accesses);

} // namespace cavern::test
