/* A frame of the data cache: what is known of 8 KiB of cached data (Fig. 3, FCACHE). 12 bytes on
 * the processor. There is no dirty bit: a page is dirty when the map says that it is only in the
 * cache. */
#ifndef CAVERN_FIRMWARE_LOOKUP_FRAME_H
#define CAVERN_FIRMWARE_LOOKUP_FRAME_H

#include <stdint.h>

static const uint32_t kNoPage = 0xffffffffu; /* logical page of an empty frame */
enum { kNoIndex = 0xffffu };
/* Frames are counted in 16 bits where the links are packed. */
enum { kMostFrames = 0xffff };

struct frame;

/* The links as the paper has them. */
struct pointer_links {
    struct frame* plink; /* towards the LRU end */
    struct frame* nlink; /* towards the MRU end */
};

/* The same two links as numbers of frames leave room for the physical page (look-up DX). */
struct packed_links {
    uint16_t plink, nlink;
    uint32_t page; /* physical page, or a code of map_word.h */
};

struct frame {
    uint32_t lpn; /* logical page, or kNoPage */
    union {
        struct pointer_links pointers;
        struct packed_links packed;
    };
};

#if UINTPTR_MAX == 0xffffffffu && !defined(__cplusplus)
_Static_assert(sizeof(struct frame) == 12, "the memory that the documents state");
#endif

#endif
