/* The image: decides the requests that come through the registers. It sleeps while there is none.
 * Each page that is decided gives its flash operations and then an answer; the doorbell follows the
 * last page of the request. */
#include "boot.h"

#include "cavern_regs.h"
#include "csr.h"
#include "stdio.h"
#include "trap.h"

#include <stddef.h>

enum { kInitFailed = 1 };

static volatile cavern_regs_t* const regs = &cavern_regs;
static struct drive* drive;
static struct drive_victim* pages_to_fill; /* of one block */
static uint32_t pages_per_block;
static uint32_t tag_bits;  /* of the request being decided, as operation.command has them */
static uint32_t room;      /* entries that the operation queue surely takes */
static const char* failed; /* NULL, or why the request cannot be decided */

static void push(uint32_t command) {
    while (room == 0) {
        room = regs->operation.fill >> CAVERN_REGS__OPERATION__FILL__FREE_bp;
    }
    --room;
    regs->operation.command = command | tag_bits;
}

/* The sink of the drive. */
static void take(void* context, const struct drive_operation* operation) {
    (void)context;
    const uint32_t origin = operation->origin == kDriveHost ? CAVERN_REGS__ORIGIN__HOST
                                                            : CAVERN_REGS__ORIGIN__COLLECTION;
    uint32_t command = origin << CAVERN_REGS__OPERATION__COMMAND__ORIGIN_bp;
    regs->operation.logical_page = operation->lpn;
    regs->operation.dependence =
        operation->after == DRIVE_NONE
            ? 0
            : operation->after | CAVERN_REGS__OPERATION__DEPENDENCE__VALID_bm;
    switch (operation->kind) {
    case kDriveRead:
        regs->operation.source = operation->page;
        command |= CAVERN_REGS__OPERATION__READ;
        break;
    case kDriveProgram:
        regs->operation.destination = operation->page;
        regs->operation.frame = operation->frame;
        regs->operation.supersedes = operation->supersedes;
        command |= CAVERN_REGS__OPERATION__PROGRAM;
        command |= operation->copies ? CAVERN_REGS__OPERATION__COMMAND__COPIES_bm : 0;
        break;
    default:
        regs->operation.destination = operation->page;
        command |= CAVERN_REGS__OPERATION__ERASE;
    }
    push(command);
}

static void answer(uint32_t page, const struct drive_decision* decision) {
    if (decision->error != NULL) {
        failed = decision->error;
        return;
    }
    for (uint32_t i = 0; i < decision->dropped_count; ++i) {
        regs->operation.frame = decision->dropped[i];
        push(CAVERN_REGS__OPERATION__DROP);
    }
    regs->operation.logical_page = page;
    regs->operation.source = decision->page;
    regs->operation.frame = decision->frame;
    regs->operation.units = decision->units;
    regs->operation.outcome = (decision->hit ? CAVERN_REGS__OPERATION__OUTCOME__HIT_bm : 0) |
                              (decision->done ? CAVERN_REGS__OPERATION__OUTCOME__DONE_bm : 0);
    push(CAVERN_REGS__OPERATION__ANSWER | CAVERN_REGS__OPERATION__COMMAND__LAST_bm);
}

/* Writes `batches` batches, or until nothing is dirty any more. */
static void flush(uint32_t batches) {
    bool more = true;
    for (uint32_t n = 0; more && failed == NULL && (batches == 0 || n < batches); ++n) {
        const struct drive_decision decision = drive_flush_step(drive);
        more = decision.done;
        answer(n, &decision);
    }
}

static void fill(uint32_t first, uint32_t count) {
    if (count > pages_per_block) {
        failed = "more pages than a block to fill at once";
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        pages_to_fill[i].lpn = first + i;
        pages_to_fill[i].frame = DRIVE_NONE;
    }
    const struct drive_decision decision = drive_fill(drive, pages_to_fill, count);
    answer(first, &decision);
}

