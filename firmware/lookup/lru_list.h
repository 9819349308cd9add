/* The lists of the frames, one for each group, from CLRU to CMRU (Fig. 2). */
#ifndef CAVERN_FIRMWARE_LOOKUP_LRU_LIST_H
#define CAVERN_FIRMWARE_LOOKUP_LRU_LIST_H

#include "frame.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lru_lists {
    struct frame* frames;
    uint32_t frame_count;
    uint32_t groups;
    struct frame **clru, **cmru; /* by group */
    bool packed;                 /* which links of the frames are used */
};

/* All frames, in the order of their numbers; frame i is of group i mod groups. */
void lru_build(struct lru_lists* lists);

/* The frame becomes its group's most recently used. */
void lru_touch(struct lru_lists* lists, struct frame* frame, uint32_t group);

/* The same lists in the other links. The physical pages of packed links are lost or undefined. */
void lru_repack(struct lru_lists* lists, bool packed);

/* The neighbour towards CMRU or CLRU; NULL at the end. */
struct frame* lru_next(const struct lru_lists* lists, const struct frame* frame);
struct frame* lru_previous(const struct lru_lists* lists, const struct frame* frame);

#ifdef __cplusplus
}
#endif

#endif
