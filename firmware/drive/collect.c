#include "collect.h"

#include "fault.h"
#include "issue.h"
#include "map.h"
#include "victim.h"

static uint32_t high_watermark(const struct flash* flash) {
    return flash->gc_high - (DRIVE_FAULT(kDriveWatermarkOffByOne) ? 1u : 0u);
}

/* Reads the page and programs it anew at the end of `to`; returns the number of the program. */
static uint32_t copy(struct flash* flash, uint32_t from, struct frontier* to,
                     struct drive_sink* sink) {
    const uint32_t lpn = flash->owner[from];
    struct drive_operation operation = drive_operation_on(kDriveRead, kDriveCollection, from, lpn);
    const uint32_t read = drive_issue(sink, &operation);
    operation.kind = kDriveProgram;
    operation.copies = 1;
    operation.page = map_append(flash, to, lpn);
    operation.supersedes = from;
    operation.after = read;
    return drive_issue(sink, &operation);
}

/* So many valid pages of the block being emptied, ascending, to the block that is filled with
 * copies. What they need is always there: the last free block is kept from the host. */
static bool move_pages(struct flash* flash, struct emptying* task, uint32_t copies,
                       struct drive_sink* sink, uint32_t* last) {
    const uint32_t victim = task->block - 1;
    const uint32_t number = flash_plane_of(flash, victim);
    struct frontier* const to = &flash->plane[number].copies;
    for (uint32_t moved = 0; moved < copies; ++task->next) {
        if (task->next == flash->pages_per_block) {
            flash->problem = "a block has fewer valid pages than counted";
            return false;
        }
        const uint32_t from = victim * flash->pages_per_block + task->next;
        if (!map_is_valid(flash, from)) {
            continue;
        }
        if (!frontier_is_open(to)) {
            if (flash->plane[number].free == 0) {
                flash->problem = "a plane has no block for what is collected";
                return false;
            }
            frontier_open(flash, to, number);
        }
        *last = copy(flash, from, to, sink);
        ++moved;
    }
    flash->block[victim].valid = (uint16_t)(flash->block[victim].valid - copies);
    return true;
}

static void erase(struct flash* flash, uint32_t block, uint32_t after, struct drive_sink* sink) {
    struct drive_operation operation = drive_operation_on(
        kDriveErase, kDriveCollection, block * flash->pages_per_block, DRIVE_NONE);
    operation.after = after;
    drive_issue(sink, &operation);
    ++flash->block[block].erases;
    flash_give_back(flash, block);
}

static bool relocate(struct flash* flash, uint32_t victim, struct drive_sink* sink) {
    struct emptying task = {victim + 1, 0, 0, 0, 0};
    uint32_t last = DRIVE_NONE;
    victim_withdraw(flash, victim);
    if (!move_pages(flash, &task, flash->block[victim].valid, sink, &last)) {
        return false;
    }
    erase(flash, victim, last, sink);
    return true;
}

static bool collect_burst(struct flash* flash, uint32_t plane, struct drive_sink* sink) {
    while (flash->plane[plane].free < high_watermark(flash)) {
        const uint32_t victim = victim_choose(flash, plane);
        if (victim == DRIVE_NONE) {
            return true;
        }
        if (!relocate(flash, victim, sink)) {
            return false;
        }
    }
    return true;
}

/* ---- in steps --------------------------------------------------------------------------------*/

/* Free pages, those of the blocks being filled among them. */
static uint32_t pages_to_fill(const struct flash* flash, const struct plane* plane) {
    return plane->free * flash->pages_per_block + frontier_left(&plane->host) +
           frontier_left(&plane->copies);
}

static uint32_t pages_wanted(const struct flash* flash) {
    return (high_watermark(flash) + 1) * flash->pages_per_block;
}

static bool begin_emptying(struct flash* flash, uint32_t plane) {
    const uint32_t victim = victim_choose(flash, plane);
    if (victim == DRIVE_NONE) {
        return false;
    }
    struct block* const block = &flash->block[victim];
    victim_withdraw(flash, victim);
    block->use = kBlockEmptied;
    flash->plane[plane].task =
        (struct emptying){victim + 1, 0, block->valid, flash->pages_per_block - block->valid, 0};
    return true;
}

/* At most `copies` pages, and the erase when none is left. */
static bool empty(struct flash* flash, uint32_t plane, uint32_t copies, struct drive_sink* sink) {
    struct emptying* const task = &flash->plane[plane].task;
    const uint32_t victim = task->block - 1;
    const uint32_t left = flash->block[victim].valid;
    uint32_t last = DRIVE_NONE;
    if (!move_pages(flash, task, copies < left ? copies : left, sink, &last)) {
        return false;
    }
    if (flash->block[victim].valid == 0) {
        task->block = 0;
        erase(flash, victim, last, sink);
    }
    return true;
}

static bool collect_paced(struct flash* flash, uint32_t number, struct drive_sink* sink) {
    struct plane* const plane = &flash->plane[number];
    struct emptying* const task = &plane->task;
    if (task->block == 0 && pages_to_fill(flash, plane) <= pages_wanted(flash)) {
        begin_emptying(flash, number);
    }
    if (task->block != 0) {
        task->owed += task->copies;
        const uint32_t due = task->owed / task->pages;
        task->owed -= due * task->pages;
        if (!empty(flash, number, due, sink)) {
            return false;
        }
    }
    while (!frontier_is_open(&plane->host) && plane->free <= flash->gc_low) {
        if (task->block == 0 && !begin_emptying(flash, number)) {
            return true;
        }
        if (!empty(flash, number, flash->pages_per_block, sink)) {
            return false;
        }
    }
    return true;
}

/* Where the host thinks again: with each page while a block is emptied, and before the free pages
 * run short. */
static void limit(const struct flash* flash, struct plane* plane) {
    struct frontier* const host = &plane->host;
    uint32_t ahead = frontier_left(host);
    if (flash->paced) {
        const uint32_t free = pages_to_fill(flash, plane);
        const uint32_t wanted = pages_wanted(flash);
        const uint32_t until = plane->task.block != 0 || free <= wanted ? 1 : free - wanted;
        ahead = until < ahead ? until : ahead;
    }
    host->stop = host->next + ahead;
}

bool collect_make_room(struct flash* flash, uint32_t number, struct drive_sink* sink) {
    struct plane* const plane = &flash->plane[number];
    if (flash->paced) {
        if (!collect_paced(flash, number, sink)) {
            return false;
        }
    } else if (!frontier_is_open(&plane->host) && plane->free <= flash->gc_low) {
        if (!collect_burst(flash, number, sink)) {
            return false;
        }
    }
    if (!frontier_is_open(&plane->host)) {
        if (plane->free <= kKeptFromHost) {
            flash->problem = "a plane has no room for a page of the host";
            return false;
        }
        frontier_open(flash, &plane->host, number);
    }
    limit(flash, plane);
    return true;
}

enum collected collect_ahead(struct flash* flash, uint32_t number, uint32_t copies,
                             struct drive_sink* sink) {
    struct plane* const plane = &flash->plane[number];
    if (plane->free >= flash->gc_background) {
        return kCollectedNothing;
    }
    bool collected = false;
    if (flash->paced) {
        if (plane->task.block == 0 && !begin_emptying(flash, number)) {
            return kCollectedNothing;
        }
        collected = empty(flash, number, copies, sink);
    } else {
        const uint32_t victim = victim_choose(flash, number);
        if (victim == DRIVE_NONE) {
            return kCollectedNothing;
        }
        collected = relocate(flash, victim, sink);
    }
    limit(flash, plane);
    return collected ? kCollected : kNoRoomToCollect;
}
