#include "policy.h"

#include "fault.h"

bool policy_start(struct policy* policy, struct memory* memory, bool blocks, uint32_t frames,
                  uint32_t pages_per_block) {
    policy->blocks = blocks;
    bool started = recency_start(&policy->order, memory, frames);
    if (blocks) {
        started &= clusters_start(&policy->clusters, memory, frames, pages_per_block);
    }
    return started;
}

void policy_insert(struct policy* policy, uint32_t frame, uint32_t lpn) {
    if (!policy->blocks) {
        recency_add(&policy->order, frame);
        return;
    }
    const uint32_t cluster = clusters_add(&policy->clusters, frame, lpn);
    if (policy->clusters.clusters[cluster].size == 1) {
        recency_add(&policy->order, cluster);
    } else {
        recency_touch(&policy->order, cluster);
    }
}

void policy_hit(struct policy* policy, uint32_t frame) {
    if (DRIVE_FAULT(kDriveLruPointerNotMoved)) {
        return;
    }
    recency_touch(&policy->order, policy->blocks ? policy->clusters.pages[frame].cluster : frame);
}

void policy_remove(struct policy* policy, uint32_t frame) {
    if (!policy->blocks) {
        recency_remove(&policy->order, frame);
        return;
    }
    const uint32_t cluster = clusters_remove(&policy->clusters, frame);
    if (policy->clusters.clusters[cluster].size == 0) {
        recency_remove(&policy->order, cluster);
    }
}

uint32_t policy_pop(struct policy* policy, uint32_t* frames) {
    const uint32_t unit = policy->order.lru;
    if (unit == DRIVE_NONE) {
        return 0;
    }
    recency_remove(&policy->order, unit);
    if (policy->blocks) {
        return clusters_take(&policy->clusters, unit, frames);
    }
    frames[0] = unit;
    return 1;
}
