/* Fig. 7, cache_search_SG: the map word's spare bits name a search group, a run of the array.
 *
 * The figure starts at FCACHE + (sgr - 1) and has no end for a page that is not there; meant is
 * (sgr - 1) times the frames of a search group. */
#include "ftl_cache.h"

static struct frame* find(struct ftl_cache* cache, uint32_t lpn) {
    const uint32_t group = map_search_bits(cache->map[lpn]);
    if (group == 0) {
        return NULL; /* the map says that it is not cached */
    }
    uint32_t compares = 0;
    struct frame* frame = cache->lists.frames + (group - 1) * cache->search_group_frames;
    struct frame* end = frame + cache->search_group_frames;
    end = end < cache->frames_end ? end : cache->frames_end; /* the last group may be shorter */
    struct frame* found = NULL;
    for (; frame < end; ++frame) {
        compares += kCounting;
        if (frame->lpn == lpn) {
            found = frame;
            break;
        }
    }
    cache->cost.compares += compares;
    return found;
}

static void filled(struct ftl_cache* cache, struct frame* frame) {
    const uint32_t index = (uint32_t)(frame - cache->lists.frames);
    uint32_t* const word = cache->map + frame->lpn;
    *word = map_word(index / cache->search_group_frames + 1, map_page(*word));
}

static void evicted(struct ftl_cache* cache, struct frame* frame) {
    uint32_t* const word = cache->map + frame->lpn;
    *word = map_word(0, map_page(*word));
}

const struct look_up kLookUpSg = {
    .name = "SG", .groups = kGroupsOfSearch, .find = find, .filled = filled, .evicted = evicted};
