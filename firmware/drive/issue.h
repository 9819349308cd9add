/* How flash operations are made and given out. */
#ifndef CAVERN_FIRMWARE_DRIVE_ISSUE_H
#define CAVERN_FIRMWARE_DRIVE_ISSUE_H

#include "operation.h"

/* One that waits for none, and replaces and has nothing. */
static inline struct drive_operation
drive_operation_on(enum drive_kind kind, enum drive_origin origin, uint32_t page, uint32_t lpn) {
    const struct drive_operation operation = {
        .kind = (uint8_t)kind,
        .origin = (uint8_t)origin,
        .page = page,
        .lpn = lpn,
        .supersedes = DRIVE_NONE,
        .frame = DRIVE_NONE,
        .after = DRIVE_NONE,
    };
    return operation;
}

/* Returns the operation's number. */
static inline uint32_t drive_issue(struct drive_sink* sink,
                                   const struct drive_operation* operation) {
    sink->take(sink->context, operation);
    return sink->taken++;
}

#endif
