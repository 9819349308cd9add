#include "lru_list.h"

#include <stddef.h>

static struct frame* at(const struct lru_lists* lists, uint16_t index) {
    return index == kNoIndex ? NULL : lists->frames + index;
}

static uint16_t index_of(const struct lru_lists* lists, const struct frame* frame) {
    return frame == NULL ? (uint16_t)kNoIndex : (uint16_t)(frame - lists->frames);
}

struct frame* lru_next(const struct lru_lists* lists, const struct frame* frame) {
    return lists->packed ? at(lists, frame->packed.nlink) : frame->pointers.nlink;
}

struct frame* lru_previous(const struct lru_lists* lists, const struct frame* frame) {
    return lists->packed ? at(lists, frame->packed.plink) : frame->pointers.plink;
}

static void set_next(const struct lru_lists* lists, struct frame* frame, struct frame* next) {
    if (lists->packed) {
        frame->packed.nlink = index_of(lists, next);
    } else {
        frame->pointers.nlink = next;
    }
}

static void set_previous(const struct lru_lists* lists, struct frame* frame,
                         struct frame* previous) {
    if (lists->packed) {
        frame->packed.plink = index_of(lists, previous);
    } else {
        frame->pointers.plink = previous;
    }
}

static void append(struct lru_lists* lists, struct frame* frame, uint32_t group) {
    struct frame* last = lists->cmru[group];
    set_previous(lists, frame, last);
    set_next(lists, frame, NULL);
    if (last == NULL) {
        lists->clru[group] = frame;
    } else {
        set_next(lists, last, frame);
    }
    lists->cmru[group] = frame;
}

void lru_build(struct lru_lists* lists) {
    for (uint32_t group = 0; group < lists->groups; ++group) {
        lists->clru[group] = lists->cmru[group] = NULL;
        for (uint32_t i = group; i < lists->frame_count; i += lists->groups) {
            append(lists, lists->frames + i, group);
        }
    }
}

void lru_touch(struct lru_lists* lists, struct frame* frame, uint32_t group) {
    struct frame* const previous = lru_previous(lists, frame);
    struct frame* const next = lru_next(lists, frame);
    if (next == NULL) {
        return; /* the most recently used already */
    }
    set_previous(lists, next, previous);
    if (previous == NULL) {
        lists->clru[group] = next;
    } else {
        set_next(lists, previous, next);
    }
    append(lists, frame, group);
}

void lru_repack(struct lru_lists* lists, bool packed) {
    struct lru_lists as = *lists;
    as.packed = packed;
    for (uint32_t group = 0; group < lists->groups; ++group) {
        struct frame* frame = lists->clru[group];
        struct frame* previous = NULL;
        while (frame != NULL) {
            struct frame* const next = lru_next(lists, frame);
            set_previous(&as, frame, previous);
            set_next(&as, frame, next);
            previous = frame;
            frame = next;
        }
    }
    lists->packed = packed;
}
