/* memcpy, memmove, memset, memcmp, strlen at every alignment. */
#include "string.h"

#include "check.h"

#define SIZE 48
static unsigned char target[SIZE];
static unsigned char source[SIZE];

static void fill(void) {
    for (unsigned i = 0; i < SIZE; ++i) {
        target[i] = (unsigned char)(200 - i);
        source[i] = (unsigned char)(i + 1);
    }
}

static void copies(unsigned to, unsigned from, unsigned count) {
    unsigned wrong = 0;
    fill();
    wrong += memcpy(target + to, source + from, count) != target + to ? 1 : 0;
    for (unsigned i = 0; i < SIZE; ++i) {
        const int inside = i >= to && i < to + count;
        wrong += target[i] != (inside ? source[from + i - to] : 200 - i) ? 1 : 0;
    }
    CHECK_EQUAL(wrong, 0);
}

static void moves(unsigned to, unsigned from, unsigned count) {
    unsigned wrong = 0;
    fill();
    (void)memmove(source + to, source + from, count);
    for (unsigned i = 0; i < SIZE; ++i) {
        const int inside = i >= to && i < to + count;
        wrong += source[i] != (inside ? from + i - to : i) + 1 ? 1 : 0;
    }
    CHECK_EQUAL(wrong, 0);
}

static void sets(unsigned to, unsigned count) {
    unsigned wrong = 0;
    fill();
    (void)memset(target + to, 0x1AB, count);
    for (unsigned i = 0; i < SIZE; ++i) {
        const int inside = i >= to && i < to + count;
        wrong += target[i] != (inside ? 0xAB : 200 - i) ? 1 : 0;
    }
    CHECK_EQUAL(wrong, 0);
}

int main(void) {
    for (unsigned to = 0; to < 5; ++to) {
        for (unsigned count = 0; count < 14; ++count) {
            for (unsigned from = 0; from < 5; ++from) {
                copies(to, from, count);
                moves(to, from, count);
            }
            sets(to, count);
        }
    }
    CHECK_EQUAL(memcmp("abc", "abd", 2), 0);
    CHECK_EQUAL(memcmp("abc", "abd", 3) < 0, 1);
    CHECK_EQUAL(memcmp("\xff", "\x01", 1) > 0, 1);
    CHECK_EQUAL(strlen(""), 0);
    CHECK_EQUAL(strlen("seven b"), 7);
    return check_result("string");
}
