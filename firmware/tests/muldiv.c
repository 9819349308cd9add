/* Multiplication and division, beside addition and subtraction of shifted numbers. */
#include "check.h"

static const uint32_t values[] = {0,          1,          2,          3,          7,
                                  10,         0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF,
                                  0xFFFFFFFE, 0x12345678, 0xFEDCBA98, 0x00010000, 0x0000FFFF};
#define COUNT (sizeof(values) / sizeof(values[0]))

#define RUN(name)                                                                                  \
    static uint32_t run_##name(uint32_t a, uint32_t b) {                                           \
        uint32_t result;                                                                           \
        __asm__ volatile(#name " %0, %1, %2" : "=r"(result) : "r"(a), "r"(b));                     \
        return result;                                                                             \
    }
RUN(mul)
RUN(mulh)
RUN(mulhsu)
RUN(mulhu)
RUN(div)
RUN(divu)
RUN(rem)
RUN(remu)

struct wide {
    uint32_t high, low;
};

static struct wide add_wide(struct wide a, struct wide b) {
    const uint32_t low = a.low + b.low;
    return (struct wide){a.high + b.high + (low < a.low ? 1 : 0), low};
}

static struct wide negated(struct wide a) {
    return add_wide((struct wide){~a.high, ~a.low}, (struct wide){0, 1});
}

static struct wide product(uint32_t a, uint32_t b) {
    struct wide sum = {0, 0};
    struct wide shifted = {0, a};
    for (; b != 0; b >>= 1) {
        if ((b & 1) != 0) {
            sum = add_wide(sum, shifted);
        }
        shifted = add_wide(shifted, shifted);
    }
    return sum;
}

static uint32_t size_of(uint32_t value) {
    return (value >> 31) != 0 ? 0 - value : value;
}

static struct wide signed_product(uint32_t a, uint32_t b, int b_signed) {
    const int a_negative = (a >> 31) != 0;
    const int b_negative = b_signed && (b >> 31) != 0;
    const struct wide size = product(size_of(a), b_negative ? size_of(b) : b);
    return a_negative != b_negative ? negated(size) : size;
}

/* Long division, one bit at a time; b is not 0. */
static uint32_t quotient(uint32_t a, uint32_t b, uint32_t* rest) {
    uint32_t result = 0;
    uint32_t remainder = 0;
    for (int place = 31; place >= 0; --place) {
        const uint32_t carry = remainder >> 31;
        remainder = remainder << 1 | (a >> place & 1);
        if (carry != 0 || remainder >= b) {
            remainder -= b;
            result |= 1u << place;
        }
    }
    *rest = remainder;
    return result;
}

static void divisions(uint32_t a, uint32_t b) {
    if (b == 0) { /* as the specification says: all ones, and the dividend */
        CHECK_EQUAL(run_div(a, b), 0xFFFFFFFFu);
        CHECK_EQUAL(run_divu(a, b), 0xFFFFFFFFu);
        CHECK_EQUAL(run_rem(a, b), a);
        CHECK_EQUAL(run_remu(a, b), a);
        return;
    }
    uint32_t rest;
    CHECK_EQUAL(run_divu(a, b), quotient(a, b, &rest));
    CHECK_EQUAL(run_remu(a, b), rest);
    const uint32_t size = quotient(size_of(a), size_of(b), &rest);
    const int negative = (a >> 31) != (b >> 31);
    CHECK_EQUAL(run_div(a, b), negative ? 0 - size : size);
    CHECK_EQUAL(run_rem(a, b), (a >> 31) != 0 ? 0 - rest : rest);
}

int main(void) {
    for (unsigned i = 0; i < COUNT; ++i) {
        for (unsigned j = 0; j < COUNT; ++j) {
            const uint32_t a = values[i];
            const uint32_t b = values[j];
            CHECK_EQUAL(run_mul(a, b), product(a, b).low);
            CHECK_EQUAL(run_mulhu(a, b), product(a, b).high);
            CHECK_EQUAL(run_mulh(a, b), signed_product(a, b, 1).high);
            CHECK_EQUAL(run_mulhsu(a, b), signed_product(a, b, 0).high);
            divisions(a, b);
        }
    }
    return check_result("muldiv");
}
