/* Ours: no search at all, in the memory of SG.
 *
 * Links that are numbers of frames take 4 of the frame's 12 bytes, where pointers take 8. In the
 * other 4 the frame keeps the physical page of what it holds, and the map word of a cached page is
 * free to have the number of the frame. A single bit of the map word says which of the two it has.
 *
 * Invariant: the map word of page p has the bit and the number f if and only if frame f holds p.
 * The physical page of p then stands in frame f, else in the map word. */
#include "ftl_cache.h"

enum { kInFrame = 1 }; /* in the bits for the search */

static struct frame* find(struct ftl_cache* cache, uint32_t lpn) {
    const uint32_t word = cache->map[lpn];
    return map_search_bits(word) == 0 ? NULL : cache->lists.frames + map_page(word);
}

static void filled(struct ftl_cache* cache, struct frame* frame) {
    uint32_t* const word = cache->map + frame->lpn;
    frame->packed.page = map_page(*word);
    *word = map_word(kInFrame, (uint32_t)(frame - cache->lists.frames));
}

static void evicted(struct ftl_cache* cache, struct frame* frame) {
    cache->map[frame->lpn] = map_word(0, frame->packed.page);
}

const struct look_up kLookUpDx = {.name = "DX",
                                  .groups = kGroupsUnused,
                                  .page_in_frame = true,
                                  .find = find,
                                  .filled = filled,
                                  .evicted = evicted};
