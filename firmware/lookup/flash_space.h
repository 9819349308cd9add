/* The pages of the flash: which block is programmed next, what is valid, which block is collected.
 *
 * Pages are programmed in order, block after block; erased blocks are used in the order in which
 * they were erased. The logical page of each physical one stands in `spare`, which on a real drive
 * is the spare area of the flash itself. */
#ifndef CAVERN_FIRMWARE_LOOKUP_FLASH_SPACE_H
#define CAVERN_FIRMWARE_LOOKUP_FLASH_SPACE_H

#include "arena.h"
#include "random.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

static const uint32_t kNoBlock = 0xffffffffu;

struct flash_space {
    uint32_t blocks, pages_per_block;
    uint32_t free_pages;
    uint32_t* spare;      /* logical page, by physical page */
    uint16_t* valid;      /* valid pages, by block */
    uint8_t* full;        /* by block: every page is programmed */
    uint32_t* erased;     /* ring of erased blocks */
    uint32_t first, held; /* of the ring */
    uint32_t active, next_page;
    struct random random;
};

/* Everything erased. False where the arena is too small. */
bool flash_space_start(struct flash_space* space, struct arena* arena, uint32_t blocks,
                       uint32_t pages_per_block, uint32_t seed);

/* Programs the next page for a logical one and returns it. There must be a free page. */
uint32_t flash_space_program(struct flash_space* space, uint32_t lpn);

/* The page's content is garbage from now on. */
void flash_space_invalidate(struct flash_space* space, uint32_t page);

/* Of the blocks that are full and have garbage, one at random; kNoBlock if there is none. */
uint32_t flash_space_victim(struct flash_space* space);

/* The block must have no valid page. */
void flash_space_erase(struct flash_space* space, uint32_t block);

#ifdef __cplusplus
}
#endif

#endif
