/* Whether look-ups count what they compare. 0 in an image whose cycles are measured: counting takes
 * cycles of its own. */
#ifndef CAVERN_FIRMWARE_LOOKUP_COUNTING_H
#define CAVERN_FIRMWARE_LOOKUP_COUNTING_H

#ifndef LOOKUP_COUNTING
#define LOOKUP_COUNTING 1
#endif
enum { kCounting = LOOKUP_COUNTING };

#endif
