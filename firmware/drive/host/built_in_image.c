#include "built_in_image.h"

__asm__(".section .rodata\n"
        ".global kDriveImage, kDriveImageEnd\n"
        ".balign 16\n"
        "kDriveImage:\n"
        ".incbin \"" CAVERN_DRIVE_IMAGE "\"\n"
        "kDriveImageEnd:\n"
        ".byte 0\n"
        ".type kDriveImage, @object\n"
        ".type kDriveImageEnd, @object\n"
        ".size kDriveImage, kDriveImageEnd - kDriveImage\n"
        ".size kDriveImageEnd, 1\n"
        ".previous\n");
