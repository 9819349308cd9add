/* One run: the workload played through the cache, from settings to counts. The host's program and
 * the processor's image do the same; both structures have one layout on both. */
#ifndef CAVERN_FIRMWARE_LOOKUP_SESSION_H
#define CAVERN_FIRMWARE_LOOKUP_SESSION_H

#include "access_log.h"
#include "ftl_cache.h"
#include "workload.h"

#ifdef __cplusplus
extern "C" {
#endif

struct session_settings {
    uint32_t look_up; /* row of the table */
    uint32_t frames, groups, order;
    uint32_t blocks, pages_per_block, low_watermark, high_watermark;
    uint32_t threads_per_kind, file_pages, page_bytes, least_bytes, most_bytes;
    uint32_t seed;
    /* Turns of all threads that are played first, by DX and not counted: what is cached does not
     * depend on the look-up. Then those that are. */
    uint32_t warm_up_turns, turns;
    uint32_t read_modify_write; /* 1: what a write covers in part is read before (default) */
    uint32_t prewrite_all;      /* 1: all files are there at the start; 0: those that are read */
    uint32_t fill_unwritten;    /* as in ftl_cache.h */
    uint32_t log_accesses;      /* 1: the image logs each access (costs cycles) */
};

struct session_result {
    struct ftl_cache_counts counts;
    struct look_up_cost cost;
    uint64_t records;
    uint64_t cycles; /* of the turns that are counted, on the processor */
    uint64_t tree_nodes;
    uint32_t
        clock_cycles; /* what two readings of the clock take: part of cost.cycles, each look-up */
    uint32_t done;    /* 1 at the end */
};

struct session {
    struct session_settings settings;
    struct ftl_cache cache;
    struct workload workload;
    struct access_log* log; /* NULL, or where the accesses of session_play go */
};

/* As the paper has it, with SG of 127 groups; a tenth of a second of work. */
struct session_settings session_defaults(void);

/* NULL, or what is wrong with the settings. */
const char* session_refuses(const struct session_settings* settings);

/* The bytes that a session with these settings needs. */
uint64_t session_bytes(const struct session_settings* settings);

/* Prewrites the files. False where the memory is too small. */
bool session_start(struct session* session, const struct session_settings* settings, void* memory,
                   uint64_t bytes);

/* Plays all turns. `clock` reads the processor's cycles; NULL where there are none to read. */
void session_play(struct session* session, uint32_t (*clock)(void), struct session_result* result);

/* One record through the cache, page by page. */
void session_play_record(struct session* session, const struct record* record);

#ifdef __cplusplus
}
#endif

#endif
