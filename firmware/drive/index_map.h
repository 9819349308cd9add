/* From a number to an index, for a limited number of entries: open addressing with linear probing,
 * deletion by shifting back (Knuth, The Art of Computer Programming 3, section 6.4, algorithm R).
 */
#ifndef CAVERN_FIRMWARE_DRIVE_INDEX_MAP_H
#define CAVERN_FIRMWARE_DRIVE_INDEX_MAP_H

#include "memory.h"
#include "operation.h"

struct index_slot {
    uint32_t key, index; /* DRIVE_NONE: empty */
};

struct index_map {
    struct index_slot* slots;
    uint32_t mask, shift;
};

/* False where memory is too small. `entries` at most 2^30. */
bool index_map_start(struct index_map* map, struct memory* memory, uint32_t entries);

/* DRIVE_NONE if there is none. */
uint32_t index_map_find(const struct index_map* map, uint32_t key);

/* The key must not be there. */
void index_map_add(struct index_map* map, uint32_t key, uint32_t index);

/* The key must be there. */
void index_map_remove(struct index_map* map, uint32_t key);

#endif
