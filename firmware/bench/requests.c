/* What a drive's firmware does for a request, without the drive: two register accesses, a look-up
   in a hash table with chains, and an LRU list. Measures the speed of the simulator (./cavern bench
   firmware). */
#include <stdint.h>

#include "platform.h"
#include "stdio.h"

#define SLOTS 1024u
#define GROUPS 256u
#define NONE 0xFFFFu

struct slot {
    uint32_t page;
    uint16_t next_in_group;
    uint16_t newer;
    uint16_t older;
    uint16_t used;
};

#ifdef SLOTS_IN_SDRAM
__attribute__((section(".sdram")))
#endif
static struct slot slots[SLOTS];
static uint16_t groups[GROUPS];
static uint32_t newest = NONE;
static uint32_t oldest = NONE;
static uint32_t filled;
static uint32_t hits;

static void unlink_slot(uint32_t i) {
    const struct slot* s = &slots[i];
    if (s->newer == NONE) {
        newest = s->older;
    } else {
        slots[s->newer].older = s->older;
    }
    if (s->older == NONE) {
        oldest = s->newer;
    } else {
        slots[s->older].newer = s->newer;
    }
}

static void push_newest(uint32_t i) {
    slots[i].newer = NONE;
    slots[i].older = (uint16_t)newest;
    if (newest != NONE) {
        slots[newest].newer = (uint16_t)i;
    } else {
        oldest = i;
    }
    newest = i;
}

static void leave_group(uint32_t i) {
    uint16_t* at = &groups[slots[i].page % GROUPS];
    while (*at != i) {
        at = &slots[*at].next_in_group;
    }
    *at = slots[i].next_in_group;
}

static void access_page(uint32_t page) {
    uint16_t* const group = &groups[page % GROUPS];
    for (uint32_t i = *group; i != NONE; i = slots[i].next_in_group) {
        if (slots[i].page == page) {
            ++hits;
            unlink_slot(i);
            push_newest(i);
            return;
        }
    }
    uint32_t victim;
    if (filled < SLOTS) {
        victim = filled++;
    } else {
        victim = oldest;
        leave_group(victim);
        unlink_slot(victim);
    }
    slots[victim].page = page;
    slots[victim].next_in_group = *group;
    *group = (uint16_t)victim;
    push_newest(victim);
}

int main(void) {
    for (uint32_t i = 0; i < GROUPS; ++i) {
        groups[i] = NONE;
    }
    uint32_t state = 1;
    uint32_t requests = 0;
    for (; requests < 500000; ++requests) {
        const uint32_t ready = read32(UART_BASE + UART_STATUS);
        state = state * 1664525u + 1013904223u;
        access_page((state >> 16) % 1500 * (ready & 1));
        write32(UART_BASE + UART_STATUS, requests);
    }
    printf("%u requests, %u hits\n", (unsigned)requests, (unsigned)hits);
    return 0;
}
