#include "btree_node.h"
#include "counting.h"

uint32_t btree_node_bytes(uint32_t order) {
    return (4 + 6 * (order - 1) + 2 * order + 3) & ~3u;
}

uint32_t btree_most_nodes(uint32_t order, uint32_t keys) {
    const uint32_t least = (order + 1) / 2 - 1;
    return keys / least + 2;
}

bool btree_start(struct btree* tree, struct arena* arena, uint32_t order, uint32_t keys) {
    tree->order = order;
    tree->node_bytes = btree_node_bytes(order);
    tree->nodes =
        (uint8_t*)arena_take(arena, (size_t)btree_most_nodes(order, keys) * tree->node_bytes);
    tree->root = kNoIndex;
    tree->free_node = kNoIndex;
    tree->fresh = 0;
    tree->keys = tree->used = tree->most_used = 0;
    return tree->nodes != NULL;
}

/* The first key that is not smaller; the number of keys if all are. */
static uint32_t position(const struct btree* tree, uint16_t node, uint32_t key) {
    const uint32_t* const keys = keys_of(tree, node);
    const uint32_t count = head_of(tree, node)->keys;
    uint32_t i = 0;
    while (i < count && keys[i] < key) {
        ++i;
    }
    return i;
}

uint16_t btree_find(const struct btree* tree, uint32_t key, struct btree_cost* cost) {
    uint16_t node = tree->root;
    while (node != kNoIndex) {
        const uint32_t count = head_of(tree, node)->keys;
        const uint32_t i = position(tree, node, key);
        if (kCounting) {
            ++cost->nodes;
            cost->compares += i < count ? i + 1 : count;
        }
        if (i < count && keys_of(tree, node)[i] == key) {
            return frames_of(tree, node)[i];
        }
        node = head_of(tree, node)->leaf ? (uint16_t)kNoIndex : children_of(tree, node)[i];
    }
    return kNoIndex;
}

static uint16_t new_node(struct btree* tree, bool leaf) {
    uint16_t node = tree->free_node;
    if (node == kNoIndex) {
        node = tree->fresh++;
    } else {
        tree->free_node = children_of(tree, node)[0];
    }
    head_of(tree, node)->keys = 0;
    head_of(tree, node)->leaf = leaf;
    if (++tree->used > tree->most_used) {
        tree->most_used = tree->used;
    }
    return node;
}

static void drop_node(struct btree* tree, uint16_t node) {
    children_of(tree, node)[0] = tree->free_node;
    tree->free_node = node;
    --tree->used;
}

/* The way from the root to a leaf: each node, and which child or key of it. */
struct way {
    uint16_t node[kMostLevels];
    uint32_t at[kMostLevels];
    uint32_t depth;
};

/* A key with its frame, and the child to the right of it. */
struct entry {
    uint32_t key;
    uint16_t frame;
    uint16_t right;
};

static void put(struct btree* tree, uint16_t node, uint32_t i, const struct entry* entry) {
    uint32_t* const keys = keys_of(tree, node);
    uint16_t* const frames = frames_of(tree, node);
    uint16_t* const children = children_of(tree, node);
    const uint32_t count = head_of(tree, node)->keys++;
    const bool leaf = head_of(tree, node)->leaf;
    for (uint32_t k = count; k > i; --k) {
        keys[k] = keys[k - 1];
        frames[k] = frames[k - 1];
        if (!leaf) {
            children[k + 1] = children[k];
        }
    }
    keys[i] = entry->key;
    frames[i] = entry->frame;
    if (!leaf) {
        children[i + 1] = entry->right;
    }
}

/* The node is full: with the entry it has as many keys as the order, and the middle one goes up. */
static void split(struct btree* tree, uint16_t node, uint32_t i, struct entry* entry) {
    struct entry all[kMostOrder];
    const uint32_t order = tree->order;
    const bool leaf = head_of(tree, node)->leaf;
    for (uint32_t k = 0, from = 0; k < order; ++k) {
        if (k == i) {
            all[k] = *entry;
            continue;
        }
        all[k].key = keys_of(tree, node)[from];
        all[k].frame = frames_of(tree, node)[from];
        all[k].right = leaf ? (uint16_t)kNoIndex : children_of(tree, node)[from + 1];
        ++from;
    }
    const uint32_t middle = order / 2;
    const uint16_t right = new_node(tree, leaf);
    head_of(tree, node)->keys = 0;
    for (uint32_t k = 0; k < middle; ++k) {
        put(tree, node, k, &all[k]);
    }
    if (!leaf) {
        children_of(tree, right)[0] = all[middle].right;
    }
    for (uint32_t k = middle + 1; k < order; ++k) {
        put(tree, right, k - middle - 1, &all[k]);
    }
    *entry = all[middle];
    entry->right = right;
}

void btree_insert(struct btree* tree, uint32_t key, uint16_t frame) {
    struct way way;
    way.depth = 0;
    for (uint16_t node = tree->root; node != kNoIndex;) {
        const uint32_t i = position(tree, node, key);
        way.node[way.depth] = node;
        way.at[way.depth++] = i;
        node = head_of(tree, node)->leaf ? (uint16_t)kNoIndex : children_of(tree, node)[i];
    }
    ++tree->keys;
    struct entry entry = {key, frame, kNoIndex};
    while (way.depth > 0) {
        const uint16_t node = way.node[--way.depth];
        if (head_of(tree, node)->keys < tree->order - 1) {
            put(tree, node, way.at[way.depth], &entry);
            return;
        }
        split(tree, node, way.at[way.depth], &entry);
    }
    const uint16_t old = tree->root;
    tree->root = new_node(tree, old == kNoIndex);
    if (old != kNoIndex) {
        children_of(tree, tree->root)[0] = old;
    }
    put(tree, tree->root, 0, &entry);
}

