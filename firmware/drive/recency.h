/* A doubly linked list over the indices 0 .. size - 1, least recently used first. */
#ifndef CAVERN_FIRMWARE_DRIVE_RECENCY_H
#define CAVERN_FIRMWARE_DRIVE_RECENCY_H

#include "memory.h"
#include "operation.h"

struct recency_link {
    uint32_t older, newer;
};

struct recency {
    struct recency_link* links;
    uint32_t lru, mru; /* DRIVE_NONE: the list is empty */
};

bool recency_start(struct recency* list, struct memory* memory, uint32_t size);

/* The index must not be on the list. */
void recency_add(struct recency* list, uint32_t index);

/* The index must be on the list. */
void recency_remove(struct recency* list, uint32_t index);
void recency_touch(struct recency* list, uint32_t index);

#endif
