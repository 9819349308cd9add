#include "allocate.h"

#include "fault.h"

static const uint32_t kHasDie = 0x80000000u;

/* Planes count planes within the die fastest, then channels, ways and dies in the way. */
static void read_order(struct allocator* a, const struct drive_config* c) {
    const uint32_t per_way = c->planes_per_die * c->channels;
    for (int i = 0; i < 4; ++i) {
        switch (c->order[i]) {
        case 'c':
            a->digits[i].size = c->channels;
            a->digits[i].stride = c->planes_per_die;
            break;
        case 'w':
            a->digits[i].size = c->ways;
            a->digits[i].stride = per_way;
            break;
        case 'd':
            a->digits[i].size = c->dies_per_way;
            a->digits[i].stride = per_way * c->ways;
            break;
        default:
            a->digits[i].size = c->planes_per_die;
            a->digits[i].stride = 1;
            break;
        }
    }
}

bool allocate_start(struct allocator* a, struct memory* memory, const struct drive_config* c) {
    a->round_robin = c->allocator == kDriveBlockRoundRobin;
    a->sticky = c->round_robin == kDriveSticky;
    a->dies = drive_dies(c);
    a->planes_per_die = c->planes_per_die;
    a->pages_per_block = c->pages_per_block;
    a->next_die = 0;
    if (!a->round_robin) {
        read_order(a, c);
        return true;
    }
    const uint32_t blocks = (c->logical_pages - 1) / c->pages_per_block + 1;
    a->next_plane = (uint32_t*)memory_take(memory, a->dies, sizeof(uint32_t));
    a->home = (uint32_t*)memory_take(memory, blocks, sizeof(uint32_t));
    return a->home != NULL;
}

static uint32_t plane_by_address(const struct allocator* a, uint32_t lpn) {
    uint32_t plane = 0;
    for (int i = 0; i < 4; ++i) {
        const uint32_t size = a->digits[i].size;
        if (size != 1) { /* a division takes as long as 37 other instructions */
            const uint32_t rest = lpn / size;
            plane += (lpn - rest * size) * a->digits[i].stride;
            lpn = rest;
        }
    }
    return plane;
}

/* The plane of the die whose turn it is, those without room passed over; DRIVE_NONE: all are. */
static uint32_t plane_in_turn(const struct allocator* a, const struct flash* flash, uint32_t die) {
    uint32_t plane = a->next_plane[die];
    for (uint32_t tried = 0; tried < a->planes_per_die; ++tried) {
        const uint32_t candidate = die * a->planes_per_die + plane;
        if (flash_has_room(flash, candidate)) {
            return candidate;
        }
        plane = plane + 1 == a->planes_per_die ? 0 : plane + 1;
    }
    return DRIVE_NONE;
}

static uint32_t die_in_turn(struct allocator* a, const struct flash* flash) {
    for (uint32_t tried = 0; tried < a->dies; ++tried) {
        const uint32_t die = a->next_die;
        a->next_die = die + 1 == a->dies ? 0 : die + 1;
        if (plane_in_turn(a, flash, die) != DRIVE_NONE) {
            return DRIVE_FAULT(kDriveWrongDie) ? a->next_die : die;
        }
    }
    return DRIVE_NONE;
}

static bool place_in_turn(struct allocator* a, const struct flash* flash,
                          struct drive_victim* page) {
    uint32_t* const home = &a->home[page->lpn / a->pages_per_block];
    if ((*home & kHasDie) == 0) {
        uint32_t die = *home - 1;
        if (!a->sticky || *home == 0 || plane_in_turn(a, flash, die) == DRIVE_NONE) {
            die = die_in_turn(a, flash);
        }
        if (die == DRIVE_NONE) {
            return false;
        }
        *home = (die + 1) | kHasDie;
    }
    const uint32_t die = (*home & ~kHasDie) - 1;
    page->plane = plane_in_turn(a, flash, die);
    if (page->plane == DRIVE_NONE) {
        return false;
    }
    const uint32_t turn = page->plane - die * a->planes_per_die + 1;
    a->next_plane[die] = turn == a->planes_per_die ? 0 : turn;
    return true;
}

bool allocate_place(struct allocator* a, const struct flash* flash, struct drive_victim* pages,
                    uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        if (!a->round_robin) {
            pages[i].plane = plane_by_address(a, pages[i].lpn);
        } else if (!place_in_turn(a, flash, &pages[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; a->round_robin && i < count; ++i) {
        a->home[pages[i].lpn / a->pages_per_block] &= ~kHasDie;
    }
    return true;
}
