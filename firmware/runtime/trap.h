/* Traps. A program defines the handlers that it wants; without one the run ends with status 125. */
#ifndef CAVERN_TRAP_H
#define CAVERN_TRAP_H

#include <stdint.h>

/* What crt0.S keeps of the interrupted code. mepc is where it goes on: a handler may change it. */
struct trap_frame {
    uint32_t ra, t0, t1, t2, a0, a1, a2, a3, a4, a5, a6, a7, t3, t4, t5, t6;
    uint32_t mepc;
    uint32_t mcause;
    uint32_t mstatus;
};

#define STATUS_UNHANDLED_TRAP 125

void handle_exception(struct trap_frame* frame);
void handle_software_interrupt(void);
void handle_timer_interrupt(void);
void handle_external_interrupt(void);
void handle_fast_interrupt(uint32_t number); /* 0 to 14 */

static inline void enable_interrupts(void) {
    __asm__ volatile("csrsi mstatus, 8" ::: "memory");
}
static inline void disable_interrupts(void) {
    __asm__ volatile("csrci mstatus, 8" ::: "memory");
}
static inline void wait_for_interrupt(void) {
    __asm__ volatile("wfi" ::: "memory");
}

#endif
