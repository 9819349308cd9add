#include "config.h"

#include <stdbool.h>
#include <stddef.h>

/* a * b, or 0 where that is 0 or does not fit: what follows is then refused. */
static uint32_t times(uint32_t a, uint32_t b) {
    const uint64_t product = (uint64_t)a * b;
    return product > UINT32_MAX ? 0 : (uint32_t)product;
}

static uint32_t raw_pages(const struct drive_config* c) {
    const uint32_t dies = times(times(c->channels, c->ways), c->dies_per_way);
    return times(times(times(dies, c->planes_per_die), c->blocks_per_plane), c->pages_per_block);
}

static bool is_order(const char* order) {
    unsigned seen = 0;
    for (int i = 0; i < 4; ++i) {
        seen |= order[i] == 'c' ? 1u : order[i] == 'w' ? 2u : order[i] == 'd' ? 4u : 0u;
        seen |= order[i] == 'p' ? 8u : 0u;
    }
    return seen == 15;
}

static const char* refuses_buffer(const struct drive_config* c) {
    if (c->policy > kDriveLruBlock) {
        return "an eviction policy other than none, lru-page and lru-block";
    }
    if ((c->policy == kDriveNoBuffer) != (c->frames == 0)) {
        return "a buffer without frames, or frames without a buffer";
    }
    if (c->policy != kDriveNoBuffer && c->units_on_full == 0) {
        return "an eviction of no page; at least 1 unit on a full buffer";
    }
    return c->frames > 0x40000000u ? "a buffer of more than 2^30 frames" : NULL;
}

static const char* refuses_allocator(const struct drive_config* c) {
    if (c->allocator == kDrivePageOrder) {
        return is_order(c->order) ? NULL : "an order that is no permutation of cwdp";
    }
    if (c->allocator != kDriveBlockRoundRobin) {
        return "an allocator other than orders by page and block-round-robin";
    }
    return c->round_robin > kDriveMove ? "a mode other than sticky, free and move" : NULL;
}

const char* drive_refuses(const struct drive_config* c) {
    const uint32_t pages = raw_pages(c);
    if (pages == 0 || pages > UINT32_MAX - 1) {
        return "a drive of no page, or of more than 2^32 - 2";
    }
    if (c->pages_per_block > 0xffff) {
        return "blocks of more than 65535 pages";
    }
    if (c->logical_pages == 0 || c->logical_pages > pages) {
        return "logical pages that are none, or more than the flash has";
    }
    if (c->gc_low < 1 || c->gc_high <= c->gc_low || c->gc_high >= c->blocks_per_plane) {
        return "watermarks that cannot work; 1 <= gc_low < gc_high < blocks of a plane";
    }
    if (c->gc_pace > kDrivePaced) {
        return "a pace of collection other than burst and paced";
    }
    const char* const problem = refuses_buffer(c);
    return problem != NULL ? problem : refuses_allocator(c);
}
