/* The image: plays a session on the processor. Who runs it may put settings into lookup_settings
 * before, and finds the result in lookup_result; without settings it plays those of
 * session_defaults. */
#include "../session.h"
#include "csr.h"
#include "stdio.h"

extern struct session_settings lookup_settings;
extern struct session_result lookup_result;
extern struct access_log lookup_log;

/* All zero: none were put there. They must not lie in memory that the start clears. */
struct session_settings lookup_settings __attribute__((section(".data.lookup_settings"))) = {0};
struct session_result lookup_result;
/* In coupled memory, so that logging leaves the line cache alone. */
struct access_log lookup_log;

/* What the search walks through lies behind the line cache, as it would on a drive: frames, map and
 * tree do not fit into coupled memory. */
enum { kMemoryBytes = 60 << 20 };
static uint8_t memory[kMemoryBytes] __attribute__((section(".sdram"), aligned(64)));
static struct session session;

static uint32_t clock(void) {
    return CSR_READ(mcycle);
}

int main(void) {
    if (lookup_settings.frames == 0) {
        lookup_settings = session_defaults();
    }
    const char* const wrong = session_refuses(&lookup_settings);
    if (wrong != NULL) {
        printf("settings that do not fit together: %s\n", wrong);
        return 2;
    }
    if (!session_start(&session, &lookup_settings, memory, kMemoryBytes)) {
        printf("the session needs more than %u bytes of SDRAM\n", (unsigned)kMemoryBytes);
        return 2;
    }
    session.log = lookup_settings.log_accesses != 0 ? &lookup_log : NULL;
    session_play(&session, clock, &lookup_result);
    printf("%s: %u look-ups in %u cycles, %u cycles in all\n",
           kLookUps[lookup_settings.look_up]->name, (unsigned)lookup_result.cost.look_ups,
           (unsigned)lookup_result.cost.cycles, (unsigned)lookup_result.cycles);
    return 0;
}
