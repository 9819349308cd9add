/* The page map: any logical page may lie anywhere. A physical page is valid if the map points back
 * to it. */
#ifndef CAVERN_FIRMWARE_DRIVE_MAP_H
#define CAVERN_FIRMWARE_DRIVE_MAP_H

#include "flash.h"

/* Where the page lies; DRIVE_NONE if it was never written or is trimmed. */
static inline uint32_t map_find(const struct flash* flash, uint32_t lpn) {
    return flash->place[lpn] - 1; /* 0 - 1 is DRIVE_NONE */
}

static inline bool map_is_valid(const struct flash* flash, uint32_t page) {
    return flash->place[flash->owner[page]] == page + 1;
}

/* Maps the logical page to the next page of an open frontier, which is returned. The block is
 * closed with its last page. */
uint32_t map_append(struct flash* flash, struct frontier* frontier, uint32_t lpn);

/* The map is about to stop pointing to the page. */
void map_invalidate(struct flash* flash, uint32_t page);

/* Forgets the logical page. */
void map_trim(struct flash* flash, uint32_t lpn);

#endif
