/* Checks of a test program: each failure is a line in the log, the exit status is their number. */
#ifndef CAVERN_CHECK_H
#define CAVERN_CHECK_H

#include <stdint.h>

#include "stdio.h"

static int check_failures;
static int check_count;

static inline void check_equal(const char* what, uint32_t got, uint32_t expected, int line) {
    ++check_count;
    if (got != expected) {
        ++check_failures;
        printf("line %d: %s is 0x%08x, not 0x%08x\n", line, what, (unsigned)got,
               (unsigned)expected);
    }
}

#define CHECK_EQUAL(got, expected)                                                                 \
    check_equal(#got, (uint32_t)(got), (uint32_t)(expected), __LINE__)

/* The end of main(). A program that checked nothing has failed. */
static inline int check_result(const char* name) {
    printf("%s: %d checks, %d failed\n", name, check_count, check_failures);
    if (check_count == 0) {
        return 124;
    }
    return check_failures > 100 ? 100 : check_failures;
}

#endif
