#include "index_map.h"

bool index_map_start(struct index_map* map, struct memory* memory, uint32_t entries) {
    uint32_t slots = 16;
    map->shift = 28;
    while (slots / 3 < entries / 2 + 1) { /* two thirds full at most */
        slots *= 2;
        --map->shift;
    }
    map->mask = slots - 1;
    map->slots = (struct index_slot*)memory_take(memory, slots, sizeof(struct index_slot));
    if (map->slots == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < slots; ++i) {
        map->slots[i].index = DRIVE_NONE;
    }
    return true;
}

/* The golden ratio spreads keys that follow each other. */
static uint32_t home(const struct index_map* map, uint32_t key) {
    return key * 0x9e3779b9u >> map->shift;
}

static uint32_t slot_of(const struct index_map* map, uint32_t key) {
    uint32_t i = home(map, key);
    while (map->slots[i].index != DRIVE_NONE && map->slots[i].key != key) {
        i = (i + 1) & map->mask;
    }
    return i;
}

uint32_t index_map_find(const struct index_map* map, uint32_t key) {
    return map->slots[slot_of(map, key)].index;
}

void index_map_add(struct index_map* map, uint32_t key, uint32_t index) {
    struct index_slot* const slot = &map->slots[slot_of(map, key)];
    slot->key = key;
    slot->index = index;
}

void index_map_remove(struct index_map* map, uint32_t key) {
    uint32_t hole = slot_of(map, key);
    for (uint32_t i = (hole + 1) & map->mask; map->slots[i].index != DRIVE_NONE;
         i = (i + 1) & map->mask) {
        /* What is not looked for between its home and the hole may fill it. */
        const uint32_t from = home(map, map->slots[i].key);
        if (((i - from) & map->mask) >= ((i - hole) & map->mask)) {
            map->slots[hole] = map->slots[i];
            hole = i;
        }
    }
    map->slots[hole].index = DRIVE_NONE;
}
