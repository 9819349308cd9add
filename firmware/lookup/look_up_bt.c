/* IV.3: a B-tree of the cached logical pages, beside one LRU list. */
#include "ftl_cache.h"

static struct frame* find(struct ftl_cache* cache, uint32_t lpn) {
    struct btree_cost cost = {0, 0};
    const uint16_t slot = btree_find(&cache->tree, lpn, &cost);
    cache->cost.compares += cost.compares;
    cache->cost.nodes += cost.nodes;
    return slot == kNoIndex ? NULL : cache->lists.frames + slot;
}

static void filled(struct ftl_cache* cache, struct frame* frame) {
    btree_insert(&cache->tree, frame->lpn, (uint16_t)(frame - cache->lists.frames));
}

static void evicted(struct ftl_cache* cache, struct frame* frame) {
    btree_remove(&cache->tree, frame->lpn);
}

const struct look_up kLookUpBt = {
    .name = "BT", .groups = kGroupsUnused, .find = find, .filled = filled, .evicted = evicted};
