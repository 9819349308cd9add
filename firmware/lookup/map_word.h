/* A word of the map: 25 bits of physical page and 7 bits for the search in the cache (Lee & Chung
 * 2020, IV.2).
 *
 * The paper's 256 GB hold 2^25 pages of 8 KB, so that every code of 25 bits is a page, and it uses
 * two codes more: -1 (never written) and NULL (only in the cache). Here these are the last two page
 * numbers; the block that has them is not used. A page that is only in the cache keeps its bits for
 * the search: without them it could not be found. */
#ifndef CAVERN_FIRMWARE_LOOKUP_MAP_WORD_H
#define CAVERN_FIRMWARE_LOOKUP_MAP_WORD_H

#include <stdint.h>

enum { kMapPageBits = 25 };
enum { kMapPageMask = (1 << kMapPageBits) - 1 };
/* Codes in place of a physical page. */
enum { kNeverWritten = kMapPageMask, kOnlyInCache = kMapPageMask - 1 };
/* Physical pages that can be named. */
enum { kMapMostPages = kMapPageMask - 1 };
/* What 7 bits can say beside 0, not in the cache. */
enum { kMostSearchGroups = 127 };

static inline uint32_t map_page(uint32_t word) {
    return word & kMapPageMask;
}

static inline uint32_t map_search_bits(uint32_t word) {
    return word >> kMapPageBits;
}

static inline uint32_t map_word(uint32_t search_bits, uint32_t page) {
    return search_bits << kMapPageBits | page;
}

#endif
