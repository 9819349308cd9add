/* PCG32 (O'Neill 2014, XSH-RR): the same numbers on the host and on the processor. */
#ifndef CAVERN_FIRMWARE_LOOKUP_RANDOM_H
#define CAVERN_FIRMWARE_LOOKUP_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state;
    uint64_t stream; /* odd */
};

#ifdef __cplusplus
extern "C" {
#endif

void random_seed(struct random* random, uint32_t seed, uint32_t stream);

uint32_t random_next(struct random* random);

/* From 0 to bound - 1, without a division: some numbers come up bound / 2^32 more often. */
uint32_t random_below(struct random* random, uint32_t bound);

#ifdef __cplusplus
}
#endif

#endif
