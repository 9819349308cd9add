/* Where the processor sees what: as model/cpu/memory_map.h has it. */
#ifndef CAVERN_PLATFORM_H
#define CAVERN_PLATFORM_H

#include <stdint.h>

#define REGISTERS_BASE 0x40000000u
#define TIMER_BASE 0x40010000u
#define UART_BASE 0x40020000u
#define SDRAM_BASE 0x80000000u

#define TIMER_MTIME 0x0u    /* low word; the high one follows */
#define TIMER_MTIMECMP 0x8u /* low word; the high one follows */
#define UART_SEND 0x0u      /* write: a byte into the log */
#define UART_STATUS 0x4u    /* bit 0: ready for a byte */
#define UART_EXIT 0x8u      /* write: ends the run with this status */

static inline uint32_t read32(uint32_t address) {
    return *(volatile uint32_t*)(uintptr_t)address;
}

static inline void write32(uint32_t address, uint32_t value) {
    *(volatile uint32_t*)(uintptr_t)address = value;
}

#endif
