/* Memory given out from one end. On the processor it is SDRAM, on the host a vector. */
#ifndef CAVERN_FIRMWARE_LOOKUP_ARENA_H
#define CAVERN_FIRMWARE_LOOKUP_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena {
    uint8_t* base; /* aligned to 8; NULL only adds up what is asked for */
    size_t size, used;
};

#ifdef __cplusplus
extern "C" {
#endif

/* `bytes` aligned to 8, or NULL where the arena has too few left. What was there is there still. */
void* arena_take(struct arena* arena, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
