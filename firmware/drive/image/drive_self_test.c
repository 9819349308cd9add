/* The image: plays the sequence on the processor and prints the digests. */
#include "../self_test.h"
#include "stdio.h"

#include <stddef.h>

enum { kCalls = 4000, kSeed = 2020, kArenaBytes = 1 << 20 };
static uint8_t arena[kArenaBytes] __attribute__((section(".sdram"), aligned(64)));

int main(void) {
    for (uint32_t i = 0; i < self_test_drives(); ++i) {
        const struct self_test_result result =
            self_test_run(i, kCalls, kSeed + i, arena, kArenaBytes);
        if (result.problem != NULL) {
            printf("drive %u stops after %u calls: %s\n", (unsigned)i, (unsigned)result.calls,
                   result.problem);
            return 1;
        }
        printf("drive %u: %u calls, %u operations, %u erases, digest %08x\n", (unsigned)i,
               (unsigned)result.calls, (unsigned)result.operations, (unsigned)result.erases,
               (unsigned)result.digest);
    }
    return 0;
}
