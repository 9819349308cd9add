/* The data cache of a flash translation layer with a page map (Lee & Chung 2020, Fig. 1 and 2).
 *
 * What is not modelled is the data: frames and pages have a logical page and no content. */
#ifndef CAVERN_FIRMWARE_LOOKUP_FTL_CACHE_H
#define CAVERN_FIRMWARE_LOOKUP_FTL_CACHE_H

#include "btree.h"
#include "flash_space.h"
#include "look_up.h"
#include "lru_list.h"
#include "map_word.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ftl_cache_settings {
    uint32_t logical_pages;
    uint32_t frames;          /* up to kMostFrames */
    uint32_t groups;          /* of what the look-up says; 127 at most where it is of search */
    uint32_t order;           /* of the B-tree */
    uint32_t blocks;          /* of the flash */
    uint32_t pages_per_block; /* up to 65,535 */
    /* Free pages at or below which collection starts, and which it makes. */
    uint32_t low_watermark, high_watermark;
    /* A read of a page that was never written is searched for and fills a frame with zeros, as
     * Fig. 1 has it by the letter. Else the answer is zeros at once. */
    bool fill_unwritten;
    uint32_t seed; /* of the collection's choice */
};

/* What happened. A hit or miss is one of a page access. */
struct ftl_cache_counts {
    uint64_t reads, writes;
    uint64_t read_hits, write_hits;
    uint64_t first_writes;    /* writes of a page never written: they are not searched for */
    uint64_t unwritten_reads; /* answered with zeros, without a frame */
    uint64_t flash_reads;     /* of pages missed */
    uint64_t flushes;         /* programs of evicted dirty pages */
    uint64_t collections;     /* blocks collected */
    uint64_t copies;          /* valid pages programmed anew by collection */
    uint64_t least_free;      /* pages, before a program of an evicted page */
};

struct ftl_cache {
    struct ftl_cache_settings settings;
    const struct look_up* look_up;
    uint32_t* map; /* by logical page */
    struct lru_lists lists;
    struct frame* frames_end;
    uint32_t search_group_frames; /* the last search group may have fewer */
    struct btree tree;
    struct flash_space flash;
    struct look_up_cost cost;
    struct ftl_cache_counts counts;
    uint32_t (*clock)(void); /* the processor's cycles; NULL on the host */
};

/* NULL, or what is wrong with the settings. */
const char* ftl_cache_refuses(const struct ftl_cache_settings* settings,
                              const struct look_up* look_up);

/* The bytes that a cache with these settings needs. */
uint64_t ftl_cache_bytes(const struct ftl_cache_settings* settings, const struct look_up* look_up);

/* An empty cache before an empty flash. The settings must be sound. False where the arena is too
 * small; an arena without memory tells by `used` how much is needed. */
bool ftl_cache_start(struct ftl_cache* cache, struct arena* arena,
                     const struct ftl_cache_settings* settings, const struct look_up* look_up);

/* Fig. 1: a page is read or written through the cache. */
void ftl_cache_read(struct ftl_cache* cache, uint32_t lpn);
void ftl_cache_write(struct ftl_cache* cache, uint32_t lpn);

/* Puts a page that was never written into flash, past the cache. */
void ftl_cache_prewrite(struct ftl_cache* cache, uint32_t lpn);

/* Goes on with another look-up of the same lists: what is cached, and its order, stay. */
void ftl_cache_change_look_up(struct ftl_cache* cache, const struct look_up* look_up);

/* The physical page of a logical one, or a code of map_word.h. */
uint32_t ftl_cache_page(const struct ftl_cache* cache, uint32_t lpn);

/* NULL, or which invariant does not hold. Costs a walk through everything. */
const char* ftl_cache_check(const struct ftl_cache* cache);

/* The list that a logical page belongs to. */
static inline uint32_t ftl_cache_group(const struct ftl_cache* cache, uint32_t lpn) {
    return lpn % cache->lists.groups;
}

#ifdef __cplusplus
}
#endif

#endif
