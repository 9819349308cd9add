/* Code that is written and then executed, after FENCE.I. */
#include "check.h"

__attribute__((noinline, aligned(16))) static uint32_t answer(void) {
    uint32_t value;
    __asm__ volatile(".option push\n.option norvc\naddi %0, zero, 1\n.option pop" : "=r"(value));
    return value;
}

static void fence_i(void) {
    __asm__ volatile(".option push\n.option arch, +zifencei\nfence.i\n.option pop" ::: "memory");
}

/* Puts another constant into the ADDI of answer(): into its upper half, bits 31 to 20. */
static void patch(uint32_t value) {
    uint16_t* at = (uint16_t*)(uintptr_t)answer;
    while ((at[0] & 0xF07F) != 0x0013 || (at[1] & 0xF) != 0) { /* ADDI of x0 */
        ++at;
    }
    at[1] = (uint16_t)(value << 4);
}

int main(void) {
    CHECK_EQUAL(answer(), 1);
    for (uint32_t i = 2; i < 100; i += 7) {
        patch(i);
        fence_i();
        CHECK_EQUAL(answer(), i);
    }
    __asm__ volatile("fence");
    __asm__ volatile("fence rw, w");
    return check_result("fence");
}
