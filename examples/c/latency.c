/*
 * Latency of a modelled drive, from C: 4 KiB at random places, several reads outstanding.
 *   cc latency.c -lcavern && ./a.out tlc-nvme.toml 32 nand.blocks_per_plane=128
 */
#include <cavern/cavern.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBytes = 4096, kMost = 256, kRequests = 2000 };

static cavern_drive* drive;
static unsigned char data[kMost][kBytes];

static void fail(void) {
    fprintf(stderr, "error: %s\n", cavern_error(drive));
    exit(drive == NULL ? 2 : 1);
}

static void submit(uint32_t op, uint64_t page, uint64_t slot) {
    const cavern_request request = {op, 0, page * kBytes, kBytes, data[slot], slot};
    if (cavern_submit(drive, &request) != 0) {
        fail();
    }
}

static cavern_completion next_completion(void) {
    cavern_completion done;
    while (cavern_poll(drive, &done) == 0) {
        if (cavern_step_to_completion(drive, CAVERN_NEVER) != 0) {
            fail();
        }
    }
    return done;
}

static uint64_t random_page(void) {
    static uint64_t random = 1;
    random = random * 6364136223846793005u + 1442695040888963407u;
    return (random >> 33) % (cavern_capacity(drive) / kBytes);
}

int main(int argc, char** argv) {
    const uint64_t depth = argc > 2 ? strtoul(argv[2], NULL, 10) : 32;
    drive = cavern_open(argc > 1 ? argv[1] : "tlc-nvme.toml",
                        argc > 3 ? (const char* const*)argv + 3 : NULL);
    if (drive == NULL) {
        fail();
    }
    if (depth == 0 || depth > kMost) {
        fprintf(stderr, "error: <command line>:1: %s requests; 1 to %d\n", argv[2], kMost);
        return 2;
    }
    memset(data[0], 0xA5, kBytes);
    submit(CAVERN_WRITE, 0, 0);
    next_completion();
    memset(data[0], 0, kBytes);
    submit(CAVERN_READ, 0, 0); /* what was written */
    next_completion();
    const int same = data[0][0] == 0xA5 && memcmp(data[0], data[0] + 1, kBytes - 1) == 0;

    const uint64_t begin = cavern_now(drive);
    uint64_t total = 0;
    uint64_t submitted = 0;
    for (; submitted < depth; ++submitted) {
        submit(CAVERN_READ, random_page(), submitted);
    }
    for (int completed = 0; completed < kRequests; ++completed) {
        const cavern_completion done = next_completion();
        total += done.completed - done.submitted;
        if (submitted < kRequests) {
            submit(CAVERN_READ, random_page(), done.tag); /* its buffer is free */
            ++submitted;
        }
    }
    printf("%d reads, mean %.1f us, %.0f per second, data %s\n", kRequests,
           total * 1e-6 / kRequests, kRequests / ((cavern_now(drive) - begin) * 1e-12),
           same ? "as written" : "WRONG");
    if (cavern_close(drive) != 0) {
        drive = NULL;
        fail();
    }
    return same ? 0 : 1;
}
