/* A small printf to the UART: %d %i %u %x %X %p %c %s %%, with l and ll, the flags 0 and -, a width
   and (of strings) a precision. Anything else is printed as it stands. */
#ifndef CAVERN_STDIO_H
#define CAVERN_STDIO_H

#include <stdarg.h>

__attribute__((format(printf, 1, 2))) int printf(const char* format, ...);
/* The same through `send`; returns the number of bytes. */
int format_to(void (*send)(char byte), const char* format, va_list arguments);
int puts(const char* text);
int putchar(int byte);

#endif