/* Takes away key i, and the child to the right of it. */
static void cut(struct btree* tree, uint16_t node, uint32_t i) {
    uint32_t* const keys = keys_of(tree, node);
    uint16_t* const frames = frames_of(tree, node);
    uint16_t* const children = children_of(tree, node);
    const uint32_t count = --head_of(tree, node)->keys;
    const bool leaf = head_of(tree, node)->leaf;
    for (uint32_t k = i; k < count; ++k) {
        keys[k] = keys[k + 1];
        frames[k] = frames[k + 1];
        if (!leaf) {
            children[k + 1] = children[k + 2];
        }
    }
}

/* The last key of the left neighbour goes up, and the one between the two comes down. */
static void borrow_left(struct btree* tree, uint16_t parent, uint32_t i) {
    const uint16_t left = children_of(tree, parent)[i - 1];
    const uint16_t node = children_of(tree, parent)[i];
    const uint32_t last = head_of(tree, left)->keys - 1u;
    struct entry entry = {keys_of(tree, parent)[i - 1], frames_of(tree, parent)[i - 1], kNoIndex};
    if (!head_of(tree, node)->leaf) {
        entry.right = children_of(tree, node)[0];
    }
    put(tree, node, 0, &entry);
    if (!head_of(tree, node)->leaf) {
        children_of(tree, node)[0] = children_of(tree, left)[last + 1];
    }
    keys_of(tree, parent)[i - 1] = keys_of(tree, left)[last];
    frames_of(tree, parent)[i - 1] = frames_of(tree, left)[last];
    --head_of(tree, left)->keys;
}

static void borrow_right(struct btree* tree, uint16_t parent, uint32_t i) {
    const uint16_t node = children_of(tree, parent)[i];
    const uint16_t right = children_of(tree, parent)[i + 1];
    const bool leaf = head_of(tree, node)->leaf;
    const struct entry entry = {keys_of(tree, parent)[i], frames_of(tree, parent)[i],
                                leaf ? (uint16_t)kNoIndex : children_of(tree, right)[0]};
    put(tree, node, head_of(tree, node)->keys, &entry);
    keys_of(tree, parent)[i] = keys_of(tree, right)[0];
    frames_of(tree, parent)[i] = frames_of(tree, right)[0];
    if (!leaf) {
        children_of(tree, right)[0] = children_of(tree, right)[1];
    }
    cut(tree, right, 0);
}

/* Child i and the one to the right of it become one, with the key between them. */
static void merge(struct btree* tree, uint16_t parent, uint32_t i) {
    const uint16_t left = children_of(tree, parent)[i];
    const uint16_t right = children_of(tree, parent)[i + 1];
    const bool leaf = head_of(tree, left)->leaf;
    struct entry entry = {keys_of(tree, parent)[i], frames_of(tree, parent)[i],
                          leaf ? (uint16_t)kNoIndex : children_of(tree, right)[0]};
    put(tree, left, head_of(tree, left)->keys, &entry);
    for (uint32_t k = 0; k < head_of(tree, right)->keys; ++k) {
        entry.key = keys_of(tree, right)[k];
        entry.frame = frames_of(tree, right)[k];
        entry.right = leaf ? (uint16_t)kNoIndex : children_of(tree, right)[k + 1];
        put(tree, left, head_of(tree, left)->keys, &entry);
    }
    drop_node(tree, right);
    cut(tree, parent, i);
}

/* Child i of the parent has a key too few. */
static void refill(struct btree* tree, uint16_t parent, uint32_t i) {
    const uint16_t* const children = children_of(tree, parent);
    const uint32_t least = least_keys(tree);
    const uint32_t count = head_of(tree, parent)->keys;
    if (i > 0 && head_of(tree, children[i - 1])->keys > least) {
        borrow_left(tree, parent, i);
    } else if (i < count && head_of(tree, children[i + 1])->keys > least) {
        borrow_right(tree, parent, i);
    } else {
        merge(tree, parent, i > 0 ? i - 1 : 0);
    }
}

void btree_remove(struct btree* tree, uint32_t key) {
    struct way way;
    way.depth = 0;
    uint16_t node = tree->root;
    uint32_t i = position(tree, node, key);
    while (i == head_of(tree, node)->keys || keys_of(tree, node)[i] != key) {
        way.node[way.depth] = node;
        way.at[way.depth++] = i;
        node = children_of(tree, node)[i];
        i = position(tree, node, key);
    }
    if (!head_of(tree, node)->leaf) { /* the largest key below it takes its place */
        const uint16_t inner = node;
        const uint32_t place = i;
        while (!head_of(tree, node)->leaf) {
            way.node[way.depth] = node;
            way.at[way.depth++] = i;
            node = children_of(tree, node)[i];
            i = head_of(tree, node)->keys;
        }
        --i;
        keys_of(tree, inner)[place] = keys_of(tree, node)[i];
        frames_of(tree, inner)[place] = frames_of(tree, node)[i];
    }
    cut(tree, node, i);
    --tree->keys;
    while (way.depth > 0 && head_of(tree, node)->keys < least_keys(tree)) {
        node = way.node[--way.depth];
        refill(tree, node, way.at[way.depth]);
    }
    node = tree->root;
    if (head_of(tree, node)->keys == 0) {
        tree->root = head_of(tree, node)->leaf ? (uint16_t)kNoIndex : children_of(tree, node)[0];
        drop_node(tree, node);
    }
}
