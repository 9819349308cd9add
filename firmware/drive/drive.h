/* A small drive: what is done with each page that the host writes, reads or trims. It decides as
 * the decision core of the model does (model/core/drive/drive_core.h); docs/firmware.md says what
 * it has of it. No call takes time into account, none allocates.
 *
 * A call answers with a decision and gives the flash operations that it takes to the sink, in
 * order. After a decision with an error the drive is of no use any more. */
#ifndef CAVERN_FIRMWARE_DRIVE_DRIVE_H
#define CAVERN_FIRMWARE_DRIVE_DRIVE_H

#include "config.h"
#include "operation.h"

struct drive;

struct drive_victim {
    uint32_t lpn, frame, plane; /* frame: DRIVE_NONE where it was in none */
};

/* What was decided. The arrays are valid until the next call. */
struct drive_decision {
    bool hit;       /* the page is, or was, in the buffer */
    bool done;      /* of flush_step and maintain: there was something to do */
    uint32_t frame; /* that the page is in, or was before it was written through; or DRIVE_NONE */
    uint32_t page;  /* where a read that misses finds it; DRIVE_NONE: nowhere */
    const struct drive_victim* victims; /* pages that leave for the flash, in order */
    uint32_t victim_count;
    uint32_t units;          /* that leave: pages or logical blocks */
    const uint32_t* dropped; /* frames of the pages that a TRIM took out of the buffer */
    uint32_t dropped_count;
    uint32_t operations; /* that were given to the sink */
    const char* error;   /* NULL, or what the firmware cannot do */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of the arena that a drive needs. */
uint64_t drive_bytes(const struct drive_config* config);

/* A drive with nothing written, in the arena, which is aligned to 8 and the drive's from now on.
 * NULL where there can be none; then `*problem` says why. */
struct drive* drive_init(const struct drive_config* config, void* arena, uint64_t bytes,
                         struct drive_sink sink, const char** problem);

struct drive_decision drive_write(struct drive* drive, uint32_t lpn);
/* A write that is done when it is in flash. */
struct drive_decision drive_write_through(struct drive* drive, uint32_t lpn);
struct drive_decision drive_read(struct drive* drive, uint32_t lpn);
struct drive_decision drive_trim(struct drive* drive, uint32_t first, uint32_t count);
/* The next batch of a FLUSH; not `done` where nothing is dirty any more. */
struct drive_decision drive_flush_step(struct drive* drive);
/* Collects ahead of need for an idle plane (gc_background). */
struct drive_decision drive_maintain(struct drive* drive, uint32_t plane, uint32_t copies);
/* Pages that are written together past the buffer, one after the other: what fills a drive before
 * it is used. `pages` is the caller's; their planes are filled in. */
struct drive_decision drive_fill(struct drive* drive, struct drive_victim* pages, uint32_t count);

#ifdef __cplusplus
}
#endif

#endif
