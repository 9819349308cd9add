#include "built_in_image.h"

__asm__(".section .rodata\n"
        ".global kBuiltInImage, kBuiltInImageEnd\n"
        ".balign 16\n"
        "kBuiltInImage:\n"
        ".incbin \"" CAVERN_LOOKUP_IMAGE "\"\n"
        "kBuiltInImageEnd:\n"
        ".byte 0\n"
        ".previous\n");
