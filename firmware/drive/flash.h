/* What is known of the flash: planes, their blocks, and the block of each plane that is filled. */
#ifndef CAVERN_FIRMWARE_DRIVE_FLASH_H
#define CAVERN_FIRMWARE_DRIVE_FLASH_H

#include "config.h"
#include "memory.h"
#include "operation.h"

/* The last free block is never given to the host, so that a victim can always be copied. */
enum { kKeptFromHost = 1 };

enum block_use {
    kBlockFree,
    kBlockOpen,   /* being filled */
    kBlockClosed, /* full; it may be collected */
    kBlockEmptied /* collected in steps */
};

struct block {
    uint32_t erases;
    uint16_t valid; /* pages that the map points to */
    uint8_t use, zero;
};

/* A block being filled, or none: all 0. Pages of the whole drive, next <= stop <= end. */
struct frontier {
    uint32_t block, next, end;
    uint32_t stop; /* of the host: the page to think at before it is taken */
};

/* A block being emptied in steps. */
struct emptying {
    uint32_t block;         /* + 1; 0: none */
    uint32_t next;          /* page of it that is looked at next */
    uint32_t copies, pages; /* `copies` are due while the host writes `pages` */
    uint32_t owed;          /* copies due, times `pages` */
};

struct plane {
    struct frontier host, copies;
    struct emptying task;
    uint32_t valid; /* pages */
    /* Free blocks: those never taken, from `fresh` on, then the list of those given back. */
    uint32_t free, fresh, first, last;
};

struct flash {
    uint32_t planes, blocks_per_plane, pages_per_block;
    uint32_t gc_low, gc_high, gc_background;
    bool paced;
    uint32_t logical_pages;
    struct plane* plane;
    struct block* block;
    uint32_t* next_free; /* by block: the one given back after it */
    uint32_t* tree;      /* candidates of each plane, see victim.h */
    uint32_t* place;     /* by logical page: physical page + 1, 0: none */
    uint32_t* owner;     /* by physical page: the logical page programmed last */
    const char* problem; /* NULL, or why a page could not be programmed */
};

bool flash_start(struct flash* flash, struct memory* memory, const struct drive_config* config);

/* Takes a free block of the plane, which there must be, for a frontier that has none. */
void frontier_open(struct flash* flash, struct frontier* frontier, uint32_t plane);

/* The block, erased now, is free. */
void flash_give_back(struct flash* flash, uint32_t block);

static inline bool frontier_is_open(const struct frontier* frontier) {
    return frontier->next < frontier->end;
}

static inline uint32_t frontier_left(const struct frontier* frontier) {
    return frontier->end - frontier->next;
}

static inline uint32_t flash_plane_of(const struct flash* flash, uint32_t block) {
    return block / flash->blocks_per_plane;
}

/* Whether the plane can take a whole block of host pages, one after the other. */
bool flash_has_room(const struct flash* flash, uint32_t plane);

#endif
