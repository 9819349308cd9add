#include "drive.h"

#include "allocate.h"
#include "buffer.h"
#include "collect.h"
#include "flash.h"
#include "issue.h"
#include "map.h"

struct drive {
    struct drive_config config;
    struct buffer buffer;
    struct allocator allocator;
    struct flash flash;
    struct drive_sink sink;
    uint32_t* dropped;
};

static const char kBeyond[] = "a page or plane beyond the drive";

/* Each part takes its memory, also where an earlier one found too little. */
static bool start_parts(struct drive* drive, struct memory* memory) {
    const struct drive_config* const config = &drive->config;
    bool started = buffer_start(&drive->buffer, memory, config);
    started &= allocate_start(&drive->allocator, memory, config);
    started &= flash_start(&drive->flash, memory, config);
    drive->dropped = (uint32_t*)memory_take(memory, config->frames, sizeof(uint32_t));
    return started && drive->dropped != NULL;
}

uint64_t drive_bytes(const struct drive_config* config) {
    struct memory counting = {NULL, 0, 0};
    struct drive nowhere = {.config = *config};
    (void)memory_take(&counting, 1, sizeof(struct drive));
    (void)start_parts(&nowhere, &counting);
    return counting.used;
}

struct drive* drive_init(const struct drive_config* config, void* arena, uint64_t bytes,
                         struct drive_sink sink, const char** problem) {
    *problem = drive_refuses(config);
    if (*problem != NULL) {
        return NULL;
    }
    const uint64_t needed = drive_bytes(config);
    if (arena == NULL || needed > bytes) {
        *problem = "a drive whose tables are larger than the memory given";
        return NULL;
    }
    for (uint64_t i = 0; i < needed / sizeof(uint64_t); ++i) {
        ((uint64_t*)arena)[i] = 0;
    }
    struct memory memory = {(uint8_t*)arena, bytes, 0};
    struct drive* const drive = (struct drive*)memory_take(&memory, 1, sizeof(struct drive));
    drive->config = *config;
    drive->sink = sink;
    if (!start_parts(drive, &memory)) {
        *problem = "a drive whose tables do not fit"; /* drive_bytes() has added up too little */
        return NULL;
    }
    return drive;
}

static const char* problem_of(const struct drive* drive) {
    const char* const problem = drive->flash.problem;
    return problem != NULL ? problem : "no plane has room for another page";
}

static struct drive_decision begin(struct drive* drive) {
    const struct drive_decision nothing = {.frame = DRIVE_NONE, .page = DRIVE_NONE};
    drive->sink.taken = 0;
    return nothing;
}

static bool is_beyond(const struct drive* drive, uint32_t first, uint32_t count) {
    const uint32_t pages = drive->config.logical_pages;
    return first >= pages || count > pages - first;
}

/* ---- pages to flash --------------------------------------------------------------------------*/

static bool program(struct drive* drive, const struct drive_victim* victim) {
    struct flash* const flash = &drive->flash;
    struct plane* const plane = &flash->plane[victim->plane];
    if (plane->host.next == plane->host.stop &&
        !collect_make_room(flash, victim->plane, &drive->sink)) {
        return false;
    }
    /* Only now: collection may have moved the older version. */
    const uint32_t old = map_find(flash, victim->lpn);
    if (old != DRIVE_NONE) {
        map_invalidate(flash, old);
    }
    const uint32_t page = map_append(flash, &plane->host, victim->lpn);
    ++plane->valid;
    struct drive_operation operation =
        drive_operation_on(kDriveProgram, kDriveHost, page, victim->lpn);
    operation.supersedes = old;
    operation.frame = victim->frame;
    drive_issue(&drive->sink, &operation);
    return true;
}

