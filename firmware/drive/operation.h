/* The flash operations that a decision asks for, and where they go: into registers on the
 * processor, into a list on the host. */
#ifndef CAVERN_FIRMWARE_DRIVE_OPERATION_H
#define CAVERN_FIRMWARE_DRIVE_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

/* No page, no frame, no operation. */
#define DRIVE_NONE 0xffffffffu

enum drive_kind { kDriveRead, kDriveProgram, kDriveErase };
enum drive_origin { kDriveHost, kDriveCollection };

/* As FlashOp of the core (model/core/ftl/flash_op.h). */
struct drive_operation {
    uint8_t kind, origin;
    uint8_t copies;      /* a program of what operation `after` has read */
    uint32_t page;       /* read or programmed; first page of the block for an erase */
    uint32_t lpn;        /* in the spare area */
    uint32_t supersedes; /* of a program: the page whose data it replaces */
    uint32_t frame;      /* of a host program: the buffer frame with its data */
    uint32_t after;      /* operation of the same decision that must complete first */
};

/* Takes the operations of a decision in order; they are numbered from 0. */
struct drive_sink {
    void (*take)(void* context, const struct drive_operation* operation);
    void* context;
    uint32_t taken; /* by this decision */
};

#endif
