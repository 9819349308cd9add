/* Loads and stores of every width, in every memory. */
#include "check.h"
#include "platform.h"
#include "string.h"

static uint8_t bytes[16];
static const uint32_t constants[4] = {0x03020100, 0x87868584, 0x0B0A0908, 0x8F8E8D8C};
__attribute__((section(".sdram"))) static uint32_t far_words[16384]; /* four times the line cache */

#define LOAD(name, address)                                                                        \
    __extension__({                                                                                \
        uint32_t value_;                                                                           \
        __asm__ volatile(#name " %0, 0(%1)" : "=r"(value_) : "r"(address) : "memory");             \
        value_;                                                                                    \
    })
#define STORE(name, address, value)                                                                \
    __asm__ volatile(#name " %0, 0(%1)" ::"r"((uint32_t)(value)), "r"(address) : "memory")

static void widths(volatile uint8_t* memory) {
    for (unsigned i = 0; i < 8; ++i) {
        STORE(sb, memory + i, 0xF0 + i);
    }
    CHECK_EQUAL(LOAD(lw, memory), 0xF3F2F1F0u);
    CHECK_EQUAL(LOAD(lw, memory + 4), 0xF7F6F5F4u);
    CHECK_EQUAL(LOAD(lh, memory + 2), 0xFFFFF3F2u);
    CHECK_EQUAL(LOAD(lhu, memory + 2), 0x0000F3F2u);
    CHECK_EQUAL(LOAD(lb, memory + 3), 0xFFFFFFF3u);
    CHECK_EQUAL(LOAD(lbu, memory + 3), 0x000000F3u);
    STORE(sh, memory + 2, 0x12345678);
    CHECK_EQUAL(LOAD(lw, memory), 0x5678F1F0u);
    STORE(sw, memory, 0x7F8081FFu);
    CHECK_EQUAL(LOAD(lb, memory), 0xFFFFFFFFu);
    CHECK_EQUAL(LOAD(lb, memory + 3), 0x0000007Fu);
    CHECK_EQUAL(LOAD(lh, memory + 2), 0x00007F80u);
    CHECK_EQUAL(LOAD(lw, memory + 4), 0xF7F6F5F4u);
}

static void offsets(uint8_t* memory) {
    uint32_t value;
    memset(memory, 0, 16);
    __asm__ volatile("sw %0, 2040(%1)" ::"r"(0x11223344), "r"((uintptr_t)memory - 2040 + 4)
                     : "memory");
    __asm__ volatile("lw %0, -2048(%1)"
                     : "=r"(value)
                     : "r"((uintptr_t)memory + 2048 + 4)
                     : "memory");
    CHECK_EQUAL(value, 0x11223344u);
    CHECK_EQUAL(memory[4], 0x44);
}

static void constants_in_the_instruction_memory(void) {
    const volatile uint8_t* at = (const volatile uint8_t*)constants;
    CHECK_EQUAL((uintptr_t)at >> 20, 1);
    CHECK_EQUAL(LOAD(lw, at + 4), 0x87868584u);
    CHECK_EQUAL(LOAD(lb, at + 15), 0xFFFFFF8Fu);
    CHECK_EQUAL(LOAD(lhu, at + 6), 0x8786u);
}

static void beyond_the_line_cache(void) {
    const unsigned count = sizeof(far_words) / sizeof(far_words[0]);
    CHECK_EQUAL((uintptr_t)far_words >> 31, 1);
    for (unsigned i = 0; i < count; ++i) {
        far_words[i] = i * 2654435761u;
    }
    unsigned wrong = 0;
    for (unsigned i = 0; i < count; ++i) { /* by steps, so that lines displace each other */
        const unsigned at = i * 4099 % count;
        wrong += far_words[at] != at * 2654435761u ? 1 : 0;
    }
    CHECK_EQUAL(wrong, 0);
    widths((volatile uint8_t*)(far_words + 100));
    widths((volatile uint8_t*)(SDRAM_BASE + 64u * 1024 * 1024 - 8));
}

int main(void) {
    widths(bytes);
    widths(bytes + 8);
    offsets(bytes);
    constants_in_the_instruction_memory();
    beyond_the_line_cache();
    return check_result("memory");
}
