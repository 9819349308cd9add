#include "clusters.h"

bool clusters_start(struct clusters* c, struct memory* memory, uint32_t frames,
                    uint32_t pages_per_block) {
    c->pages_per_block = pages_per_block;
    c->pages = (struct cluster_page*)memory_take(memory, frames, sizeof(struct cluster_page));
    c->clusters = (struct cluster*)memory_take(memory, frames, sizeof(struct cluster));
    c->unused = (uint32_t*)memory_take(memory, frames, sizeof(uint32_t));
    c->unused_count = frames;
    if (!index_map_start(&c->of_block, memory, frames) || c->unused == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < frames; ++i) {
        c->unused[i] = i;
    }
    return true;
}

static uint32_t cluster_for(struct clusters* c, uint32_t block) {
    uint32_t index = index_map_find(&c->of_block, block);
    if (index == DRIVE_NONE) {
        index = c->unused[--c->unused_count];
        c->clusters[index] = (struct cluster){block, DRIVE_NONE, DRIVE_NONE, 0};
        index_map_add(&c->of_block, block, index);
    }
    return index;
}

static void retire(struct clusters* c, uint32_t index) {
    index_map_remove(&c->of_block, c->clusters[index].block);
    c->unused[c->unused_count++] = index;
}

uint32_t clusters_add(struct clusters* c, uint32_t frame, uint32_t lpn) {
    const uint32_t index = cluster_for(c, lpn / c->pages_per_block);
    struct cluster* const cluster = &c->clusters[index];
    /* From the end: pages are mostly written in ascending order. */
    uint32_t before = cluster->last;
    while (before != DRIVE_NONE && c->pages[before].lpn > lpn) {
        before = c->pages[before].previous;
    }
    const uint32_t behind = before == DRIVE_NONE ? cluster->first : c->pages[before].next;
    c->pages[frame] = (struct cluster_page){lpn, index, before, behind};
    if (before == DRIVE_NONE) {
        cluster->first = frame;
    } else {
        c->pages[before].next = frame;
    }
    if (behind == DRIVE_NONE) {
        cluster->last = frame;
    } else {
        c->pages[behind].previous = frame;
    }
    ++cluster->size;
    return index;
}

uint32_t clusters_remove(struct clusters* c, uint32_t frame) {
    const struct cluster_page page = c->pages[frame];
    struct cluster* const cluster = &c->clusters[page.cluster];
    if (page.previous == DRIVE_NONE) {
        cluster->first = page.next;
    } else {
        c->pages[page.previous].next = page.next;
    }
    if (page.next == DRIVE_NONE) {
        cluster->last = page.previous;
    } else {
        c->pages[page.next].previous = page.previous;
    }
    if (--cluster->size == 0) {
        retire(c, page.cluster);
    }
    return page.cluster;
}

uint32_t clusters_take(struct clusters* c, uint32_t index, uint32_t* frames) {
    struct cluster* const cluster = &c->clusters[index];
    uint32_t count = 0;
    for (uint32_t frame = cluster->first; frame != DRIVE_NONE; frame = c->pages[frame].next) {
        frames[count++] = frame;
    }
    cluster->size = 0;
    retire(c, index);
    return count;
}
