/* What the drive leaves in memory for its firmware before it starts: how it is built. It lies at
 * the start of the SDRAM. One layout on host and processor. */
#ifndef CAVERN_FIRMWARE_DRIVE_BOOT_H
#define CAVERN_FIRMWARE_DRIVE_BOOT_H

#include "../drive.h"

#define DRIVE_BOOT_ADDRESS 0x80000000u
#define DRIVE_BOOT_MAGIC 0x56495244u /* the bytes D, R, I, V */

struct drive_boot {
    uint32_t magic;
    uint32_t bytes;              /* of this struct */
    uint32_t arena, arena_bytes; /* memory for tables: address, aligned to 64, and size */
    struct drive_config config;
};

/* Bytes at the start of the arena that are the image's own: the pages that are written together
 * when the drive is filled. A multiple of 8. */
static inline uint64_t drive_boot_scratch(const struct drive_config* config) {
    const uint64_t bytes = sizeof(struct drive_victim);
    return (bytes * config->pages_per_block + 7u) / 8u * 8u;
}

#endif
