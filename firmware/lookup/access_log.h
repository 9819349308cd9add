/* What each access of a page through the cache took, for those who work out costs. */
#ifndef CAVERN_FIRMWARE_LOOKUP_ACCESS_LOG_H
#define CAVERN_FIRMWARE_LOOKUP_ACCESS_LOG_H

#include <stdint.h>

/* One layout on host and processor. */
struct access_cost {
    uint32_t cycles;      /* of the processor, from clock to clock; 0 on the host */
    uint32_t find_cycles; /* of these in the look-up, from clock to clock */
    uint32_t compares;    /* 0 in an image that does not count */
    uint8_t write;
    uint8_t look_up; /* it was looked up */
    uint8_t hit;
    uint8_t flush; /* a dirty page was evicted */
};

enum { kMostLogged = 4096 };

/* The first accesses of the turns that are counted. */
struct access_log {
    uint32_t count; /* of all, logged or not */
    struct access_cost entries[kMostLogged];
};

#endif
