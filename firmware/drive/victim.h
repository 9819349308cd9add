/* The block that is collected next: of the closed blocks with garbage that with the fewest valid
 * pages; ties go to the fewer erases, then to the lower number.
 *
 * One tournament tree a plane: leaf i is block i, an inner node the better of its two children. A
 * block that loses a page climbs until it meets a better one; the choice is a look at the root. */
#ifndef CAVERN_FIRMWARE_DRIVE_VICTIM_H
#define CAVERN_FIRMWARE_DRIVE_VICTIM_H

#include "flash.h"

/* The block, which is closed, has become a candidate, or has a valid page less. */
void victim_offer(struct flash* flash, uint32_t block);

/* The candidate is collected. */
void victim_withdraw(struct flash* flash, uint32_t block);

/* DRIVE_NONE if the plane has no candidate. */
uint32_t victim_choose(const struct flash* flash, uint32_t plane);

#endif
