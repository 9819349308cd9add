/* Control and status registers by their names. */
#ifndef CAVERN_CSR_H
#define CAVERN_CSR_H

#include <stdint.h>

#define CSR_READ(name)                                                                             \
    __extension__({                                                                                \
        uint32_t value_;                                                                           \
        __asm__ volatile("csrr %0, " #name : "=r"(value_));                                        \
        value_;                                                                                    \
    })
#define CSR_WRITE(name, value) __asm__ volatile("csrw " #name ", %0" ::"rK"((uint32_t)(value)))
#define CSR_SET(name, value) __asm__ volatile("csrs " #name ", %0" ::"rK"((uint32_t)(value)))
#define CSR_CLEAR(name, value) __asm__ volatile("csrc " #name ", %0" ::"rK"((uint32_t)(value)))

#define MSTATUS_MIE 0x8u
#define MIE_SOFTWARE (1u << 3)
#define MIE_TIMER (1u << 7)
#define MIE_EXTERNAL (1u << 11)
#define MIE_FAST(n) (1u << (16 + (n)))

/* Cycles since reset, also where the low word overflows between the two reads. */
static inline uint64_t cycles(void) {
    uint32_t high;
    uint32_t low;
    do {
        high = CSR_READ(mcycleh);
        low = CSR_READ(mcycle);
    } while (high != CSR_READ(mcycleh));
    return (uint64_t)high << 32 | low;
}

#endif
