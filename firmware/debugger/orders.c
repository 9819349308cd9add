/* Something to stop in, for the tests of the debugger and of coverage. Compiled for being debugged:
 * -Og keeps variables and lines apart. */
#include <stdint.h>

#include "stdio.h"

struct item {
    const char* name;
    uint32_t stock;
};

struct item items[] = {{"bolt", 40}, {"nut", 30}, {"washer", 20}};
uint32_t delivered;

static __attribute__((noinline)) uint32_t take(struct item* item, uint32_t count) {
    if (count > item->stock) {
        printf("%s: only %u left\n", item->name, (unsigned)item->stock);
        return 0;
    }
    item->stock -= count;
    delivered += count;
    return count;
}

static __attribute__((noinline)) uint32_t order(uint32_t count) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 3; ++i) {
        sum += take(&items[i], count);
    }
    return sum;
}

int main(void) {
    const uint32_t first = order(5);
    const uint32_t second = order(15);
    printf("%u and %u, %u in all\n", (unsigned)first, (unsigned)second, (unsigned)delivered);
    return 0;
}
