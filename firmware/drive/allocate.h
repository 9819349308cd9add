/* Which plane an evicted page goes to: by its address in an order of channel, way, die and plane,
 * or CAVE's block allocator (CAVE 4.2), which gives logical blocks to the dies in turn, one die for
 * each block and batch. */
#ifndef CAVERN_FIRMWARE_DRIVE_ALLOCATE_H
#define CAVERN_FIRMWARE_DRIVE_ALLOCATE_H

#include "buffer.h"
#include "flash.h"

struct allocator {
    bool round_robin, sticky;
    uint32_t dies, planes_per_die, pages_per_block;
    struct {
        uint32_t size, stride; /* of planes */
    } digits[4];
    uint32_t next_die;
    uint32_t* next_plane; /* by die: within the die */
    uint32_t* home;       /* by logical block: die + 1, and kHasDie while a batch is placed */
};

bool allocate_start(struct allocator* allocator, struct memory* memory,
                    const struct drive_config* config);

/* Gives each page a plane; they leave together. False if no die has room. */
bool allocate_place(struct allocator* allocator, const struct flash* flash,
                    struct drive_victim* pages, uint32_t count);

#endif
