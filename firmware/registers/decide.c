/* Decides requests of the host as simply as can be: pages are written one after the other, and read
 * from where their number says. It sleeps until the drive interrupts. A FLUSH with tag 0xFFFF ends
 * the run, with the number of interrupts as its status. An example, and a test, of the registers
 * (docs/verification/registers.md). */
#include "cavern_regs.h"
#include "csr.h"
#include "trap.h"

#define LAST_TAG 0xFFFFu

static volatile cavern_regs_t* const regs = &cavern_regs;
static uint32_t next_page;
static uint32_t interrupts;
static volatile uint32_t finished;

static void push(uint32_t kind, uint32_t tag, uint32_t last) {
    while (regs->control.status & CAVERN_REGS__CONTROL__STATUS__OPERATION_FULL_bm) {
    }
    regs->operation.command = kind | tag << CAVERN_REGS__OPERATION__COMMAND__TAG_bp |
                              (last ? CAVERN_REGS__OPERATION__COMMAND__LAST_bm : 0);
}

static void decide_one(void) {
    const uint32_t command = regs->request.command;
    const uint32_t opcode = command & CAVERN_REGS__REQUEST__COMMAND__OPCODE_bm;
    const uint32_t tag = command >> CAVERN_REGS__REQUEST__COMMAND__TAG_bp;
    const uint32_t page = regs->request.page;
    const uint32_t pages = regs->request.pages;
    regs->request.pop = CAVERN_REGS__REQUEST__POP__HEAD_bm;

    for (uint32_t n = 0; n < pages; ++n) {
        regs->operation.logical_page = page + n;
        regs->operation.frame = n;
        if (opcode == CAVERN_REGS__OPCODE__WRITE) {
            regs->operation.destination = next_page++;
            push(CAVERN_REGS__OPERATION__PROGRAM, tag, n + 1 == pages);
        } else if (opcode == CAVERN_REGS__OPCODE__READ) {
            regs->operation.source = page + n;
            push(CAVERN_REGS__OPERATION__READ, tag, n + 1 == pages);
        }
    }
    while (regs->control.status & CAVERN_REGS__CONTROL__STATUS__OPERATION_FULL_bm) {
    }
    regs->control.doorbell = tag;
    if (opcode == CAVERN_REGS__OPCODE__FLUSH && tag == LAST_TAG) {
        finished = 1;
    }
}

void handle_external_interrupt(void) {
    ++interrupts;
    /* First, so that a request that comes while others are decided interrupts anew. */
    regs->irq.pending = CAVERN_REGS__IRQ__PENDING__REQUEST_bm;
    while (regs->control.status & CAVERN_REGS__CONTROL__STATUS__REQUEST_WAITING_bm) {
        decide_one();
    }
}

int main(void) {
    if (regs->identification.magic != CAVERN_REGS__IDENTIFICATION__MAGIC__VALUE_reset) {
        return 255;
    }
    regs->irq.moderation = 4;
    regs->irq.moderation_time = 2000;
    regs->irq.enable = CAVERN_REGS__IRQ__ENABLE__REQUEST_bm;
    CSR_SET(mie, MIE_EXTERNAL);
    regs->control.control = CAVERN_REGS__CONTROL__CONTROL__READY_bm;
    while (!finished) {
        /* With interrupts off an interrupt between the look and the sleep still ends the sleep. */
        disable_interrupts();
        if (!finished) {
            wait_for_interrupt();
        }
        enable_interrupts();
    }
    return (int)interrupts;
}
