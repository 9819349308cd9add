/* Loads and stores at every address: Ibex makes two accesses where a word is crossed. Runs where
   the processor takes traps, because a drive stops at a misaligned access. */
#include "check.h"
#include "string.h"

static uint8_t memory[16];
__attribute__((section(".sdram"))) static uint8_t far_memory[16];

static void at_every_address(uint8_t* bytes) {
    for (unsigned start = 0; start < 8; ++start) {
        for (unsigned i = 0; i < 16; ++i) {
            bytes[i] = (uint8_t)(0x81 + 7 * i);
        }
        uint32_t value;
        uint8_t* const at = bytes + start;
        const uint32_t word =
            (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        __asm__ volatile("lw %0, 0(%1)" : "=r"(value) : "r"(at) : "memory");
        CHECK_EQUAL(value, word);
        __asm__ volatile("lhu %0, 0(%1)" : "=r"(value) : "r"(at) : "memory");
        CHECK_EQUAL(value, word & 0xFFFF);
        __asm__ volatile("lh %0, 0(%1)" : "=r"(value) : "r"(at) : "memory");
        CHECK_EQUAL(value, (uint32_t)(int32_t)(int16_t)word);
        __asm__ volatile("sw %0, 0(%1)" ::"r"(0xD4C3B2A1u), "r"(at) : "memory");
        CHECK_EQUAL(at[0], 0xA1);
        CHECK_EQUAL(at[1], 0xB2);
        CHECK_EQUAL(at[2], 0xC3);
        CHECK_EQUAL(at[3], 0xD4);
        CHECK_EQUAL(at[4], (uint8_t)(0x81 + 7 * (start + 4)));
        __asm__ volatile("sh %0, 0(%1)" ::"r"(0x12345566u), "r"(at + 1) : "memory");
        CHECK_EQUAL(at[0], 0xA1);
        CHECK_EQUAL(at[1], 0x66);
        CHECK_EQUAL(at[2], 0x55);
        CHECK_EQUAL(at[3], 0xD4);
    }
}

int main(void) {
    at_every_address(memory);
    at_every_address(far_memory);
    return check_result("misaligned");
}
