#include "trap.h"

#include "csr.h"
#include "stdio.h"
#include "uart.h"

static void unhandled(const struct trap_frame* frame) {
    printf("unhandled trap: mcause 0x%08x, mepc 0x%08x, mtval 0x%08x\n", (unsigned)frame->mcause,
           (unsigned)frame->mepc, (unsigned)CSR_READ(mtval));
    exit_run(STATUS_UNHANDLED_TRAP);
}

static struct trap_frame* current;

__attribute__((weak)) void handle_exception(struct trap_frame* frame) {
    unhandled(frame);
}
__attribute__((weak)) void handle_software_interrupt(void) {
    unhandled(current);
}
__attribute__((weak)) void handle_timer_interrupt(void) {
    unhandled(current);
}
__attribute__((weak)) void handle_external_interrupt(void) {
    unhandled(current);
}
__attribute__((weak)) void handle_fast_interrupt(uint32_t number) {
    (void)number;
    unhandled(current);
}

/* Called by crt0.S with interrupts off. */
void dispatch_trap(struct trap_frame* frame);
void dispatch_trap(struct trap_frame* frame) {
    const uint32_t code = frame->mcause & 0x1F;
    struct trap_frame* const outer = current;
    current = frame;
    if ((frame->mcause >> 31) == 0) {
        handle_exception(frame);
    } else if (code >= 16) {
        handle_fast_interrupt(code - 16);
    } else if (code == 11) {
        handle_external_interrupt();
    } else if (code == 7) {
        handle_timer_interrupt();
    } else {
        handle_software_interrupt();
    }
    current = outer;
}
