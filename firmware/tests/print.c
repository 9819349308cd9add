/* printf, byte for byte. */
#include "check.h"
#include "string.h"

static char buffer[128];
static unsigned length;

static void collect(char byte) {
    buffer[length++] = byte;
}

__attribute__((format(printf, 3, 4))) static void expect(int line, const char* expected,
                                                         const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    length = 0;
    const int count = format_to(collect, format, arguments);
    va_end(arguments);
    collect('\0');
    check_equal("count", (uint32_t)count, strlen(expected), line);
    const uint32_t differs = (uint32_t)memcmp(buffer, expected, strlen(expected) + 1);
    check_equal("difference", differs, 0, line);
    if (differs != 0) {
        printf("  \"%s\" instead of \"%s\"\n", buffer, expected);
    }
}

int main(void) {
    expect(__LINE__, "plain", "plain");
    expect(__LINE__, "100%", "%d%%", 100);
    expect(__LINE__, "-2147483648", "%d", (int)0x80000000u);
    expect(__LINE__, "4294967295", "%u", 0xFFFFFFFFu);
    expect(__LINE__, "18446744073709551615", "%llu", ~0ull);
    expect(__LINE__, "-9223372036854775808", "%lld", (long long)(1ull << 63));
    expect(__LINE__, "4294967296", "%llu", 1ull << 32);
    expect(__LINE__, "0", "%d", 0);
    expect(__LINE__, "deadbeef DEADBEEF", "%x %X", 0xDEADBEEFu, 0xDEADBEEFu);
    expect(__LINE__, "100000000", "%llx", 1ull << 32);
    expect(__LINE__, "[   42]", "[%5d]", 42);
    expect(__LINE__, "[42   ]", "[%-5d]", 42);
    expect(__LINE__, "[00042]", "[%05d]", 42);
    expect(__LINE__, "[-0042]", "[%05d]", -42);
    expect(__LINE__, "[  -42]", "[%5d]", -42);
    expect(__LINE__, "[  ab]", "[%4s]", "ab");
    expect(__LINE__, "[ab  ]", "[%-4s]", "ab");
    expect(__LINE__, "[ab]", "[%.2s]", "abcd");
    expect(__LINE__, "[  7]", "[%*d]", 3, 7);
    expect(__LINE__, "xyz", "%c%c%c", 'x', 'y', 'z');
    expect(__LINE__, "0x00100000", "%p", (void*)0x100000);
    expect(__LINE__, "123456 7", "%lu %ld", 123456ul, 7l);
    return check_result("print");
}
