#include "arena.h"

void* arena_take(struct arena* arena, size_t bytes) {
    const size_t start = arena->used;
    arena->used += (bytes + 7u) & ~(size_t)7u;
    return arena->base == NULL || arena->used > arena->size ? NULL : arena->base + start;
}
