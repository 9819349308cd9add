/* Where the parts of a B-tree's node lie. */
#ifndef CAVERN_FIRMWARE_LOOKUP_BTREE_NODE_H
#define CAVERN_FIRMWARE_LOOKUP_BTREE_NODE_H

#include "btree.h"
#include "frame.h"

/* Levels: each node but the root has two keys or more, so that 65,535 keys take at most ten. */
enum { kMostLevels = 12 };

struct node_head {
    uint16_t keys;
    uint16_t leaf;
};

static inline struct node_head* head_of(const struct btree* tree, uint16_t node) {
    return (struct node_head*)(void*)(tree->nodes + node * tree->node_bytes);
}

static inline uint32_t* keys_of(const struct btree* tree, uint16_t node) {
    return (uint32_t*)(void*)(head_of(tree, node) + 1);
}

static inline uint16_t* frames_of(const struct btree* tree, uint16_t node) {
    return (uint16_t*)(void*)(keys_of(tree, node) + tree->order - 1);
}

static inline uint16_t* children_of(const struct btree* tree, uint16_t node) {
    return frames_of(tree, node) + tree->order - 1;
}

static inline uint32_t least_keys(const struct btree* tree) {
    return (tree->order + 1) / 2 - 1;
}

#endif
