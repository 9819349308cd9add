/* Loops of the kinds that firmware is made of, each in a function of its own: the cycles of each
   are compared between processors (docs/verification/cpu.md). */
#include "check.h"

#define KERNEL __attribute__((noipa)) static

enum { kNodes = 1024, kWords = 8192 };

struct node {
    struct node* next;
    uint32_t key;
};

static struct node near_nodes[kNodes];
static uint32_t near_words[kWords];
__attribute__((section(".sdram"))) static struct node far_nodes[16 * kNodes]; /* 128 KiB */
__attribute__((section(".sdram"))) static uint32_t far_words[2 * kWords];     /* 64 KiB */
static uint8_t from[1021];
static uint8_t to[1024];

/* Links `count` nodes into a ring that jumps about: `stride` is odd, `count` a power of two. */
KERNEL void link_nodes(struct node* nodes, uint32_t count, uint32_t stride) {
    uint32_t here = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t next = (here + stride) & (count - 1);
        nodes[here].next = &nodes[next];
        nodes[here].key = i;
        here = next;
    }
}

KERNEL uint32_t chase_near(const struct node* node, uint32_t key) {
    uint32_t visits = 1;
    while (node->key != key) {
        node = node->next;
        ++visits;
    }
    return visits;
}

KERNEL uint32_t chase_far(const struct node* node, uint32_t key) {
    uint32_t visits = 1;
    while (node->key != key) {
        node = node->next;
        ++visits;
    }
    return visits;
}

KERNEL uint32_t scan_near(const uint32_t* words, uint32_t count, uint32_t key) {
    uint32_t i = 0;
    while (i < count && words[i] != key) {
        ++i;
    }
    return i;
}

KERNEL uint32_t scan_far(const uint32_t* words, uint32_t count, uint32_t key) {
    uint32_t i = 0;
    while (i < count && words[i] != key) {
        ++i;
    }
    return i;
}

KERNEL void write_far(uint32_t* words, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        words[i] = i;
    }
}

KERNEL uint32_t multiply(uint32_t rounds) {
    uint32_t state = 1;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < rounds; ++i) {
        state = state * 1664525u + 1013904223u;
        sum += (uint64_t)state * i;
    }
    return (uint32_t)(sum >> 32) ^ (uint32_t)sum;
}

KERNEL uint32_t divide(uint32_t rounds) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < rounds; ++i) {
        const int32_t value = (int32_t)(i * 0x9E3779B9u);
        sum += (uint32_t)(value / (int32_t)(i % 7 - 3)) + 0xFFFFFFFFu % (i + 1);
    }
    return sum;
}

KERNEL void copy_bytes(uint8_t* target, const uint8_t* source, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        target[i] = source[i];
        __asm__ volatile("" ::: "memory"); /* or it is a memcpy */
    }
}

KERNEL uint32_t branches(uint32_t rounds) {
    uint32_t value = 27;
    uint32_t steps = 0;
    for (uint32_t i = 1; i <= rounds; ++i) {
        for (value = i; value != 1; ++steps) {
            if ((value & 1) != 0) {
                value = 3 * value + 1;
            } else {
                value >>= 1;
            }
        }
    }
    return steps;
}

KERNEL uint32_t calls(uint32_t n) {
    return n < 2 ? n : calls(n - 1) + calls(n - 2);
}

KERNEL uint32_t dispatch(const uint8_t* codes, uint32_t count) {
    uint32_t sum = 1;
    for (uint32_t i = 0; i < count; ++i) {
        switch (codes[i] & 7) {
        case 0:
            sum += 3;
            break;
        case 1:
            sum ^= i;
            break;
        case 2:
            sum <<= 1;
            break;
        case 3:
            sum -= i;
            break;
        case 4:
            sum |= 16;
            break;
        case 5:
            sum = ~sum;
            break;
        case 6:
            sum >>= 1;
            break;
        default:
            sum *= 5;
            break;
        }
    }
    return sum;
}

int main(void) {
    link_nodes(near_nodes, kNodes, 437);
    CHECK_EQUAL(chase_near(near_nodes, kNodes - 1), kNodes);
    CHECK_EQUAL(chase_near(near_nodes, 17), 18);
    link_nodes(far_nodes, 16 * kNodes, 4099);
    CHECK_EQUAL(chase_far(far_nodes, 3000), 3001);
    CHECK_EQUAL(chase_far(far_nodes, 20), 21);

    near_words[kWords - 1] = 1;
    CHECK_EQUAL(scan_near(near_words, kWords, 1), kWords - 1);
    write_far(far_words, 2 * kWords);
    CHECK_EQUAL(scan_far(far_words, 2 * kWords, 9000), 9000);
    CHECK_EQUAL(scan_far(far_words, 2 * kWords, 0xFFFFFFFFu), 2 * kWords);

    CHECK_EQUAL(multiply(2000), 0x4D342B29u);
    CHECK_EQUAL(divide(300), 0xD0E81DD0u);
    for (uint32_t i = 0; i < sizeof(from); ++i) {
        from[i] = (uint8_t)(i * 37 + (i >> 3));
    }
    copy_bytes(to + 3, from, sizeof(from));
    CHECK_EQUAL(to[3 + 1000], from[1000]);
    CHECK_EQUAL(branches(300), 14167);
    CHECK_EQUAL(calls(14), 377);
    CHECK_EQUAL(dispatch(from, sizeof(from)), 0x303033C4u);
    return check_result("kernels");
}
