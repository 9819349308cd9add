#include "recency.h"

bool recency_start(struct recency* list, struct memory* memory, uint32_t size) {
    list->links = (struct recency_link*)memory_take(memory, size, sizeof(struct recency_link));
    list->lru = list->mru = DRIVE_NONE;
    return list->links != NULL;
}

void recency_add(struct recency* list, uint32_t index) {
    struct recency_link* const link = &list->links[index];
    link->older = list->mru;
    link->newer = DRIVE_NONE;
    if (list->mru == DRIVE_NONE) {
        list->lru = index;
    } else {
        list->links[list->mru].newer = index;
    }
    list->mru = index;
}

void recency_remove(struct recency* list, uint32_t index) {
    const struct recency_link link = list->links[index];
    if (link.older == DRIVE_NONE) {
        list->lru = link.newer;
    } else {
        list->links[link.older].newer = link.newer;
    }
    if (link.newer == DRIVE_NONE) {
        list->mru = link.older;
    } else {
        list->links[link.newer].older = link.older;
    }
}

void recency_touch(struct recency* list, uint32_t index) {
    if (index != list->mru) {
        recency_remove(list, index);
        recency_add(list, index);
    }
}
