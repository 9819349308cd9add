/* Every instruction of the C extension that RV32IMC has, spelled out. */
#include "check.h"

static uint32_t memory[64];

#define ON(instruction, start)                                                                     \
    __extension__({                                                                                \
        register uint32_t value_ __asm__("a0") = (uint32_t)(start);                                \
        __asm__ volatile(instruction : "+r"(value_) : : "memory");                                 \
        value_;                                                                                    \
    })
#define ON_TWO(instruction, start, other)                                                          \
    __extension__({                                                                                \
        register uint32_t value_ __asm__("a0") = (uint32_t)(start);                                \
        register uint32_t other_ __asm__("a1") = (uint32_t)(other);                                \
        __asm__ volatile(instruction : "+r"(value_) : "r"(other_) : "memory");                     \
        value_;                                                                                    \
    })

static void immediates(void) {
    CHECK_EQUAL(ON("c.li a0, -32", 9), 0xFFFFFFE0u);
    CHECK_EQUAL(ON("c.li a0, 31", 9), 31);
    CHECK_EQUAL(ON("c.lui a0, 1", 9), 0x1000u);
    CHECK_EQUAL(ON("c.lui a0, 0xfffe0", 9), 0xFFFE0000u);
    CHECK_EQUAL(ON("c.addi a0, 31", 100), 131);
    CHECK_EQUAL(ON("c.addi a0, -32", 100), 68);
    CHECK_EQUAL(ON("c.slli a0, 31", 3), 0x80000000u);
    CHECK_EQUAL(ON("c.srli a0, 31", 0x80000000u), 1);
    CHECK_EQUAL(ON("c.srai a0, 4", 0x80000000u), 0xF8000000u);
    CHECK_EQUAL(ON("c.andi a0, -2", 0xFFu), 0xFEu);
    CHECK_EQUAL(ON("c.andi a0, 21", 0xFFu), 21);
    CHECK_EQUAL(ON("c.nop", 7), 7);
}

static void registers(void) {
    CHECK_EQUAL(ON_TWO("c.mv a0, a1", 1, 0x12345678), 0x12345678u);
    CHECK_EQUAL(ON_TWO("c.add a0, a1", 0xFFFFFFFFu, 2), 1);
    CHECK_EQUAL(ON_TWO("c.sub a0, a1", 1, 2), 0xFFFFFFFFu);
    CHECK_EQUAL(ON_TWO("c.xor a0, a1", 0xFF00FF00u, 0x0FF00FF0u), 0xF0F0F0F0u);
    CHECK_EQUAL(ON_TWO("c.or a0, a1", 0xFF00FF00u, 0x0FF00FF0u), 0xFFF0FFF0u);
    CHECK_EQUAL(ON_TWO("c.and a0, a1", 0xFF00FF00u, 0x0FF00FF0u), 0x0F000F00u);
}

static void loads_and_stores(void) {
    for (uint32_t i = 0; i < 64; ++i) {
        memory[i] = 0x01010101u * i;
    }
    CHECK_EQUAL(ON("c.lw a0, 0(a0)", (uintptr_t)memory), 0);
    CHECK_EQUAL(ON("c.lw a0, 4(a0)", (uintptr_t)memory), 0x01010101u);
    CHECK_EQUAL(ON("c.lw a0, 124(a0)", (uintptr_t)memory), 0x1F1F1F1Fu);
    (void)ON_TWO("c.sw a1, 64(a0)", (uintptr_t)memory, 0xCAFEBABEu);
    CHECK_EQUAL(memory[16], 0xCAFEBABEu);
    /* Beside the stack pointer. */
    uint32_t difference;
    uint32_t value;
    __asm__ volatile("c.addi16sp sp, -512\n"
                     "li t0, 0x13579bdf\n"
                     "c.swsp t0, 252(sp)\n"
                     "c.swsp t0, 0(sp)\n"
                     "c.addi4spn s0, sp, 1020\n"
                     "sub %0, s0, sp\n"
                     "c.lwsp %1, 252(sp)\n"
                     "c.addi16sp sp, 496\n"
                     "addi sp, sp, 16"
                     : "=&r"(difference), "=&r"(value)
                     :
                     : "t0", "s0", "memory");
    CHECK_EQUAL(difference, 1020);
    CHECK_EQUAL(value, 0x13579BDFu);
}

static void control(void) {
    CHECK_EQUAL(ON("c.beqz a0, 1f\nc.li a0, 5\n1:", 0), 0);
    CHECK_EQUAL(ON("c.beqz a0, 1f\nc.li a0, 5\n1:", 3), 5);
    CHECK_EQUAL(ON("c.bnez a0, 1f\nc.li a0, 5\n1:", 0), 5);
    CHECK_EQUAL(ON("c.bnez a0, 1f\nc.li a0, 5\n1:", 3), 3);
    CHECK_EQUAL(ON("c.j 1f\nc.li a0, 5\n1:", 2), 2);
    uint32_t link;
    uint32_t after;
    __asm__ volatile("c.jal 1f\n0: c.nop\n1: mv %0, ra\nla %1, 0b"
                     : "=&r"(link), "=&r"(after)
                     :
                     : "ra");
    CHECK_EQUAL(link, after);
    __asm__ volatile("la t0, 1f\nc.jalr t0\n0: c.nop\n1: mv %0, ra\nla %1, 0b"
                     : "=&r"(link), "=&r"(after)
                     :
                     : "ra", "t0");
    CHECK_EQUAL(link, after);
    CHECK_EQUAL(ON("la t0, 1f\nc.jr t0\nc.li a0, 5\n1:", 2), 2);
}

int main(void) {
    immediates();
    registers();
    loads_and_stores();
    control();
    return check_result("compressed");
}
