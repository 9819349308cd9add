#include "ftl_cache.h"

static const char* check_lists(const struct ftl_cache* cache) {
    const struct lru_lists* const lists = &cache->lists;
    uint32_t seen = 0;
    for (uint32_t group = 0; group < lists->groups; ++group) {
        const struct frame* previous = NULL;
        for (const struct frame* frame = lists->clru[group]; frame != NULL;
             frame = lru_next(lists, frame)) {
            if (frame < lists->frames || frame >= cache->frames_end) {
                return "a link of an LRU list leads to a frame";
            }
            if ((uint32_t)(frame - lists->frames) % lists->groups != group) {
                return "an LRU list has the frames of its group";
            }
            if (lru_previous(lists, frame) != previous || ++seen > lists->frame_count) {
                return "the links of an LRU list agree in both directions";
            }
            previous = frame;
        }
        if (lists->cmru[group] != previous) {
            return "CMRU is the last of its list";
        }
    }
    return seen == lists->frame_count ? NULL : "every frame is in an LRU list";
}

/* A page is held by the frame that its search finds, and by no other. */
static const char* check_frames(const struct ftl_cache* cache) {
    const struct look_up* const look_up = cache->look_up;
    uint32_t held = 0;
    for (const struct frame* frame = cache->lists.frames; frame < cache->frames_end; ++frame) {
        const uint32_t lpn = frame->lpn;
        if (lpn == kNoPage) {
            continue;
        }
        ++held;
        const uint32_t index = (uint32_t)(frame - cache->lists.frames);
        if (lpn >= cache->settings.logical_pages ||
            ftl_cache_group(cache, lpn) != index % cache->lists.groups) {
            return "a frame holds a page of its group";
        }
        if (look_up->page_in_frame && cache->map[lpn] != map_word(1, index)) {
            return "the map word of a cached page has its frame";
        }
        if (look_up->groups == kGroupsOfSearch &&
            map_search_bits(cache->map[lpn]) != index / cache->search_group_frames + 1) {
            return "the bits of a cached page name its search group";
        }
        struct btree_cost cost = {0, 0};
        if (look_up == &kLookUpBt && btree_find(&cache->tree, lpn, &cost) != index) {
            return "the B-tree has the frame of a cached page";
        }
        if (ftl_cache_page(cache, lpn) == kNeverWritten) {
            return "a cached page was written";
        }
    }
    if (look_up == &kLookUpBt && cache->tree.keys != held) {
        return "the B-tree has as many keys as pages are cached";
    }
    return NULL;
}

/* Each mapped page's spare area names its logical page: so no two have the same. */
static const char* check_map(const struct ftl_cache* cache) {
    const struct flash_space* const flash = &cache->flash;
    const uint64_t pages = (uint64_t)flash->blocks * flash->pages_per_block;
    uint64_t mapped = 0, valid = 0, only_cached = 0, cached = 0, dirty = 0;
    for (uint32_t lpn = 0; lpn < cache->settings.logical_pages; ++lpn) {
        const uint32_t page = ftl_cache_page(cache, lpn);
        cached += map_search_bits(cache->map[lpn]) != 0;
        only_cached += page == kOnlyInCache;
        if (page == kNeverWritten || page == kOnlyInCache) {
            continue;
        }
        if (page >= pages || flash->spare[page] != lpn) {
            return "the spare area of a mapped page names its logical page";
        }
        ++mapped;
    }
    uint64_t held = 0;
    for (const struct frame* frame = cache->lists.frames; frame < cache->frames_end; ++frame) {
        if (frame->lpn != kNoPage) {
            ++held;
            dirty += ftl_cache_page(cache, frame->lpn) == kOnlyInCache;
        }
    }
    const struct look_up* const look_up = cache->look_up;
    if ((look_up->page_in_frame || look_up->groups == kGroupsOfSearch) && cached != held) {
        return "no page that is not cached has bits for the search";
    }
    if (only_cached != dirty) {
        return "a page that is only in the cache is in it once";
    }
    for (uint32_t block = 0; block < flash->blocks; ++block) {
        valid += flash->valid[block];
    }
    return valid == mapped ? NULL : "as many flash pages are valid as are mapped";
}

const char* ftl_cache_check(const struct ftl_cache* cache) {
    const char* broken = check_lists(cache);
    if (broken == NULL) {
        broken = check_frames(cache);
    }
    if (broken == NULL) {
        broken = check_map(cache);
    }
    if (broken == NULL && cache->look_up == &kLookUpBt) {
        broken = btree_check(&cache->tree);
    }
    return broken;
}
