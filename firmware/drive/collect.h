/* Collection, plane by plane; pages never change plane by it.
 *
 * In a burst: when a block is needed for the host and at most gc_low are free, victims are
 * collected until gc_high are. In steps: a victim with v valid pages of B is emptied while the host
 * writes the B - v pages that this brings, v / (B - v) copies with each; see
 * model/core/ftl/page_ftl.h. */
#ifndef CAVERN_FIRMWARE_DRIVE_COLLECT_H
#define CAVERN_FIRMWARE_DRIVE_COLLECT_H

#include "flash.h"

/* Gives the host of the plane a page that can be programmed. False: there is no room. */
bool collect_make_room(struct flash* flash, uint32_t plane, struct drive_sink* sink);

enum collected { kCollectedNothing, kCollected, kNoRoomToCollect };

/* Works for an idle plane ahead of need: at most `copies` pages where collection goes in steps,
 * else one victim. */
enum collected collect_ahead(struct flash* flash, uint32_t plane, uint32_t copies,
                             struct drive_sink* sink);

#endif
