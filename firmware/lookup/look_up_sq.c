/* Fig. 5, cache_search_SQ: the group's frames in the order of the array. */
#include "ftl_cache.h"

static struct frame* find(struct ftl_cache* cache, uint32_t lpn) {
    uint32_t compares = 0;
    const uint32_t step = cache->lists.groups;
    struct frame* const end = cache->frames_end;
    struct frame* found = NULL;
    for (struct frame* frame = cache->lists.frames + ftl_cache_group(cache, lpn); frame < end;
         frame += step) {
        compares += kCounting;
        if (frame->lpn == lpn) {
            found = frame;
            break;
        }
    }
    cache->cost.compares += compares;
    return found;
}

const struct look_up kLookUpSq = {.name = "SQ", .groups = kGroupsOfLists, .find = find};
