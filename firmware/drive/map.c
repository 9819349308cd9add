#include "map.h"

#include "victim.h"

uint32_t map_append(struct flash* flash, struct frontier* frontier, uint32_t lpn) {
    struct block* const block = &flash->block[frontier->block];
    const uint32_t page = frontier->next++;
    flash->owner[page] = lpn;
    flash->place[lpn] = page + 1;
    ++block->valid;
    if (!frontier_is_open(frontier)) {
        block->use = kBlockClosed;
        if (block->valid < flash->pages_per_block) {
            victim_offer(flash, frontier->block);
        }
    }
    return page;
}

void map_invalidate(struct flash* flash, uint32_t page) {
    const uint32_t number = page / flash->pages_per_block;
    struct block* const block = &flash->block[number];
    --block->valid;
    --flash->plane[flash_plane_of(flash, number)].valid;
    if (block->use == kBlockClosed) {
        victim_offer(flash, number);
    }
}

void map_trim(struct flash* flash, uint32_t lpn) {
    const uint32_t page = map_find(flash, lpn);
    if (page != DRIVE_NONE) {
        map_invalidate(flash, page);
        flash->place[lpn] = 0;
    }
}
