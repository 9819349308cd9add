#include "stdio.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uart.h"

struct spec {
    bool left;
    bool zero;
    int width;
    int precision; /* -1: none */
    int longs;
};

struct out {
    void (*send)(char byte);
    int count;
};

static void put(struct out* out, char byte) {
    out->send(byte);
    ++out->count;
}

static void pad(struct out* out, char byte, int count) {
    for (; count > 0; --count) {
        put(out, byte);
    }
}

/* Digits from the last to the first; returns how many. A 64-bit division takes hundreds of cycles,
   so it is made only while the value needs it. */
static int digits_of(uint64_t value, unsigned base, bool upper, char* digits) {
    const char* const symbols = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    int count = 0;
    while ((value >> 32) != 0) {
        digits[count++] = symbols[value % base];
        value /= base;
    }
    uint32_t rest = (uint32_t)value;
    if (rest == 0 && count != 0) {
        return count;
    }
    do {
        digits[count++] = symbols[rest % base];
        rest /= base;
    } while (rest != 0);
    return count;
}

static void put_number(struct out* out, const struct spec* spec, uint64_t value, bool negative,
                       unsigned base, bool upper) {
    char digits[20];
    int count = digits_of(value, base, upper, digits);
    const int length = count + (negative ? 1 : 0);
    if (!spec->left && !spec->zero) {
        pad(out, ' ', spec->width - length);
    }
    if (negative) {
        put(out, '-');
    }
    if (!spec->left && spec->zero) {
        pad(out, '0', spec->width - length);
    }
    while (count != 0) {
        put(out, digits[--count]);
    }
    if (spec->left) {
        pad(out, ' ', spec->width - length);
    }
}

static void put_text(struct out* out, const struct spec* spec, const char* text) {
    int length = 0;
    while (text[length] != '\0' && length != spec->precision) {
        ++length;
    }
    if (!spec->left) {
        pad(out, ' ', spec->width - length);
    }
    for (int i = 0; i < length; ++i) {
        put(out, text[i]);
    }
    if (spec->left) {
        pad(out, ' ', spec->width - length);
    }
}

static int number_at(const char** at, va_list* arguments) {
    if (**at == '*') {
        ++*at;
        return va_arg(*arguments, int);
    }
    int number = 0;
    while (**at >= '0' && **at <= '9') {
        number = number * 10 + (*(*at)++ - '0');
    }
    return number;
}

static const char* parse(const char* at, struct spec* spec, va_list* arguments) {
    for (; *at == '-' || *at == '0'; ++at) {
        spec->left |= *at == '-';
        spec->zero |= *at == '0';
    }
    spec->width = number_at(&at, arguments);
    if (spec->width < 0) {
        spec->left = true;
        spec->width = -spec->width;
    }
    if (*at == '.') {
        ++at;
        spec->precision = number_at(&at, arguments);
    }
    for (; *at == 'l' || *at == 'z'; ++at) {
        ++spec->longs;
    }
    return at;
}

static uint64_t unsigned_argument(const struct spec* spec, va_list* arguments) {
    return spec->longs >= 2 ? va_arg(*arguments, unsigned long long) : va_arg(*arguments, unsigned);
}

static int64_t signed_argument(const struct spec* spec, va_list* arguments) {
    return spec->longs >= 2 ? va_arg(*arguments, long long) : va_arg(*arguments, int);
}

int format_to(void (*send)(char byte), const char* format, va_list arguments) {
    struct out out = {send, 0};
    va_list rest;
    va_copy(rest, arguments);
    for (const char* at = format; *at != '\0'; ++at) {
        if (*at != '%') {
            put(&out, *at);
            continue;
        }
        struct spec spec = {false, false, 0, -1, 0};
        const char* const start = at;
        at = parse(at + 1, &spec, &rest);
        switch (*at) {
        case 'd':
        case 'i': {
            const int64_t value = signed_argument(&spec, &rest);
            const uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
            put_number(&out, &spec, size, value < 0, 10, false);
            break;
        }
        case 'u':
            put_number(&out, &spec, unsigned_argument(&spec, &rest), false, 10, false);
            break;
        case 'x':
        case 'X':
            put_number(&out, &spec, unsigned_argument(&spec, &rest), false, 16, *at == 'X');
            break;
        case 'p':
            spec.zero = true;
            spec.width = 8;
            put(&out, '0');
            put(&out, 'x');
            put_number(&out, &spec, (uintptr_t)va_arg(rest, void*), false, 16, false);
            break;
        case 'c': {
            const char text[2] = {(char)va_arg(rest, int), '\0'};
            put_text(&out, &spec, text);
            break;
        }
        case 's':
            put_text(&out, &spec, va_arg(rest, const char*));
            break;
        case '%':
            put(&out, '%');
            break;
        default: /* not known: as it stands */
            for (const char* c = start; c != at; ++c) {
                put(&out, *c);
            }
            if (*at == '\0') {
                va_end(rest);
                return out.count;
            }
            put(&out, *at);
        }
    }
    va_end(rest);
    return out.count;
}

int printf(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int count = format_to(uart_send, format, arguments);
    va_end(arguments);
    return count;
}

int putchar(int byte) {
    uart_send((char)byte);
    return (unsigned char)byte;
}

int puts(const char* text) {
    while (*text != '\0') {
        uart_send(*text++);
    }
    uart_send('\n');
    return 0;
}
