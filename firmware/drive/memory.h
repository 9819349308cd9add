/* Memory given out from one end, all zero: SDRAM on the processor, a vector on the host. With a
 * base of NULL it only adds up what is asked for. */
#ifndef CAVERN_FIRMWARE_DRIVE_MEMORY_H
#define CAVERN_FIRMWARE_DRIVE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct memory {
    uint8_t* base; /* aligned to 8 */
    uint64_t size, used;
};

/* `count` items of `bytes` each, aligned to 8; NULL where too little is left. */
static inline void* memory_take(struct memory* memory, uint64_t count, size_t bytes) {
    const uint64_t start = memory->used;
    memory->used += (count * bytes + 7u) & ~UINT64_C(7);
    return memory->base == NULL || memory->used > memory->size ? NULL : memory->base + start;
}

#endif
