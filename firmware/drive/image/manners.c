/* For tests: answers each request of one page as if it were read from nowhere, or does one thing
 * wrong. */
#include "manners.h"

#include "boot.h"

#include "cavern_regs.h"
#include "csr.h"
#include "stdio.h"
#include "trap.h"
#include "uart.h"

static volatile cavern_regs_t* const regs = &cavern_regs;
static uint32_t manners;

__attribute__((noinline)) static void never_answers(void) {
    for (;;) {
    }
}

static void push(uint32_t kind, uint32_t tag) {
    regs->operation.command = kind | tag << CAVERN_REGS__OPERATION__COMMAND__TAG_bp;
}

/* Before the answer. */
__attribute__((noinline)) static void misbehave(uint32_t tag) {
    switch (manners) {
    case kMannersNeverAnswers:
        never_answers();
        break;
    case kMannersSleeps:
        regs->irq.pending = CAVERN_REGS__IRQ__PENDING__REQUEST_bm;
        wait_for_interrupt();
        break;
    case kMannersBadAccess:
        *(volatile uint32_t*)0x12345678u = 1;
        break;
    case kMannersBadInstruction:
        __asm__ volatile(".word 0xffffffff");
        break;
    case kMannersMisaligned:
        __asm__ volatile("lw t0, 0(%0)" ::"r"(0x00200002u) : "t0");
        break;
    case kMannersExits:
        exit_run(7);
    case kMannersPopsTwice:
        regs->request.pop = CAVERN_REGS__REQUEST__POP__HEAD_bm;
        break;
    case kMannersUnknownEntry:
        push(9, tag);
        break;
    case kMannersPageBeyond:
        regs->operation.source = 0x7fffffffu;
        push(CAVERN_REGS__OPERATION__READ, tag);
        break;
    case kMannersLogicalPageBeyond:
        regs->operation.logical_page = 0x7fffffffu;
        push(CAVERN_REGS__OPERATION__READ, tag);
        break;
    case kMannersWaitsForItself:
        regs->operation.dependence = CAVERN_REGS__OPERATION__DEPENDENCE__VALID_bm;
        push(CAVERN_REGS__OPERATION__READ, tag);
        break;
    default:
        break;
    }
}

static void answer(uint32_t page, uint32_t tag) {
    regs->operation.logical_page = manners == kMannersOtherPage ? page + 1 : page;
    regs->operation.source = 0xffffffffu;
    regs->operation.frame = 0xffffffffu;
    push(CAVERN_REGS__OPERATION__ANSWER, tag);
}

static void serve(void) {
    const uint32_t tag = regs->request.command >> CAVERN_REGS__REQUEST__COMMAND__TAG_bp;
    const uint32_t page = regs->request.page;
    regs->request.pop = CAVERN_REGS__REQUEST__POP__HEAD_bm;
    misbehave(tag);
    for (uint32_t n = manners == kMannersTwoAnswers ? 2 : manners != kMannersNoAnswer; n > 0; --n) {
        answer(page, tag);
    }
    if (manners == kMannersOperationsOfNoAnswer) {
        regs->operation.source = 0;
        regs->operation.logical_page = 0;
        push(CAVERN_REGS__OPERATION__READ, tag);
    }
    if (manners == kMannersFindsAnError) {
        printf("something amiss\n");
    }
    regs->control.doorbell =
        (manners == kMannersWrongTag ? tag + 1 : tag) |
        (manners == kMannersFindsAnError ? 1u << CAVERN_REGS__CONTROL__DOORBELL__RESULT_bp : 0);
    if (manners == kMannersRingsTwice) {
        regs->control.doorbell = tag;
    }
}

int main(void) {
    manners = ((const struct drive_boot*)DRIVE_BOOT_ADDRESS)->config.frames;
    if (manners == kMannersFailsAtStart) {
        printf("refuses to start\n");
        return 3;
    }
    regs->irq.enable = CAVERN_REGS__IRQ__ENABLE__REQUEST_bm;
    CSR_SET(mie, MIE_EXTERNAL);
    if (manners != kMannersNeverReady) {
        regs->control.control = CAVERN_REGS__CONTROL__CONTROL__READY_bm;
    }
    for (;;) {
        wait_for_interrupt();
        regs->irq.pending = CAVERN_REGS__IRQ__PENDING__REQUEST_bm;
        while (regs->control.status & CAVERN_REGS__CONTROL__STATUS__REQUEST_WAITING_bm) {
            serve();
        }
    }
}
