/* How a cached page is found. One look-up is one file and one row of look_up_table.c. */
#ifndef CAVERN_FIRMWARE_LOOKUP_LOOK_UP_H
#define CAVERN_FIRMWARE_LOOKUP_LOOK_UP_H

#include "counting.h"
#include "frame.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ftl_cache;

/* What the number of groups divides. */
enum group_use {
    kGroupsOfLists,  /* the frames and their lists; a page belongs to one group */
    kGroupsOfSearch, /* the frames, for the search alone: there is one list */
    kGroupsUnused    /* one list, and the search knows no groups */
};

/* What the look-ups of a cache have cost. */
struct look_up_cost {
    uint64_t look_ups; /* calls of find */
    uint64_t compares; /* frames, or keys of tree nodes, whose logical page was compared */
    uint64_t nodes;    /* tree nodes visited */
    uint64_t cycles;   /* of the processor, within find; 0 on the host */
};

struct look_up {
    const char* name;
    enum group_use groups;
    /* The map word of a cached page has the number of its frame, and the frame the physical page;
     * the links are packed. */
    bool page_in_frame;
    /* The frame that holds the page, or NULL. Adds to the cache's cost. */
    struct frame* (*find)(struct ftl_cache* cache, uint32_t lpn);
    /* The frame holds its logical page from now on; and it will not any more. NULL: not told. */
    void (*filled)(struct ftl_cache* cache, struct frame* frame);
    void (*evicted)(struct ftl_cache* cache, struct frame* frame);
};

extern const struct look_up kLookUpLm; /* the list from CLRU to CMRU */
extern const struct look_up kLookUpMl; /* the list from CMRU to CLRU */
extern const struct look_up kLookUpSq; /* the array, the group's frames in order */
extern const struct look_up kLookUpSg; /* the array, where the map word's spare bits say */
extern const struct look_up kLookUpBt; /* a B-tree by logical page */
extern const struct look_up kLookUpDx; /* no search: the map word has the frame */

extern const struct look_up* const kLookUps[];
extern const uint32_t kLookUpCount;

#ifdef __cplusplus
}
#endif

#endif
