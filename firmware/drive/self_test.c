#include "self_test.h"

#include <stddef.h>

static const uint32_t kPolicies[] = {kDriveLruPage, kDriveLruBlock, kDriveNoBuffer};
static const uint32_t kModes[] = {kDriveSticky, kDriveFree, kDriveMove};

/* Policies by pace and allocator. */
uint32_t self_test_drives(void) {
    return 12;
}

struct drive_config self_test_config(uint32_t number) {
    struct drive_config config = {.channels = 2, .ways = 2, .dies_per_way = 1 + number % 2};
    config.planes_per_die = 1 + number / 2 % 2;
    config.blocks_per_plane = 12;
    config.pages_per_block = 8;
    config.logical_pages = drive_planes(&config) * 7 * 8; /* 7 of 12 blocks */
    config.policy = kPolicies[number % 3];
    config.frames = config.policy == kDriveNoBuffer ? 0 : 16 + number;
    config.units_on_full = number % 4 == 0 ? 1 : drive_dies(&config);
    config.read_touch = number % 2;
    config.allocator = number < 6 ? kDriveBlockRoundRobin : kDrivePageOrder;
    config.round_robin = kModes[number % 3];
    config.order[0] = number % 2 == 0 ? 'c' : 'p';
    config.order[1] = 'w';
    config.order[2] = 'd';
    config.order[3] = number % 2 == 0 ? 'p' : 'c';
    config.gc_low = 1;
    config.gc_high = 2 + number % 2;
    config.gc_pace = number / 3 % 2 == 0 ? kDriveBurst : kDrivePaced;
    config.gc_background = number % 5 == 0 ? 4 : 0;
    return config;
}

static void add(uint32_t* digest, uint32_t word) {
    *digest = (*digest ^ word) * 16777619u;
}

static void take(void* context, const struct drive_operation* operation) {
    struct self_test_result* const result = (struct self_test_result*)context;
    uint32_t* const digest = &result->digest;
    ++result->operations;
    result->erases += operation->kind == kDriveErase;
    add(digest,
        operation->kind | (uint32_t)operation->origin << 8 | (uint32_t)operation->copies << 16);
    add(digest, operation->page);
    add(digest, operation->lpn);
    add(digest, operation->supersedes);
    add(digest, operation->frame);
    add(digest, operation->after);
}

static void add_decision(uint32_t* digest, const struct drive_decision* decision) {
    add(digest, (uint32_t)decision->hit | (uint32_t)decision->done << 1);
    add(digest, decision->frame);
    add(digest, decision->page);
    add(digest, decision->units);
    for (uint32_t i = 0; i < decision->victim_count; ++i) {
        add(digest, decision->victims[i].lpn);
        add(digest, decision->victims[i].frame);
        add(digest, decision->victims[i].plane);
    }
    for (uint32_t i = 0; i < decision->dropped_count; ++i) {
        add(digest, decision->dropped[i]);
    }
}

/* xorshift32 (Marsaglia, Journal of Statistical Software 8(14), 2003). */
static uint32_t draw(uint32_t* state, uint32_t bound) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return (uint32_t)((uint64_t)*state * bound >> 32);
}

static struct drive_decision call(struct drive* drive, const struct drive_config* config,
                                  uint32_t* state) {
    const uint32_t what = draw(state, 200);
    const uint32_t region = draw(state, 2) == 0 ? config->logical_pages / 8 : config->logical_pages;
    const uint32_t lpn = draw(state, region);
    if (what < 130) {
        return drive_write(drive, lpn);
    }
    if (what < 180) {
        return drive_read(drive, lpn);
    }
    if (what < 190) {
        return drive_write_through(drive, lpn);
    }
    if (what < 196) {
        const uint32_t left = config->logical_pages - lpn;
        return drive_trim(drive, lpn, left < 5 ? left : 5);
    }
    if (what < 198) {
        return drive_flush_step(drive);
    }
    return drive_maintain(drive, draw(state, drive_planes(config)), 3);
}

struct self_test_result self_test_run(uint32_t number, uint32_t calls, uint32_t seed, void* arena,
                                      uint64_t bytes) {
    const struct drive_config config = self_test_config(number);
    struct self_test_result result = {0, 0, 0, 2166136261u, NULL};
    const struct drive_sink sink = {take, &result, 0};
    struct drive* const drive = drive_init(&config, arena, bytes, sink, &result.problem);
    uint32_t state = seed == 0 ? 1 : seed;
    while (result.problem == NULL && result.calls < calls) {
        const struct drive_decision decision = call(drive, &config, &state);
        add_decision(&result.digest, &decision);
        result.problem = decision.error;
        ++result.calls;
    }
    return result;
}
