/* Integer register and immediate instructions, each beside the same result worked out with other
   instructions: additions bit by bit, comparisons by sign, shifts by one place at a time. */
#include "check.h"

static const uint32_t values[] = {0,          1,          2,          31,         32,
                                  0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFFE,
                                  0x12345678, 0xA5A5A5A5, 0x0000FFFF, 0xFFFF0000};
#define COUNT (sizeof(values) / sizeof(values[0]))

#define RUN_RR(name)                                                                               \
    static uint32_t run_##name(uint32_t a, uint32_t b) {                                           \
        uint32_t result;                                                                           \
        __asm__ volatile(".option push\n.option norvc\n" #name " %0, %1, %2\n.option pop"          \
                         : "=r"(result)                                                            \
                         : "r"(a), "r"(b));                                                        \
        return result;                                                                             \
    }
RUN_RR(add)
RUN_RR(sub)
RUN_RR(sll)
RUN_RR(slt)
RUN_RR(sltu)
RUN_RR(xor)
RUN_RR(srl)
RUN_RR(sra)
RUN_RR(or)
RUN_RR(and)

/* Sum of two numbers by carries alone. */
static uint32_t sum(uint32_t a, uint32_t b) {
    while (b != 0) {
        const uint32_t carry = a & b;
        a ^= b;
        b = carry + carry;
    }
    return a;
}

static uint32_t bit(uint32_t value, unsigned place) {
    for (; place != 0; --place) {
        value = value / 2;
    }
    return value % 2;
}

static uint32_t shifted_left(uint32_t value, unsigned places) {
    for (; places != 0; --places) {
        value += value;
    }
    return value;
}

static uint32_t shifted_right(uint32_t value, unsigned places, int arithmetic) {
    const uint32_t sign = bit(value, 31);
    for (; places != 0; --places) {
        value = value / 2 + (arithmetic && sign ? 0x80000000u : 0);
    }
    return value;
}

static uint32_t less(uint32_t a, uint32_t b) {
    for (unsigned place = 32; place-- != 0;) {
        if (bit(a, place) != bit(b, place)) {
            return bit(b, place);
        }
    }
    return 0;
}

static uint32_t combined(uint32_t a, uint32_t b, uint32_t when_one, uint32_t when_two) {
    uint32_t result = 0;
    for (unsigned place = 32; place-- != 0;) {
        const uint32_t ones = bit(a, place) + bit(b, place);
        result = result + result + (ones == 1 ? when_one : ones == 2 ? when_two : 0);
    }
    return result;
}

static void registers(uint32_t a, uint32_t b) {
    const uint32_t flip = 0x80000000u;
    CHECK_EQUAL(run_add(a, b), sum(a, b));
    CHECK_EQUAL(run_sub(a, b), sum(a, sum(~b, 1)));
    CHECK_EQUAL(run_sltu(a, b), less(a, b));
    CHECK_EQUAL(run_slt(a, b), less(sum(a, flip), sum(b, flip)));
    CHECK_EQUAL(run_xor(a, b), combined(a, b, 1, 0));
    CHECK_EQUAL(run_or(a, b), combined(a, b, 1, 1));
    CHECK_EQUAL(run_and(a, b), combined(a, b, 0, 1));
    CHECK_EQUAL(run_sll(a, b), shifted_left(a, b % 32));
    CHECK_EQUAL(run_srl(a, b), shifted_right(a, b % 32, 0));
    CHECK_EQUAL(run_sra(a, b), shifted_right(a, b % 32, 1));
}

#define CHECK_IMMEDIATE(name, a, imm, expected)                                                    \
    do {                                                                                           \
        uint32_t result;                                                                           \
        __asm__ volatile(".option push\n.option norvc\n" #name " %0, %1, %2\n.option pop"          \
                         : "=r"(result)                                                            \
                         : "r"(a), "i"(imm));                                                      \
        CHECK_EQUAL(result, expected);                                                             \
    } while (0)

#define CHECK_IMMEDIATES(a, imm)                                                                   \
    do {                                                                                           \
        const uint32_t b = (uint32_t)(imm);                                                        \
        CHECK_IMMEDIATE(addi, a, imm, sum(a, b));                                                  \
        CHECK_IMMEDIATE(slti, a, imm, less(sum(a, 0x80000000u), sum(b, 0x80000000u)));             \
        CHECK_IMMEDIATE(sltiu, a, imm, less(a, b));                                                \
        CHECK_IMMEDIATE(xori, a, imm, combined(a, b, 1, 0));                                       \
        CHECK_IMMEDIATE(ori, a, imm, combined(a, b, 1, 1));                                        \
        CHECK_IMMEDIATE(andi, a, imm, combined(a, b, 0, 1));                                       \
    } while (0)

#define CHECK_SHIFTS(a, places)                                                                    \
    do {                                                                                           \
        CHECK_IMMEDIATE(slli, a, places, shifted_left(a, places));                                 \
        CHECK_IMMEDIATE(srli, a, places, shifted_right(a, places, 0));                             \
        CHECK_IMMEDIATE(srai, a, places, shifted_right(a, places, 1));                             \
    } while (0)

static void upper_immediates(void) {
    uint32_t value;
    __asm__ volatile("lui %0, 0xfffff" : "=r"(value));
    CHECK_EQUAL(value, 0xFFFFF000u);
    __asm__ volatile("lui %0, 0x80000" : "=r"(value));
    CHECK_EQUAL(value, 0x80000000u);
    uint32_t here;
    __asm__ volatile(".option push\n.option norvc\n"
                     "1: auipc %0, 0x12345\n"
                     "la %1, 1b\n.option pop"
                     : "=&r"(value), "=&r"(here));
    CHECK_EQUAL(value - here, 0x12345000u);
    /* What is written to x0 is lost. */
    __asm__ volatile("li t0, 5\nadd zero, t0, t0\nmv %0, zero" : "=r"(value) : : "t0");
    CHECK_EQUAL(value, 0);
}

int main(void) {
    for (unsigned i = 0; i < COUNT; ++i) {
        for (unsigned j = 0; j < COUNT; ++j) {
            registers(values[i], values[j]);
        }
        const uint32_t a = values[i];
        CHECK_IMMEDIATES(a, 0);
        CHECK_IMMEDIATES(a, 1);
        CHECK_IMMEDIATES(a, -1);
        CHECK_IMMEDIATES(a, 2047);
        CHECK_IMMEDIATES(a, -2048);
        CHECK_SHIFTS(a, 0);
        CHECK_SHIFTS(a, 1);
        CHECK_SHIFTS(a, 15);
        CHECK_SHIFTS(a, 31);
    }
    upper_immediates();
    return check_result("arithmetic");
}
