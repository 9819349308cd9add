/* Fig. 3, cache_search_LM. */
#include "ftl_cache.h"

static struct frame* find(struct ftl_cache* cache, uint32_t lpn) {
    uint32_t compares = 0;
    struct frame* frame = cache->lists.clru[ftl_cache_group(cache, lpn)];
    while (frame != NULL) {
        compares += kCounting;
        if (frame->lpn == lpn) {
            break;
        }
        frame = frame->pointers.nlink;
    }
    cache->cost.compares += compares;
    return frame;
}

const struct look_up kLookUpLm = {.name = "LM", .groups = kGroupsOfLists, .find = find};
