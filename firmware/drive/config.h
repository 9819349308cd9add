/* What the drive is built as: the shape of its flash and the schemes that decide. The names are
 * those of the configuration of the model. One layout on host and processor. */
#ifndef CAVERN_FIRMWARE_DRIVE_CONFIG_H
#define CAVERN_FIRMWARE_DRIVE_CONFIG_H

#include <stdint.h>

enum drive_policy {
    kDriveNoBuffer, /* every write is programmed at once */
    kDriveLruPage,  /* lru-page */
    kDriveLruBlock  /* lru-block */
};

enum drive_allocator {
    kDrivePageOrder,      /* by address: stripe-page, and the orders such as "cwdp" */
    kDriveBlockRoundRobin /* block-round-robin */
};

/* Of block-round-robin: what happens to the die of a logical block that is evicted again. `move` is
 * `free` here: only translation layers that map blocks move data. */
enum drive_round_robin { kDriveSticky, kDriveFree, kDriveMove };

enum drive_pace { kDriveBurst, kDrivePaced };

struct drive_config {
    uint32_t channels, ways, dies_per_way, planes_per_die, blocks_per_plane, pages_per_block;
    uint32_t logical_pages; /* that the host sees */

    uint32_t policy;
    uint32_t frames;        /* pages of the buffer; 0 without one */
    uint32_t units_on_full; /* pages or logical blocks that leave together: 1 is `single`; with
                               `cave` buffer.cave.victims, by itself the dies */
    uint32_t read_touch;    /* 1: a read hit counts as use */

    uint32_t allocator;
    uint32_t round_robin;
    char order[4]; /* of channel (c), way (w), die in the way (d) and plane (p), fastest first */

    uint32_t gc_low, gc_high; /* free blocks of a plane */
    uint32_t gc_pace;
    uint32_t gc_background; /* free blocks to which idle planes are brought; 0: none */
};

#ifdef __cplusplus
extern "C" {
#endif

/* NULL, or why no drive can be built so, for a person to read. */
const char* drive_refuses(const struct drive_config* config);

static inline uint32_t drive_dies(const struct drive_config* config) {
    return config->channels * config->ways * config->dies_per_way;
}

static inline uint32_t drive_planes(const struct drive_config* config) {
    return drive_dies(config) * config->planes_per_die;
}

static inline uint32_t drive_blocks(const struct drive_config* config) {
    return drive_planes(config) * config->blocks_per_plane;
}

#ifdef __cplusplus
}
#endif

#endif
