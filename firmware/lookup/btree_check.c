#include "btree_node.h"

/* What a walk through a tree has seen. */
struct walk {
    const struct btree* tree;
    uint32_t keys, nodes;
    uint32_t leaf_depth; /* 0: no leaf yet */
};

/* The keys of a subtree lie from `least` to `most`. */
static const char* check_node(struct walk* walk, uint16_t node, uint32_t depth, uint64_t least,
                              uint64_t most) {
    const struct btree* const tree = walk->tree;
    if (node >= tree->fresh || depth >= kMostLevels) {
        return "a child of a B-tree node is a node";
    }
    const struct node_head* const head = head_of(tree, node);
    const uint32_t* const keys = keys_of(tree, node);
    ++walk->nodes;
    walk->keys += head->keys;
    if (head->keys > tree->order - 1 || head->keys < (depth == 1 ? 1 : least_keys(tree))) {
        return "a B-tree node has half its keys or more, and no more than the order less one";
    }
    for (uint32_t i = 0; i < head->keys; ++i) {
        if (keys[i] < least || keys[i] > most || (i > 0 && keys[i - 1] >= keys[i])) {
            return "keys of a B-tree ascend";
        }
    }
    if (head->leaf) {
        if (walk->leaf_depth == 0) {
            walk->leaf_depth = depth;
        }
        return walk->leaf_depth == depth ? NULL : "leaves of a B-tree are of one depth";
    }
    for (uint32_t i = 0; i <= head->keys; ++i) {
        const uint64_t from = i == 0 ? least : (uint64_t)keys[i - 1] + 1;
        const uint64_t to = i == head->keys ? most : (uint64_t)keys[i] - 1;
        const char* const broken =
            check_node(walk, children_of(tree, node)[i], depth + 1, from, to);
        if (broken != NULL) {
            return broken;
        }
    }
    return NULL;
}

const char* btree_check(const struct btree* tree) {
    struct walk walk = {tree, 0, 0, 0};
    if (tree->root != kNoIndex) {
        const char* const broken = check_node(&walk, tree->root, 1, 0, UINT32_MAX);
        if (broken != NULL) {
            return broken;
        }
    }
    if (walk.keys != tree->keys || walk.nodes != tree->used) {
        return "a B-tree has the keys and nodes that were put in";
    }
    return NULL;
}
