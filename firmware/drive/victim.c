#include "victim.h"

/* Nodes of a plane: 1 is the root, n .. 2n - 1 the leaves. An entry is a block + 1; 0: none. */
static uint32_t* tree_of(const struct flash* flash, uint32_t plane) {
    return &flash->tree[plane * 2 * flash->blocks_per_plane];
}

static uint32_t better(const struct flash* flash, uint32_t a, uint32_t b) {
    if (a == 0 || b == 0) {
        return a + b;
    }
    const struct block* const x = &flash->block[a - 1];
    const struct block* const y = &flash->block[b - 1];
    if (x->valid != y->valid) {
        return x->valid < y->valid ? a : b;
    }
    if (x->erases != y->erases) {
        return x->erases < y->erases ? a : b;
    }
    return a < b ? a : b;
}

/* Whoever beats the block at a node stands above that node already. */
void victim_offer(struct flash* flash, uint32_t block) {
    const uint32_t plane = flash_plane_of(flash, block);
    uint32_t* const tree = tree_of(flash, plane);
    uint32_t node = block - plane * flash->blocks_per_plane + flash->blocks_per_plane;
    const uint32_t self = block + 1;
    tree[node] = self;
    while (node > 1 && better(flash, self, tree[node ^ 1]) == self) {
        node /= 2;
        tree[node] = self;
    }
}

void victim_withdraw(struct flash* flash, uint32_t block) {
    const uint32_t plane = flash_plane_of(flash, block);
    uint32_t* const tree = tree_of(flash, plane);
    uint32_t node = block - plane * flash->blocks_per_plane + flash->blocks_per_plane;
    tree[node] = 0;
    while (node > 1 && tree[node / 2] == block + 1) {
        node /= 2;
        tree[node] = better(flash, tree[2 * node], tree[2 * node + 1]);
    }
}

uint32_t victim_choose(const struct flash* flash, uint32_t plane) {
    const uint32_t root = tree_of(flash, plane)[1];
    return root == 0 ? DRIVE_NONE : root - 1;
}
