/* A sequence of calls that is always the same, and a digest of all that is decided: host and
 * processor must come to the same. */
#ifndef CAVERN_FIRMWARE_DRIVE_SELF_TEST_H
#define CAVERN_FIRMWARE_DRIVE_SELF_TEST_H

#include "drive.h"

struct self_test_result {
    uint32_t calls, operations, erases;
    uint32_t digest;     /* FNV-1a over 32-bit words */
    const char* problem; /* NULL, or why it ended early */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Drives that it tries, each of another kind, are 0 .. self_test_drives() - 1. */
uint32_t self_test_drives(void);
struct drive_config self_test_config(uint32_t number);

/* So many random calls, of writes, writes through, reads, trims, flushes and work ahead. */
struct self_test_result self_test_run(uint32_t number, uint32_t calls, uint32_t seed, void* arena,
                                      uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
