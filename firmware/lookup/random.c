#include "random.h"

uint32_t random_next(struct random* random) {
    const uint64_t old = random->state;
    random->state = old * 6364136223846793005u + random->stream;
    const uint32_t mixed = (uint32_t)(((old >> 18) ^ old) >> 27);
    const uint32_t turn = (uint32_t)(old >> 59);
    return mixed >> turn | mixed << (-turn & 31u);
}

void random_seed(struct random* random, uint32_t seed, uint32_t stream) {
    random->state = 0;
    random->stream = (uint64_t)stream << 1 | 1u;
    (void)random_next(random);
    random->state += seed;
    (void)random_next(random);
}

uint32_t random_below(struct random* random, uint32_t bound) {
    return (uint32_t)((uint64_t)random_next(random) * bound >> 32);
}
