/* The image: what the calls of the drive take the processor, on a drive whose tables are far larger
 * than the line cache. It prints the cycles of a page read and of a page written, and those of each
 * flash operation among them: where the cost model has its default cycles from. */
#include "../drive.h"
#include "csr.h"
#include "stdio.h"

#include <stddef.h>

enum { kCalls = 40000, kArenaBytes = 16 << 20 };
static uint8_t arena[kArenaBytes] __attribute__((section(".sdram"), aligned(64)));

/* 16 dies of 2 planes, 8 GiB in pages of 16 KiB; the buffer has 4,096 of them. */
static const struct drive_config kConfig = {
    .channels = 8,
    .ways = 2,
    .dies_per_way = 1,
    .planes_per_die = 2,
    .blocks_per_plane = 64,
    .pages_per_block = 256,
    .logical_pages = 480000,
    .policy = kDriveLruPage,
    .frames = 4096,
    .units_on_full = 1,
    .read_touch = 1,
    .allocator = kDrivePageOrder,
    .order = {'c', 'w', 'd', 'p'},
    .gc_low = 2,
    .gc_high = 3,
    .gc_pace = kDrivePaced,
};

/* Operations are what registers take: six words and a strobe. */
static volatile uint32_t registers[7];

static void take(void* context, const struct drive_operation* operation) {
    (void)context;
    registers[0] =
        operation->kind | (uint32_t)operation->origin << 8 | (uint32_t)operation->copies << 16;
    registers[1] = operation->page;
    registers[2] = operation->lpn;
    registers[3] = operation->supersedes;
    registers[4] = operation->frame;
    registers[5] = operation->after;
    registers[6] = 1;
}

struct sums {
    uint64_t calls, cycles, operations, squares, products;
};

static void add(struct sums* sums, uint32_t taken, uint32_t operations) {
    ++sums->calls;
    sums->cycles += taken;
    sums->operations += operations;
    sums->squares += (uint64_t)operations * operations;
    sums->products += (uint64_t)operations * taken;
}

static uint32_t draw(uint32_t* state, uint32_t bound) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return (uint32_t)((uint64_t)*state * bound >> 32);
}

/* Nine of ten go to a tenth of the pages. */
static uint32_t page(uint32_t* state) {
    const bool hot = draw(state, 10) != 0;
    return draw(state, hot ? kConfig.logical_pages / 10 : kConfig.logical_pages);
}

static const char* run(struct sums* reads, struct sums* writes) {
    const struct drive_sink sink = {take, NULL, 0};
    const char* problem = NULL;
    struct drive* const drive = drive_init(&kConfig, arena, kArenaBytes, sink, &problem);
    if (drive == NULL) {
        return problem;
    }
    for (uint32_t lpn = 0; lpn < kConfig.logical_pages; ++lpn) {
        struct drive_victim filled = {lpn, DRIVE_NONE, 0};
        problem = drive_fill(drive, &filled, 1).error;
        if (problem != NULL) {
            return problem;
        }
    }
    uint32_t state = 2020;
    for (uint32_t i = 0; i < 2 * kCalls; ++i) {
        const bool reading = draw(&state, 2) == 0;
        const uint32_t lpn = page(&state);
        const uint32_t start = CSR_READ(mcycle);
        const struct drive_decision decision =
            reading ? drive_read(drive, lpn) : drive_write(drive, lpn);
        const uint32_t taken = CSR_READ(mcycle) - start;
        if (decision.error != NULL) {
            return decision.error;
        }
        if (i >= kCalls) {
            add(reading ? reads : writes, taken, decision.operations);
        }
    }
    return NULL;
}

int main(void) {
    static struct sums reads, writes;
    const char* const problem = run(&reads, &writes);
    if (problem != NULL) {
        printf("the drive stops: %s\n", problem);
        return 1;
    }
    /* Least squares: the cycles of a page written, and those that each flash operation adds. */
    const uint64_t n = writes.calls;
    const uint64_t spread = n * writes.squares - writes.operations * writes.operations;
    const uint64_t each =
        (n * writes.products - writes.operations * writes.cycles + spread / 2) / spread;
    printf("a page read: %u cycles\n", (unsigned)((reads.cycles + reads.calls / 2) / reads.calls));
    printf("a page written: %u cycles\n",
           (unsigned)((writes.cycles - each * writes.operations + n / 2) / n));
    printf("a flash operation: %u cycles\n", (unsigned)each);
    printf("%u pages read, %u written, %u flash operations\n", (unsigned)reads.calls, (unsigned)n,
           (unsigned)writes.operations);
    return 0;
}
