#include "flash.h"

bool flash_start(struct flash* flash, struct memory* memory, const struct drive_config* config) {
    const uint32_t blocks = drive_blocks(config);
    const uint32_t low = config->gc_low;
    flash->planes = drive_planes(config);
    flash->blocks_per_plane = config->blocks_per_plane;
    flash->pages_per_block = config->pages_per_block;
    flash->gc_low = low < kKeptFromHost ? kKeptFromHost : low;
    flash->gc_high = config->gc_high;
    flash->gc_background = config->gc_background;
    flash->paced = config->gc_pace == kDrivePaced;
    flash->logical_pages = config->logical_pages;
    flash->plane = (struct plane*)memory_take(memory, flash->planes, sizeof(struct plane));
    flash->block = (struct block*)memory_take(memory, blocks, sizeof(struct block));
    flash->next_free = (uint32_t*)memory_take(memory, blocks, sizeof(uint32_t));
    flash->tree = (uint32_t*)memory_take(memory, (uint64_t)blocks * 2, sizeof(uint32_t));
    flash->place = (uint32_t*)memory_take(memory, config->logical_pages, sizeof(uint32_t));
    flash->owner = (uint32_t*)memory_take(memory, (uint64_t)blocks * config->pages_per_block,
                                          sizeof(uint32_t));
    if (flash->owner == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < flash->planes; ++i) {
        flash->plane[i].free = flash->blocks_per_plane;
        flash->plane[i].first = flash->plane[i].last = DRIVE_NONE;
    }
    return true;
}

void frontier_open(struct flash* flash, struct frontier* frontier, uint32_t number) {
    struct plane* const plane = &flash->plane[number];
    uint32_t block = plane->first;
    --plane->free;
    if (plane->fresh < flash->blocks_per_plane) {
        block = number * flash->blocks_per_plane + plane->fresh++;
    } else if (block == plane->last) {
        plane->first = plane->last = DRIVE_NONE;
    } else {
        plane->first = flash->next_free[block];
    }
    frontier->block = block;
    frontier->next = block * flash->pages_per_block;
    frontier->end = frontier->stop = frontier->next + flash->pages_per_block;
    flash->block[block].use = kBlockOpen;
}

void flash_give_back(struct flash* flash, uint32_t block) {
    struct plane* const plane = &flash->plane[flash_plane_of(flash, block)];
    flash->block[block].use = kBlockFree;
    ++plane->free;
    if (plane->last == DRIVE_NONE) {
        plane->first = block;
    } else {
        flash->next_free[plane->last] = block;
    }
    plane->last = block;
}

/* Pages programmed and not valid any more. */
static uint32_t garbage_in(const struct flash* flash, const struct frontier* frontier) {
    return frontier_is_open(frontier) ? flash->pages_per_block - frontier_left(frontier) -
                                            flash->block[frontier->block].valid
                                      : 0;
}

/* Once the host's block is full, collecting everything leaves the valid pages packed behind the
 * garbage that sits in blocks still open. What remains must be another block for the host and what
 * is kept from it. */
bool flash_has_room(const struct flash* flash, uint32_t number) {
    const struct plane* const plane = &flash->plane[number];
    if (plane->free > kKeptFromHost) {
        return true; /* collecting a victim takes at most the one block that it gives back */
    }
    const uint32_t pages =
        plane->valid + frontier_left(&plane->host) + garbage_in(flash, &plane->copies);
    const uint32_t blocks = (pages + flash->pages_per_block - 1) / flash->pages_per_block;
    return blocks + kKeptFromHost + 1 <= flash->blocks_per_plane;
}
