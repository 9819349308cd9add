#include "ftl_cache.h"

const char* ftl_cache_refuses(const struct ftl_cache_settings* settings,
                              const struct look_up* look_up) {
    const uint64_t pages = (uint64_t)settings->blocks * settings->pages_per_block;
    if (settings->frames == 0 || settings->frames > kMostFrames) {
        return "frames must be 1 to 65535";
    }
    if (settings->groups == 0 || settings->groups > settings->frames) {
        return "groups must be 1 to the number of frames";
    }
    if (look_up->groups == kGroupsOfSearch && settings->groups > kMostSearchGroups) {
        return "groups of search must be 1 to 127";
    }
    if (settings->order < kLeastOrder || settings->order > kMostOrder) {
        return "order must be 5 to 10";
    }
    if (settings->pages_per_block == 0 || settings->pages_per_block > UINT16_MAX) {
        return "pages_per_block must be 1 to 65535";
    }
    if (pages > kMapMostPages) {
        return "the flash must have at most 33554430 pages";
    }
    if (settings->low_watermark < settings->pages_per_block ||
        settings->high_watermark <= settings->low_watermark) {
        return "low_watermark must be a block or more, and less than high_watermark";
    }
    /* Else there may be no garbage to collect when pages run out. */
    if (pages < (uint64_t)settings->logical_pages + settings->high_watermark +
                    2u * settings->pages_per_block) {
        return "blocks must hold the logical pages, high_watermark and two blocks more";
    }
    return NULL;
}

static void set_lists(struct ftl_cache* cache, const struct look_up* look_up) {
    const uint32_t frames = cache->settings.frames;
    const uint32_t groups = cache->settings.groups;
    cache->look_up = look_up;
    cache->lists.groups = look_up->groups == kGroupsOfLists ? groups : 1;
    const uint32_t searched = look_up->groups == kGroupsOfSearch ? groups : 1;
    cache->search_group_frames = (frames + searched - 1) / searched;
}

bool ftl_cache_start(struct ftl_cache* cache, struct arena* arena,
                     const struct ftl_cache_settings* settings, const struct look_up* look_up) {
    const uint32_t frames = settings->frames;
    cache->settings = *settings;
    set_lists(cache, look_up);
    cache->cost = (struct look_up_cost){0};
    cache->counts = (struct ftl_cache_counts){0};
    cache->clock = NULL;
    cache->lists.frame_count = frames;
    cache->lists.packed = look_up->page_in_frame;
    cache->lists.frames = (struct frame*)arena_take(arena, frames * sizeof(struct frame));
    const size_t heads = cache->lists.groups * sizeof(struct frame*);
    cache->lists.clru = (struct frame**)arena_take(arena, heads);
    cache->lists.cmru = (struct frame**)arena_take(arena, heads);
    cache->map = (uint32_t*)arena_take(arena, (size_t)settings->logical_pages * sizeof(uint32_t));
    const bool tree = btree_start(&cache->tree, arena, settings->order, frames);
    const bool flash =
        arena->base != NULL && flash_space_start(&cache->flash, arena, settings->blocks,
                                                 settings->pages_per_block, settings->seed);
    if (!tree || !flash) {
        return false;
    }
    cache->counts.least_free = cache->flash.free_pages;
    cache->frames_end = cache->lists.frames + frames;
    for (uint32_t i = 0; i < frames; ++i) {
        cache->lists.frames[i].lpn = kNoPage;
    }
    for (uint32_t lpn = 0; lpn < settings->logical_pages; ++lpn) {
        cache->map[lpn] = map_word(0, kNeverWritten);
    }
    lru_build(&cache->lists);
    return true;
}

uint64_t ftl_cache_bytes(const struct ftl_cache_settings* settings, const struct look_up* look_up) {
    /* What the flash takes is not known to an arena without memory. */
    const uint64_t flash =
        (uint64_t)settings->blocks * (settings->pages_per_block * sizeof(uint32_t) + 16) + 64;
    struct arena arena = {NULL, 0, 0};
    struct ftl_cache cache;
    (void)ftl_cache_start(&cache, &arena, settings, look_up);
    return arena.used + flash;
}

/* The frame that has a page's physical page in place of the map; NULL if the map has it. */
static struct frame* frame_with_page(const struct ftl_cache* cache, uint32_t lpn) {
    const uint32_t word = cache->map[lpn];
    const bool in_frame = cache->look_up->page_in_frame && map_search_bits(word) != 0;
    return in_frame ? cache->lists.frames + map_page(word) : NULL;
}

uint32_t ftl_cache_page(const struct ftl_cache* cache, uint32_t lpn) {
    const struct frame* const frame = frame_with_page(cache, lpn);
    return frame == NULL ? map_page(cache->map[lpn]) : frame->packed.page;
}

static void set_page(struct ftl_cache* cache, uint32_t lpn, uint32_t page) {
    struct frame* const frame = frame_with_page(cache, lpn);
    if (frame == NULL) {
        cache->map[lpn] = map_word(map_search_bits(cache->map[lpn]), page);
    } else {
        frame->packed.page = page;
    }
}

/* Blocks chosen at random are collected until there are as many free pages as the high watermark
 * says. A block's valid pages always find free ones: collection starts with a block's worth. */
