/* A B-tree of order m (Bayer & McCreight 1972): at most m children and m - 1 keys in a node, in
 * each but the root at least half of them. Keys are logical pages; beside each stands its frame.
 *
 * A node of order m is 4 + 4(m - 1) + 2(m - 1) + 2m bytes, rounded up to 4: its number of keys,
 * keys, frames, children; 40 for m = 5. Nodes are named by number. */
#ifndef CAVERN_FIRMWARE_LOOKUP_BTREE_H
#define CAVERN_FIRMWARE_LOOKUP_BTREE_H

#include "arena.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { kLeastOrder = 5, kMostOrder = 10 };

struct btree {
    uint8_t* nodes;
    uint32_t node_bytes;
    uint32_t order;
    uint16_t root;      /* kNoIndex while the tree is empty */
    uint16_t free_node; /* the first of those given back, linked by their first child */
    uint16_t fresh;     /* nodes from here on were never used */
    uint32_t keys;
    uint32_t used, most_used; /* nodes, now and at most so far */
};

struct btree_cost {
    uint32_t nodes;    /* visited */
    uint32_t compares; /* keys looked at, from the left up to the first that is not smaller */
};

/* The bytes of a node, and the nodes that `keys` keys can take at most. */
uint32_t btree_node_bytes(uint32_t order);
uint32_t btree_most_nodes(uint32_t order, uint32_t keys);

/* An empty tree for `keys` keys. False where the arena is too small. */
bool btree_start(struct btree* tree, struct arena* arena, uint32_t order, uint32_t keys);

/* The frame beside the key, or kNoIndex. */
uint16_t btree_find(const struct btree* tree, uint32_t key, struct btree_cost* cost);

/* The key must not be in the tree. */
void btree_insert(struct btree* tree, uint32_t key, uint16_t frame);

/* The key must be in the tree. */
void btree_remove(struct btree* tree, uint32_t key);

/* NULL, or which property of the tree does not hold. */
const char* btree_check(const struct btree* tree);

#ifdef __cplusplus
}
#endif

#endif
