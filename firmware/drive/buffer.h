/* The write buffer: which page is in which frame, and who leaves when there is no room. Every page
 * in it is dirty: reads are not kept, and a FLUSH empties it. */
#ifndef CAVERN_FIRMWARE_DRIVE_BUFFER_H
#define CAVERN_FIRMWARE_DRIVE_BUFFER_H

#include "drive.h"
#include "policy.h"

struct buffer {
    uint32_t frames, used, units_on_full;
    bool read_touch;
    struct policy policy;
    struct index_map resident;
    uint32_t* lpn;                /* by frame */
    uint32_t* unused;             /* ring of frames, that which is free longest first */
    uint32_t next;                /* of the ring */
    uint32_t* unit;               /* frames of the unit that leaves */
    struct drive_victim* victims; /* of the latest decision, in the order of leaving */
    uint32_t victim_count, units;
};

bool buffer_start(struct buffer* buffer, struct memory* memory, const struct drive_config* config);

/* The frame of the page, or DRIVE_NONE. */
uint32_t buffer_find(const struct buffer* buffer, uint32_t lpn);

/* Uses of a page that is there. */
void buffer_write_hit(struct buffer* buffer, uint32_t frame);
void buffer_read_hit(struct buffer* buffer, uint32_t frame);

/* A page that is not there gets a frame, which is returned; a full buffer evicts first. */
uint32_t buffer_insert(struct buffer* buffer, uint32_t lpn);

/* A page that is there leaves at once as the only victim; or, with DRIVE_NONE, one that is not. */
void buffer_write_through(struct buffer* buffer, uint32_t lpn, uint32_t frame);

/* The page leaves unwritten. */
void buffer_drop(struct buffer* buffer, uint32_t frame);

/* The next batch of a FLUSH; false where nothing is left. */
bool buffer_evict(struct buffer* buffer);

#endif
