#include "string.h"

#include <stdint.h>

/* Whole words where both sides lie on one: a byte costs as much as a word. */
void* memcpy(void* restrict to, const void* restrict from, size_t bytes) {
    unsigned char* out = to;
    const unsigned char* in = from;
    if ((((uintptr_t)out | (uintptr_t)in) & 3) == 0) {
        for (; bytes >= 4; bytes -= 4, out += 4, in += 4) {
            *(uint32_t*)(void*)out = *(const uint32_t*)(const void*)in;
        }
    }
    while (bytes-- != 0) {
        *out++ = *in++;
    }
    return to;
}

void* memmove(void* to, const void* from, size_t bytes) {
    unsigned char* out = to;
    const unsigned char* in = from;
    if ((uintptr_t)out - (uintptr_t)in >= bytes) {
        return memcpy(to, from, bytes);
    }
    while (bytes-- != 0) {
        out[bytes] = in[bytes];
    }
    return to;
}

void* memset(void* to, int value, size_t bytes) {
    unsigned char* out = to;
    const uint32_t word = (uint32_t)(unsigned char)value * 0x01010101u;
    if (((uintptr_t)out & 3) == 0) {
        for (; bytes >= 4; bytes -= 4, out += 4) {
            *(uint32_t*)(void*)out = word;
        }
    }
    while (bytes-- != 0) {
        *out++ = (unsigned char)value;
    }
    return to;
}

int memcmp(const void* a, const void* b, size_t bytes) {
    const unsigned char* x = a;
    const unsigned char* y = b;
    for (; bytes != 0; --bytes, ++x, ++y) {
        if (*x != *y) {
            return *x - *y;
        }
    }
    return 0;
}

size_t strlen(const char* text) {
    const char* end = text;
    while (*end != '\0') {
        ++end;
    }
    return (size_t)(end - text);
}