static void collect(struct ftl_cache* cache) {
    struct flash_space* const flash = &cache->flash;
    while (flash->free_pages < cache->settings.high_watermark) {
        const uint32_t block = flash_space_victim(flash);
        if (block == kNoBlock) {
            return;
        }
        const uint32_t first = block * flash->pages_per_block;
        for (uint32_t page = first; page < first + flash->pages_per_block; ++page) {
            const uint32_t lpn = flash->spare[page];
            if (ftl_cache_page(cache, lpn) == page) {
                flash_space_invalidate(flash, page);
                set_page(cache, lpn, flash_space_program(flash, lpn));
                ++cache->counts.copies;
            }
        }
        flash_space_erase(flash, block);
        ++cache->counts.collections;
    }
}

static void program(struct ftl_cache* cache, uint32_t lpn) {
    if (cache->flash.free_pages <= cache->settings.low_watermark) {
        collect(cache);
    }
    set_page(cache, lpn, flash_space_program(&cache->flash, lpn));
}

static struct frame* find(struct ftl_cache* cache, uint32_t lpn) {
    ++cache->cost.look_ups;
    if (cache->clock == NULL) {
        return cache->look_up->find(cache, lpn);
    }
    const uint32_t start = cache->clock();
    struct frame* const frame = cache->look_up->find(cache, lpn);
    cache->cost.cycles += cache->clock() - start;
    return frame;
}

/* The least recently used frame of a group, emptied. */
static struct frame* victim(struct ftl_cache* cache, uint32_t group) {
    struct frame* const frame = cache->lists.clru[group];
    const uint32_t lpn = frame->lpn;
    if (lpn == kNoPage) {
        return frame;
    }
    if (ftl_cache_page(cache, lpn) == kOnlyInCache) {
        if (cache->flash.free_pages < cache->counts.least_free) {
            cache->counts.least_free = cache->flash.free_pages;
        }
        program(cache, lpn);
        ++cache->counts.flushes;
    }
    if (cache->look_up->evicted != NULL) {
        cache->look_up->evicted(cache, frame);
    }
    frame->lpn = kNoPage;
    return frame;
}

static void fill(struct ftl_cache* cache, struct frame* frame, uint32_t lpn) {
    frame->lpn = lpn;
    if (cache->look_up->filled != NULL) {
        cache->look_up->filled(cache, frame);
    }
}

/* The braces of Fig. 1's read are out of balance: it reads flash on a miss only. */
void ftl_cache_read(struct ftl_cache* cache, uint32_t lpn) {
    ++cache->counts.reads;
    const bool unwritten = ftl_cache_page(cache, lpn) == kNeverWritten;
    if (unwritten && !cache->settings.fill_unwritten) {
        ++cache->counts.unwritten_reads;
        return;
    }
    const uint32_t group = ftl_cache_group(cache, lpn);
    struct frame* frame = find(cache, lpn);
    if (frame != NULL) {
        ++cache->counts.read_hits;
    } else {
        frame = victim(cache, group);
        fill(cache, frame, lpn);
        ++cache->counts.flash_reads;
        if (unwritten) {
            /* The zeros are in the cache alone. With the map as it was, a first write would not
             * look for this frame and take a second one for the same page. */
            set_page(cache, lpn, kOnlyInCache);
        }
    }
    lru_touch(&cache->lists, frame, group);
}

void ftl_cache_write(struct ftl_cache* cache, uint32_t lpn) {
    ++cache->counts.writes;
    const uint32_t group = ftl_cache_group(cache, lpn);
    struct frame* frame = NULL;
    if (ftl_cache_page(cache, lpn) == kNeverWritten) {
        ++cache->counts.first_writes;
    } else {
        frame = find(cache, lpn);
        cache->counts.write_hits += frame != NULL;
    }
    if (frame == NULL) {
        frame = victim(cache, group);
        fill(cache, frame, lpn);
    }
    /* Asked for only now: making room may have collected the block that the page was in. */
    const uint32_t page = ftl_cache_page(cache, lpn);
    if (page < kMapMostPages) {
        flash_space_invalidate(&cache->flash, page);
    }
    set_page(cache, lpn, kOnlyInCache);
    lru_touch(&cache->lists, frame, group);
}

void ftl_cache_prewrite(struct ftl_cache* cache, uint32_t lpn) {
    program(cache, lpn);
}

void ftl_cache_change_look_up(struct ftl_cache* cache, const struct look_up* look_up) {
    struct frame* const first = cache->lists.frames;
    if (cache->look_up->evicted != NULL) {
        for (struct frame* frame = first; frame < cache->frames_end; ++frame) {
            if (frame->lpn != kNoPage) {
                cache->look_up->evicted(cache, frame);
            }
        }
    }
    if (cache->lists.packed != look_up->page_in_frame) {
        lru_repack(&cache->lists, look_up->page_in_frame);
    }
    const uint32_t lists = cache->lists.groups;
    set_lists(cache, look_up);
    cache->lists.groups = lists;
    if (look_up->filled != NULL) {
        for (struct frame* frame = first; frame < cache->frames_end; ++frame) {
            if (frame->lpn != kNoPage) {
                look_up->filled(cache, frame);
            }
        }
    }
}
