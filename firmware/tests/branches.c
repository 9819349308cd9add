/* Branches and jumps: direction, distance, link register. */
#include "check.h"

static const uint32_t values[] = {0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x12345678};
#define COUNT (sizeof(values) / sizeof(values[0]))

#define TAKEN(name, a, b)                                                                          \
    __extension__({                                                                                \
        uint32_t taken_;                                                                           \
        __asm__ volatile(".option push\n.option norvc\n"                                           \
                         "li %0, 1\n" #name " %1, %2, 1f\nli %0, 0\n1:\n.option pop"               \
                         : "=&r"(taken_)                                                           \
                         : "r"(a), "r"(b));                                                        \
        taken_;                                                                                    \
    })

/* The same, backwards. */
#define TAKEN_BACK(name, a, b)                                                                     \
    __extension__({                                                                                \
        uint32_t taken_;                                                                           \
        __asm__ volatile("li %0, 0\nj 2f\n1: li %0, 1\nj 3f\n2: " #name " %1, %2, 1b\n3:"          \
                         : "=&r"(taken_)                                                           \
                         : "r"(a), "r"(b));                                                        \
        taken_;                                                                                    \
    })

static void conditions(uint32_t a, uint32_t b) {
    /* The sign of the difference, without a comparison: from the borrow. */
    const uint32_t borrow = ((~a & b) | (~(a ^ b) & (a - b))) >> 31;
    const uint32_t signed_less = borrow ^ (a >> 31) ^ (b >> 31);
    const uint32_t differs = ((a ^ b) | (0 - (a ^ b))) >> 31;
    CHECK_EQUAL(TAKEN(beq, a, b), 1 - differs);
    CHECK_EQUAL(TAKEN(bne, a, b), differs);
    CHECK_EQUAL(TAKEN(bltu, a, b), borrow);
    CHECK_EQUAL(TAKEN(bgeu, a, b), 1 - borrow);
    CHECK_EQUAL(TAKEN(blt, a, b), signed_less);
    CHECK_EQUAL(TAKEN(bge, a, b), 1 - signed_less);
    CHECK_EQUAL(TAKEN_BACK(beq, a, b), 1 - differs);
    CHECK_EQUAL(TAKEN_BACK(bne, a, b), differs);
    CHECK_EQUAL(TAKEN_BACK(blt, a, b), signed_less);
    CHECK_EQUAL(TAKEN_BACK(bgeu, a, b), 1 - borrow);
}

static void jumps(void) {
    uint32_t link;
    uint32_t after;
    __asm__ volatile(".option push\n.option norvc\n"
                     "jal t0, 1f\n"
                     "0: nop\n"
                     "1: mv %0, t0\n"
                     "la %1, 0b\n.option pop"
                     : "=&r"(link), "=&r"(after)
                     :
                     : "t0");
    CHECK_EQUAL(link, after);
    /* JALR clears bit 0 of its target, and may overwrite its own base. */
    __asm__ volatile(".option push\n.option norvc\n"
                     "la t0, 1f\n"
                     "jalr t0, 5(t0)\n"
                     "0: nop\n"
                     "1: nop\n"
                     "mv %0, t0\n"
                     "la %1, 0b\n.option pop"
                     : "=&r"(link), "=&r"(after)
                     :
                     : "t0");
    CHECK_EQUAL(link, after);
}

/* 32-bit instructions at each of the two places that a target can have in a word. */
static void targets(void) {
    uint32_t count = 0;
    __asm__ volatile(".option push\n.option rvc\n"
                     ".balign 4\n"
                     "j 1f\n"
                     ".balign 4\n"
                     "c.nop\n"
                     "1: .option norvc\n addi %0, %0, 1\n .option rvc\n"
                     "j 2f\n"
                     ".balign 4\n"
                     "2: .option norvc\n addi %0, %0, 2\n .option rvc\n"
                     "c.nop\n"
                     "c.addi %0, 4\n"
                     ".option pop"
                     : "+r"(count));
    CHECK_EQUAL(count, 7);
}

int main(void) {
    for (unsigned i = 0; i < COUNT; ++i) {
        for (unsigned j = 0; j < COUNT; ++j) {
            conditions(values[i], values[j]);
        }
    }
    jumps();
    targets();
    return check_result("branches");
}
