/* Writes to a drive through the NVMe driver, reads back, and compares every byte. */
#include "../../tests/check.h"
#include "nvme.h"
#include "string.h"

#define BUFFER_BYTES (64u * 1024u)

/* One for each slot, and what it should hold at which address. */
static __attribute__((section(".sdram"), aligned(4096))) uint8_t buffers[NVME_SLOTS][BUFFER_BYTES];
static uint32_t random_state = 1;

static uint32_t random_below(uint32_t bound) {
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)random_state * bound) >> 32);
}

/* Bytes of a block: they differ between blocks, versions, and places in the block. */
static uint32_t word_of(uint32_t lba, uint32_t version, uint32_t i) {
    return (lba * 2654435761u ^ version * 40503u) + i * 0x01000193u;
}

static void fill(uint8_t* data, uint32_t lba, uint32_t blocks, uint32_t version) {
    for (uint32_t block = 0; block < blocks; ++block) {
        for (uint32_t i = 0; i < NVME_BLOCK / 4; ++i) {
            const uint32_t word = word_of(lba + block, version, i);
            memcpy(data + block * NVME_BLOCK + 4 * i, &word, 4);
        }
    }
}

static uint32_t differs(const uint8_t* data, uint32_t lba, uint32_t blocks, uint32_t version) {
    uint32_t wrong = 0;
    for (uint32_t block = 0; block < blocks; ++block) {
        for (uint32_t i = 0; i < NVME_BLOCK / 4; ++i) {
            uint32_t word;
            memcpy(&word, data + block * NVME_BLOCK + 4 * i, 4);
            wrong += word != word_of(lba + block, version, i);
        }
    }
    return wrong;
}

/* An area of blocks with the version that was last written to each. */
#define AREA 256u
static uint8_t versions[AREA];

/* Several commands at a time: each has its slot, its buffer, and blocks that no other touches. */
static void write_all(uint32_t version, uint32_t blocks_each) {
    uint32_t outstanding = 0;
    uint32_t status;
    for (uint32_t lba = 0; lba < AREA || outstanding != 0;) {
        if (lba < AREA && outstanding < NVME_SLOTS) {
            const uint32_t blocks = blocks_each < AREA - lba ? blocks_each : AREA - lba;
            /* Which slot comes next only the driver knows: a buffer by the place. */
            uint8_t* data = buffers[lba / blocks_each % NVME_SLOTS];
            if (outstanding != 0 && lba / blocks_each % NVME_SLOTS == 0) {
                while (outstanding != 0) {
                    nvme_wait(&status);
                    CHECK_EQUAL(status, 0);
                    --outstanding;
                }
            }
            fill(data, lba, blocks, version);
            nvme_submit(NVME_WRITE, lba, blocks, data);
            memset(versions + lba, (int)version, blocks);
            lba += blocks;
            ++outstanding;
        } else {
            nvme_wait(&status);
            CHECK_EQUAL(status, 0);
            --outstanding;
        }
    }
}

static void read_some(uint32_t times) {
    for (uint32_t i = 0; i < times; ++i) {
        const uint32_t blocks = 1 + random_below(40);
        const uint32_t lba = random_below(AREA - blocks);
        const uint32_t offset = random_below(NVME_PAGE / 4) * 4;
        uint8_t* data = buffers[1] + offset;
        memset(data, 0xEE, blocks * NVME_BLOCK + 4);
        CHECK_EQUAL(nvme_io(NVME_READ, lba, blocks, data), 0);
        uint32_t wrong = 0;
        for (uint32_t block = 0; block < blocks; ++block) {
            wrong += differs(data + block * NVME_BLOCK, lba + block, 1, versions[lba + block]);
        }
        CHECK_EQUAL(wrong, 0);
        CHECK_EQUAL(data[blocks * NVME_BLOCK], 0xEE); /* nothing behind it */
    }
}

static void mistakes(void) {
    const uint64_t end = nvme_blocks();
    CHECK_EQUAL(nvme_io(NVME_READ, end, 1, buffers[0]), 0x80);
    CHECK_EQUAL(nvme_io(NVME_READ, end - 1, 2, buffers[0]), 0x80);
    CHECK_EQUAL(nvme_io(0x55, 0, 1, buffers[0]), 0x01);
    CHECK_EQUAL(nvme_io(NVME_READ, 0, 1, buffers[0] + 1), 0x13);
    CHECK_EQUAL(nvme_io(NVME_READ, 0, 1, (void*)0x10), 0x04); /* no memory of the host */
    CHECK_EQUAL(nvme_io(NVME_READ, end - 1, 1, buffers[0]), 0);
}

static void zeroes(void) {
    CHECK_EQUAL(nvme_io(NVME_WRITE_ZEROES, 8, 16, 0), 0);
    CHECK_EQUAL(nvme_io(NVME_READ, 8, 16, buffers[0]), 0);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 16 * NVME_BLOCK; ++i) {
        sum += buffers[0][i];
    }
    CHECK_EQUAL(sum, 0);
    CHECK_EQUAL(nvme_io(NVME_READ, 7, 1, buffers[0]), 0);
    CHECK_EQUAL(differs(buffers[0], 7, 1, versions[7]), 0);
    CHECK_EQUAL(nvme_io(NVME_READ, 24, 1, buffers[0]), 0);
    CHECK_EQUAL(differs(buffers[0], 24, 1, versions[24]), 0);
}

int main(void) {
    CHECK_EQUAL(nvme_begin(), 0);
    printf("%s, %u blocks\n", nvme_model(), (unsigned)nvme_blocks());
    CHECK_EQUAL(nvme_blocks() > AREA, 1);
    write_all(1, 1);
    read_some(10);
    write_all(2, 8);
    CHECK_EQUAL(nvme_io(NVME_FLUSH, 0, 0, 0), 0);
    write_all(3, 33);
    read_some(40);
    mistakes();
    CHECK_EQUAL(nvme_deallocate(128, 64), 0);
    memset(versions + 128, 0,
           64); /* what they hold is not looked at until they are written again */
    for (uint32_t lba = 128; lba < 192; lba += 16) {
        fill(buffers[0], lba, 16, 4);
        CHECK_EQUAL(nvme_io(NVME_WRITE, lba, 16, buffers[0]), 0);
        memset(versions + lba, 4, 16);
    }
    read_some(40);
    zeroes();
    CHECK_EQUAL(nvme_interrupts > 0, 1);
    CHECK_EQUAL(nvme_end(), 0);
    return check_result("nvme");
}
