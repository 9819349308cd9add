#include "flash_space.h"

bool flash_space_start(struct flash_space* space, struct arena* arena, uint32_t blocks,
                       uint32_t pages_per_block, uint32_t seed) {
    space->blocks = blocks;
    space->pages_per_block = pages_per_block;
    space->free_pages = blocks * pages_per_block;
    space->spare = (uint32_t*)arena_take(arena, (size_t)space->free_pages * sizeof(uint32_t));
    space->valid = (uint16_t*)arena_take(arena, blocks * sizeof(uint16_t));
    space->full = (uint8_t*)arena_take(arena, blocks);
    space->erased = (uint32_t*)arena_take(arena, blocks * sizeof(uint32_t));
    if (space->erased == NULL) {
        return false;
    }
    for (uint32_t block = 0; block < blocks; ++block) {
        space->valid[block] = 0;
        space->full[block] = 0;
        space->erased[block] = block;
    }
    space->first = 0;
    space->held = blocks;
    space->active = kNoBlock;
    space->next_page = 0;
    random_seed(&space->random, seed, 0x6c6f6f6b);
    return true;
}

uint32_t flash_space_program(struct flash_space* space, uint32_t lpn) {
    if (space->active == kNoBlock) {
        space->active = space->erased[space->first];
        space->first = space->first + 1 == space->blocks ? 0 : space->first + 1;
        --space->held;
        space->next_page = 0;
    }
    const uint32_t block = space->active;
    const uint32_t page = block * space->pages_per_block + space->next_page++;
    space->spare[page] = lpn;
    ++space->valid[block];
    --space->free_pages;
    if (space->next_page == space->pages_per_block) {
        space->full[block] = 1;
        space->active = kNoBlock;
    }
    return page;
}

void flash_space_invalidate(struct flash_space* space, uint32_t page) {
    --space->valid[page / space->pages_per_block];
}

static bool collectable(const struct flash_space* space, uint32_t block) {
    return space->full[block] && space->valid[block] < space->pages_per_block;
}

uint32_t flash_space_victim(struct flash_space* space) {
    enum { kDraws = 64 };
    uint32_t block = 0;
    for (int i = 0; i < kDraws; ++i) {
        block = random_below(&space->random, space->blocks);
        if (collectable(space, block)) {
            return block;
        }
    }
    /* Hardly a block has garbage: the next one after the last draw. */
    for (uint32_t i = 0; i < space->blocks; ++i) {
        block = block + 1 == space->blocks ? 0 : block + 1;
        if (collectable(space, block)) {
            return block;
        }
    }
    return kNoBlock;
}

void flash_space_erase(struct flash_space* space, uint32_t block) {
    space->full[block] = 0;
    uint32_t last = space->first + space->held++;
    last = last >= space->blocks ? last - space->blocks : last;
    space->erased[last] = block;
    space->free_pages += space->pages_per_block;
}