/* Placed as a batch, the units before this one may have taken the last room of its planes. */
static bool write_unit(struct drive* drive, struct drive_victim* pages, uint32_t count) {
    bool room = true;
    for (uint32_t i = 0; i < count; ++i) {
        room = room && flash_has_room(&drive->flash, pages[i].plane);
    }
    if (!room && !allocate_place(&drive->allocator, &drive->flash, pages, count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (!program(drive, &pages[i])) {
            return false;
        }
    }
    return true;
}

/* Pages from the first on that leave as one unit. */
static uint32_t unit_length(const struct drive* drive, const struct drive_victim* pages,
                            uint32_t count) {
    const uint32_t per_block = drive->config.pages_per_block;
    uint32_t length = 1;
    while (drive->config.policy == kDriveLruBlock && length < count &&
           pages[length].lpn / per_block == pages[0].lpn / per_block) {
        ++length;
    }
    return length;
}

static void write_back(struct drive* drive, struct drive_decision* decision) {
    struct drive_victim* const victims = drive->buffer.victims;
    const uint32_t count = drive->buffer.victim_count;
    decision->victims = victims;
    decision->victim_count = count;
    decision->units = drive->buffer.units;
    bool written = allocate_place(&drive->allocator, &drive->flash, victims, count);
    for (uint32_t i = 0; written && i < count;) {
        const uint32_t length = unit_length(drive, victims + i, count - i);
        written = write_unit(drive, victims + i, length);
        i += length;
    }
    decision->operations = drive->sink.taken;
    decision->error = written ? NULL : problem_of(drive);
}

/* ---- commands --------------------------------------------------------------------------------*/

struct drive_decision drive_write(struct drive* drive, uint32_t lpn) {
    struct buffer* const buffer = &drive->buffer;
    if (buffer->frames == 0) {
        return drive_write_through(drive, lpn);
    }
    struct drive_decision decision = begin(drive);
    if (is_beyond(drive, lpn, 1)) {
        decision.error = kBeyond;
        return decision;
    }
    decision.frame = buffer_find(buffer, lpn);
    decision.hit = decision.frame != DRIVE_NONE;
    if (decision.hit) {
        buffer_write_hit(buffer, decision.frame);
        return decision;
    }
    const bool full = buffer->used == buffer->frames;
    decision.frame = buffer_insert(buffer, lpn);
    if (full) {
        write_back(drive, &decision);
    }
    return decision;
}

struct drive_decision drive_write_through(struct drive* drive, uint32_t lpn) {
    struct drive_decision decision = begin(drive);
    if (is_beyond(drive, lpn, 1)) {
        decision.error = kBeyond;
        return decision;
    }
    decision.frame = buffer_find(&drive->buffer, lpn);
    decision.hit = decision.frame != DRIVE_NONE;
    buffer_write_through(&drive->buffer, lpn, decision.frame);
    write_back(drive, &decision);
    return decision;
}

struct drive_decision drive_read(struct drive* drive, uint32_t lpn) {
    struct drive_decision decision = begin(drive);
    if (is_beyond(drive, lpn, 1)) {
        decision.error = kBeyond;
        return decision;
    }
    decision.frame = buffer_find(&drive->buffer, lpn);
    decision.hit = decision.frame != DRIVE_NONE;
    if (decision.hit) {
        buffer_read_hit(&drive->buffer, decision.frame);
    } else {
        decision.page = map_find(&drive->flash, lpn);
    }
    return decision;
}

struct drive_decision drive_trim(struct drive* drive, uint32_t first, uint32_t count) {
    struct drive_decision decision = begin(drive);
    if (is_beyond(drive, first, count)) {
        decision.error = kBeyond;
        return decision;
    }
    decision.dropped = drive->dropped;
    for (uint32_t lpn = first; lpn < first + count; ++lpn) {
        const uint32_t frame = buffer_find(&drive->buffer, lpn);
        if (frame != DRIVE_NONE) {
            buffer_drop(&drive->buffer, frame);
            drive->dropped[decision.dropped_count++] = frame;
        }
        map_trim(&drive->flash, lpn);
    }
    return decision;
}

struct drive_decision drive_flush_step(struct drive* drive) {
    struct drive_decision decision = begin(drive);
    decision.done = buffer_evict(&drive->buffer);
    if (decision.done) {
        write_back(drive, &decision);
    }
    return decision;
}

struct drive_decision drive_maintain(struct drive* drive, uint32_t plane, uint32_t copies) {
    struct drive_decision decision = begin(drive);
    if (plane >= drive->flash.planes) {
        decision.error = kBeyond;
        return decision;
    }
    const enum collected collected = collect_ahead(&drive->flash, plane, copies, &drive->sink);
    decision.done = collected != kCollectedNothing;
    decision.operations = drive->sink.taken;
    decision.error = collected == kNoRoomToCollect ? problem_of(drive) : NULL;
    return decision;
}

struct drive_decision drive_fill(struct drive* drive, struct drive_victim* pages, uint32_t count) {
    struct drive_decision decision = begin(drive);
    bool written = allocate_place(&drive->allocator, &drive->flash, pages, count);
    for (uint32_t i = 0; written && i < count; ++i) {
        written = program(drive, &pages[i]);
    }
    decision.operations = drive->sink.taken;
    decision.error = written ? NULL : problem_of(drive);
    return decision;
}
