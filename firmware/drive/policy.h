/* Which page (lru-page) or logical block (lru-block: CAVE 4.2 and Fig. 3) leaves the buffer next.
 * The policy keeps the order alone; what is in the buffer is buffer.h's. */
#ifndef CAVERN_FIRMWARE_DRIVE_POLICY_H
#define CAVERN_FIRMWARE_DRIVE_POLICY_H

#include "clusters.h"
#include "recency.h"

struct policy {
    bool blocks;              /* units are logical blocks */
    struct recency order;     /* over frames, or over clusters */
    struct clusters clusters; /* with blocks */
};

bool policy_start(struct policy* policy, struct memory* memory, bool blocks, uint32_t frames,
                  uint32_t pages_per_block);

void policy_insert(struct policy* policy, uint32_t frame, uint32_t lpn);
void policy_hit(struct policy* policy, uint32_t frame);
void policy_remove(struct policy* policy, uint32_t frame);

/* Takes the next unit off the order; its frames go into `frames`, ascending by logical page.
 * Returns how many they are, 0 where none is left. */
uint32_t policy_pop(struct policy* policy, uint32_t* frames);

#endif
