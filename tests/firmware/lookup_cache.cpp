#include "lookup_cache.h"

#include <algorithm>
#include <iterator>
#include <random>
#include <sstream>
#include <stdexcept>

#include <gtest/gtest.h>

namespace cavern::test {

LookupCache::LookupCache(const look_up& how, const ftl_cache_settings& settings) {
    if (const char* wrong = ftl_cache_refuses(&settings, &how)) {
        throw std::invalid_argument(wrong);
    }
    const std::size_t most = (1U << 16U) + 64 * (settings.frames + settings.logical_pages +
                                                 settings.blocks * (settings.pages_per_block + 4));
    memory_.resize(most / 8);
    arena arena{reinterpret_cast<std::uint8_t*>(memory_.data()), most, 0};
    if (!ftl_cache_start(&cache_, &arena, &settings, &how)) {
        throw std::invalid_argument("too little memory");
    }
}

void LookupCache::play(const std::string& words) {
    std::istringstream in(words);
    for (std::string word; in >> word;) {
        const auto lpn = static_cast<std::uint32_t>(std::stoul(word.substr(1)));
        word[0] == 'W' ? write(lpn) : read(lpn);
    }
}

std::vector<std::uint32_t> LookupCache::pages(std::uint32_t group) const {
    std::vector<std::uint32_t> found;
    for (const frame* each = cache_.lists.clru[group]; each != nullptr;
         each = lru_next(&cache_.lists, each)) {
        found.push_back(each->lpn);
    }
    return found;
}

std::uint64_t LookupCache::misses() const {
    const ftl_cache_counts& counts = cache_.counts;
    return counts.reads + counts.writes - counts.read_hits - counts.write_hits;
}

std::string LookupCache::broken() const {
    const char* const what = ftl_cache_check(&cache_);
    return what == nullptr ? "" : what;
}

NaiveCache::NaiveCache(const look_up& how, const ftl_cache_settings& settings)
    : how_(how), settings_(settings), lists_(how.groups == kGroupsOfLists ? settings.groups : 1),
      searched_(how.groups == kGroupsOfSearch
                    ? (settings.frames + settings.groups - 1) / settings.groups
                    : settings.frames),
      order_(lists_), held_(settings.frames, kNoPage), state_(settings.logical_pages) {
    for (std::uint32_t frame = 0; frame < settings.frames; ++frame) {
        order_[frame % lists_].push_back(static_cast<int>(frame));
    }
}

std::uint64_t NaiveCache::cost(std::uint32_t lpn, int found) const {
    const std::list<int>& group = order_[lpn % lists_];
    if (&how_ == &kLookUpLm || &how_ == &kLookUpMl) {
        if (found < 0) {
            return group.size();
        }
        const auto place = static_cast<std::uint64_t>(
            std::distance(group.begin(), std::find(group.begin(), group.end(), found)));
        return &how_ == &kLookUpLm ? place + 1 : group.size() - place;
    }
    if (&how_ == &kLookUpSq) {
        return found < 0 ? group.size() : static_cast<std::uint64_t>(found) / lists_ + 1;
    }
    if (&how_ == &kLookUpSg && found >= 0) {
        return static_cast<std::uint64_t>(found) % searched_ + 1;
    }
    return 0;
}

int NaiveCache::find(std::uint32_t lpn) {
    const auto found = where_.find(lpn);
    const int frame = found == where_.end() ? -1 : found->second;
    compares_ += cost(lpn, frame);
    return frame;
}

int NaiveCache::take(std::uint32_t lpn) {
    const int frame = order_[lpn % lists_].front();
    std::uint32_t& held = held_[static_cast<std::size_t>(frame)];
    if (held != kNoPage) {
        counts_.flushes += state_[held] == State::kOnlyCached;
        state_[held] = State::kFlash;
        where_.erase(held);
    }
    held = lpn;
    where_[lpn] = frame;
    return frame;
}

void NaiveCache::used(std::uint32_t lpn, int frame) {
    std::list<int>& group = order_[lpn % lists_];
    group.remove(frame);
    group.push_back(frame);
}

void NaiveCache::read(std::uint32_t lpn) {
    ++counts_.reads;
    if (state_[lpn] == State::kNever && !settings_.fill_unwritten) {
        ++counts_.unwritten_reads;
        return;
    }
    int frame = find(lpn);
    counts_.read_hits += frame >= 0;
    if (frame < 0) {
        frame = take(lpn);
        ++counts_.flash_reads;
        state_[lpn] = state_[lpn] == State::kNever ? State::kOnlyCached : State::kFlash;
    }
    used(lpn, frame);
}

void NaiveCache::write(std::uint32_t lpn) {
    ++counts_.writes;
    int frame = -1;
    if (state_[lpn] == State::kNever) {
        ++counts_.first_writes;
    } else {
        frame = find(lpn);
        counts_.write_hits += frame >= 0;
    }
    used(lpn, frame >= 0 ? frame : take(lpn));
    state_[lpn] = State::kOnlyCached;
}

std::vector<std::uint32_t> NaiveCache::pages(std::uint32_t group) const {
    std::vector<std::uint32_t> found;
    for (const int frame : order_[group]) {
        found.push_back(held_[static_cast<std::size_t>(frame)]);
    }
    return found;
}

namespace {

std::string told(const char* what, std::uint64_t ours, std::uint64_t naive) {
    return std::string(what) + ": " + std::to_string(ours) + " and naive " + std::to_string(naive);
}

std::string compared(LookupCache& cache, const NaiveCache& naive) {
    const ftl_cache_counts &ours = cache->counts, &theirs = naive.counts();
    const std::pair<const char*, std::uint64_t ftl_cache_counts::*> fields[] = {
        {"reads", &ftl_cache_counts::reads},
        {"writes", &ftl_cache_counts::writes},
        {"read hits", &ftl_cache_counts::read_hits},
        {"write hits", &ftl_cache_counts::write_hits},
        {"first writes", &ftl_cache_counts::first_writes},
        {"unwritten reads", &ftl_cache_counts::unwritten_reads},
        {"flash reads", &ftl_cache_counts::flash_reads},
        {"flushes", &ftl_cache_counts::flushes}};
    for (const auto& [name, field] : fields) {
        if (ours.*field != theirs.*field) {
            return told(name, ours.*field, theirs.*field);
        }
    }
    if (cache->look_up != &kLookUpBt && cache->cost.compares != naive.compares()) {
        return told("compares", cache->cost.compares, naive.compares());
    }
    for (std::uint32_t group = 0; group < cache->lists.groups; ++group) {
        if (cache.pages(group) != naive.pages(group)) {
            return "the list of group " + std::to_string(group);
        }
    }
    return cache.broken();
}

} // namespace

std::string difference_after(LookupCache& cache, NaiveCache& naive, std::uint32_t accesses,
                             std::uint32_t seed) {
    std::mt19937 random(seed);
    const std::uint32_t pages = cache->settings.logical_pages;
    for (std::uint32_t i = 1; i <= accesses; ++i) {
        // One access in two goes to a few pages, so that there are hits.
        const std::uint32_t span = random() % 2 == 0 ? pages : 1 + cache->settings.frames / 2;
        const std::uint32_t lpn = static_cast<std::uint32_t>(random()) % std::min(span, pages);
        if (random() % 2 == 0) {
            cache.read(lpn);
            naive.read(lpn);
        } else {
            cache.write(lpn);
            naive.write(lpn);
        }
        if (i % 100 == 0 || i == accesses) {
            if (const std::string found = compared(cache, naive); !found.empty()) {
                return "access " + std::to_string(i) + ": " + found;
            }
        }
    }
    return "";
}

std::string first_difference(const look_up& how, std::uint32_t accesses) {
    for (const std::uint32_t frames : {1U, 8U, 130U, 300U}) {
        for (const std::uint32_t groups : {1U, 2U, 7U, 127U}) {
            if (groups > frames) {
                continue;
            }
            ftl_cache_settings settings = small_cache();
            settings.frames = frames;
            settings.groups = groups;
            settings.logical_pages = 3 * frames + 10;
            settings.blocks = settings.logical_pages / 4 + 6;
            settings.order = 5 + groups % 6;
            settings.fill_unwritten = groups == 2;
            settings.seed = groups;
            LookupCache cache(how, settings);
            NaiveCache naive(how, settings);
            if (const std::string found = difference_after(cache, naive, accesses, frames + groups);
                !found.empty()) {
                return std::to_string(frames) + " frames, " + std::to_string(groups) + " groups, " +
                       found;
            }
            if (cache->counts.collections == 0 && frames < 200 && accesses > 1000) {
                return "nothing was collected";
            }
        }
    }
    return "";
}

std::uint64_t compares_in_worked_example(const look_up& how, std::uint32_t groups) {
    ftl_cache_settings settings = small_cache();
    settings.groups = groups;
    settings.fill_unwritten = true;
    LookupCache cache(how, settings);
    cache.play("W0 W2 W4 W6 R6 R4 R0 R1 W6 R6");
    EXPECT_EQ(cache->counts.read_hits + cache->counts.write_hits, 5);
    EXPECT_EQ(cache.misses(), 5);
    EXPECT_EQ(cache->counts.flash_reads, 1);
    EXPECT_EQ(cache->counts.flushes, 0);
    EXPECT_EQ(cache.broken(), "");
    return cache->cost.compares;
}

} // namespace cavern::test
