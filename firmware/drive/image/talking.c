/* For tests: linked with --wrap=drive_write, the drive prints each page that is written, and how it
 * was decided. */
#include "../drive.h"

#include "stdio.h"

struct drive_decision __real_drive_write(struct drive* drive, uint32_t lpn);
struct drive_decision __wrap_drive_write(struct drive* drive, uint32_t lpn);

struct drive_decision __wrap_drive_write(struct drive* drive, uint32_t lpn) {
    printf("write of page %u", (unsigned)lpn);
    const struct drive_decision decision = __real_drive_write(drive, lpn);
    printf(": %s frame %u\n", decision.hit ? "hit," : "new,", (unsigned)decision.frame);
    return decision;
}