static void decide_pages(uint32_t opcode, bool through, uint32_t first, uint32_t count) {
    for (uint32_t page = first; page - first < count && failed == NULL; ++page) {
        const struct drive_decision decision = opcode == CAVERN_REGS__OPCODE__READ
                                                   ? drive_read(drive, page)
                                               : through ? drive_write_through(drive, page)
                                                         : drive_write(drive, page);
        answer(page, &decision);
    }
}

static void decide(uint32_t opcode, bool through, uint32_t page, uint32_t pages) {
    struct drive_decision decision;
    switch (opcode) {
    case CAVERN_REGS__OPCODE__READ:
    case CAVERN_REGS__OPCODE__WRITE:
        decide_pages(opcode, through, page, pages);
        break;
    case CAVERN_REGS__OPCODE__TRIM:
        decision = drive_trim(drive, page, pages);
        answer(page, &decision);
        break;
    case CAVERN_REGS__OPCODE__FLUSH:
        flush(pages);
        break;
    case CAVERN_REGS__OPCODE__MAINTAIN:
        decision = drive_maintain(drive, page, pages);
        answer(page, &decision);
        break;
    case CAVERN_REGS__OPCODE__FILL:
        fill(page, pages);
        break;
    default:
        failed = "a request that it does not know";
    }
}

static void serve(void) {
    const uint32_t command = regs->request.command;
    const uint32_t page = regs->request.page;
    const uint32_t pages = regs->request.pages;
    regs->request.pop = CAVERN_REGS__REQUEST__POP__HEAD_bm;
    tag_bits = command & CAVERN_REGS__REQUEST__COMMAND__TAG_bm;
    decide(command & CAVERN_REGS__REQUEST__COMMAND__OPCODE_bm,
           (command & CAVERN_REGS__REQUEST__COMMAND__FUA_bm) != 0, page, pages);
    uint32_t result = 0;
    if (failed != NULL) {
        printf("%s\n", failed);
        result = 1u << CAVERN_REGS__CONTROL__DOORBELL__RESULT_bp;
        failed = NULL;
    }
    while (room == 0) {
        room = regs->operation.fill >> CAVERN_REGS__OPERATION__FILL__FREE_bp;
    }
    --room;
    regs->control.doorbell = tag_bits >> CAVERN_REGS__REQUEST__COMMAND__TAG_bp | result;
}

/* NULL, or why there can be no drive. */
static const char* start(void) {
    const struct drive_boot* const boot = (const struct drive_boot*)DRIVE_BOOT_ADDRESS;
    if (regs->identification.magic != CAVERN_REGS__IDENTIFICATION__MAGIC__VALUE_reset) {
        return "a drive without its registers";
    }
    if (boot->magic != DRIVE_BOOT_MAGIC || boot->bytes != sizeof *boot) {
        return "a drive that does not say how it is built";
    }
    pages_per_block = boot->config.pages_per_block;
    const uint32_t scratch = (uint32_t)drive_boot_scratch(&boot->config);
    if (scratch > boot->arena_bytes) {
        return "a drive whose tables are larger than the memory given";
    }
    pages_to_fill = (struct drive_victim*)boot->arena;
    const struct drive_sink sink = {take, NULL, 0};
    const char* problem = NULL;
    drive = drive_init(&boot->config, (void*)(boot->arena + scratch), boot->arena_bytes - scratch,
                       sink, &problem);
    return problem;
}

int main(void) {
    const char* const problem = start();
    if (problem != NULL) {
        printf("refuses %s\n", problem);
        return kInitFailed;
    }
    /* Interrupts stay off: one that is enabled and pending ends the sleep all the same. */
    regs->irq.enable = CAVERN_REGS__IRQ__ENABLE__REQUEST_bm;
    CSR_SET(mie, MIE_EXTERNAL);
    regs->control.control = CAVERN_REGS__CONTROL__CONTROL__READY_bm;
    for (;;) {
        wait_for_interrupt();
        /* First, so that a request that comes while others are decided interrupts anew. */
        regs->irq.pending = CAVERN_REGS__IRQ__PENDING__REQUEST_bm;
        while (regs->control.status & CAVERN_REGS__CONTROL__STATUS__REQUEST_WAITING_bm) {
            serve();
        }
    }
}
