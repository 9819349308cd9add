#include "nvme.h"

#include <stddef.h>

#include "csr.h"
#include "platform.h"
#include "string.h"
#include "trap.h"

#define REGISTER_CAP 0x00u
#define REGISTER_CC 0x14u
#define REGISTER_CSTS 0x1Cu
#define REGISTER_AQA 0x24u
#define REGISTER_ASQ 0x28u
#define REGISTER_ACQ 0x30u
#define DOORBELLS 0x1000u

#define CC_ENABLE 1u
#define CC_SHUTDOWN (1u << 14)
#define CC_ENTRY_SIZES (6u << 16 | 4u << 20)
#define CSTS_READY 1u
#define CSTS_SHUTDOWN_DONE (2u << 2)

#define ADMIN_DELETE_SQ 0x00u
#define ADMIN_CREATE_SQ 0x01u
#define ADMIN_DELETE_CQ 0x04u
#define ADMIN_CREATE_CQ 0x05u
#define ADMIN_IDENTIFY 0x06u
#define ADMIN_SET_FEATURES 0x09u

#define ENTRIES 8u /* of each queue; one entry stays free */
#define VECTOR 1u

struct command {
    uint32_t dword[16];
};
struct completion {
    volatile uint32_t result;
    uint32_t reserved;
    volatile uint32_t queue;
    volatile uint32_t status; /* identifier, phase, status */
};

struct queue {
    struct command* commands;
    struct completion* completions;
    uint32_t number;
    uint32_t tail;
    uint32_t head;
    uint32_t phase;
};

#define IN_HOST_MEMORY __attribute__((section(".sdram"), aligned(4096)))

static IN_HOST_MEMORY struct command admin_commands[ENTRIES];
static IN_HOST_MEMORY struct completion admin_completions[ENTRIES];
static IN_HOST_MEMORY struct command io_commands[ENTRIES];
static IN_HOST_MEMORY struct completion io_completions[ENTRIES];
static IN_HOST_MEMORY uint8_t structure[NVME_PAGE];
static IN_HOST_MEMORY uint64_t lists[ENTRIES][NVME_PAGE / 8];

static struct queue admin_queue = {admin_commands, admin_completions, 0, 0, 0, 1};
static struct queue io_queue = {io_commands, io_completions, 1, 0, 0, 1};
static uint32_t free_slots;
static uint64_t blocks_there;
static char model[41];
volatile uint32_t nvme_interrupts;

void handle_external_interrupt(void) {
    if ((read32(NVME_PENDING) & 1u << VECTOR) != 0) {
        ++nvme_interrupts;
    }
}

static uint32_t address_of(const volatile void* data) {
    return (uint32_t)(uintptr_t)data;
}

static uint32_t reg(uint32_t offset) {
    return read32(NVME_BASE + offset);
}

static void put(struct queue* queue, const struct command* command) {
    queue->commands[queue->tail] = *command;
    queue->tail = (queue->tail + 1) % ENTRIES;
    __asm__ volatile("fence" ::: "memory");
    write32(NVME_BASE + DOORBELLS + 8 * queue->number, queue->tail);
}

/* The next completion, if it is there: its phase is the one awaited. */
static int take(struct queue* queue, uint32_t* id, uint32_t* status) {
    const uint32_t word = queue->completions[queue->head].status;
    if ((word >> 16 & 1) != queue->phase) {
        return 0;
    }
    *id = word & 0xFFFF;
    *status = word >> 17;
    queue->head = (queue->head + 1) % ENTRIES;
    if (queue->head == 0) {
        queue->phase ^= 1;
    }
    write32(NVME_BASE + DOORBELLS + 8 * queue->number + 4, queue->head);
    return 1;
}

static uint32_t admin(uint32_t opcode, uint32_t nsid, const volatile void* data, uint32_t cdw10,
                      uint32_t cdw11) {
    struct command command;
    memset(&command, 0, sizeof command);
    command.dword[0] = opcode;
    command.dword[1] = nsid;
    command.dword[6] = address_of(data);
    command.dword[10] = cdw10;
    command.dword[11] = cdw11;
    put(&admin_queue, &command);
    uint32_t id;
    uint32_t status;
    while (!take(&admin_queue, &id, &status)) {
    }
    return status;
}

static void wait_for(uint32_t mask, uint32_t value) {
    while ((reg(REGISTER_CSTS) & mask) != value) {
    }
}

uint32_t nvme_begin(void) {
    write32(NVME_BASE + REGISTER_CC, 0);
    wait_for(CSTS_READY, 0);
    memset(admin_completions, 0, sizeof admin_completions);
    memset(io_completions, 0, sizeof io_completions);
    write32(NVME_BASE + REGISTER_AQA, (ENTRIES - 1) | (ENTRIES - 1) << 16);
    write32(NVME_BASE + REGISTER_ASQ, address_of(admin_commands));
    write32(NVME_BASE + REGISTER_ASQ + 4, 0);
    write32(NVME_BASE + REGISTER_ACQ, address_of(admin_completions));
    write32(NVME_BASE + REGISTER_ACQ + 4, 0);
    write32(NVME_BASE + REGISTER_CC, CC_ENABLE | CC_ENTRY_SIZES);
    wait_for(CSTS_READY, CSTS_READY);

    uint32_t status = admin(ADMIN_IDENTIFY, 0, structure, 1, 0);
    if (status != 0) {
        return status;
    }
    memcpy(model, structure + 24, 40);
    for (uint32_t end = 40; end > 0 && model[end - 1] == ' '; --end) {
        model[end - 1] = 0;
    }
    status = admin(ADMIN_IDENTIFY, 1, structure, 0, 0);
    if (status != 0) {
        return status;
    }
    memcpy(&blocks_there, structure, 8);
    status = admin(ADMIN_SET_FEATURES, 0, NULL, 7, 0);
    if (status != 0) {
        return status;
    }
    status = admin(ADMIN_CREATE_CQ, 0, io_completions, 1 | (ENTRIES - 1) << 16, 3 | VECTOR << 16);
    if (status != 0) {
        return status;
    }
    status = admin(ADMIN_CREATE_SQ, 0, io_commands, 1 | (ENTRIES - 1) << 16, 1 | 1u << 16);
    free_slots = (1u << NVME_SLOTS) - 1;
    CSR_SET(mie, MIE_EXTERNAL);
    return status;
}

uint32_t nvme_end(void) {
    uint32_t status = admin(ADMIN_DELETE_SQ, 0, NULL, 1, 0);
    if (status == 0) {
        status = admin(ADMIN_DELETE_CQ, 0, NULL, 1, 0);
    }
    write32(NVME_BASE + REGISTER_CC, CC_ENABLE | CC_ENTRY_SIZES | CC_SHUTDOWN);
    wait_for(3u << 2, CSTS_SHUTDOWN_DONE);
    return status;
}

uint64_t nvme_blocks(void) {
    return blocks_there;
}

const char* nvme_model(void) {
    return model;
}

/* Where the data lie: the second entry is a page, or a list of pages. */
static void describe(struct command* command, uint32_t slot, uint32_t address, uint32_t bytes) {
    const uint32_t first = NVME_PAGE - address % NVME_PAGE;
    command->dword[6] = address;
    if (bytes <= first) {
        return;
    }
    uint32_t next = address + first;
    const uint32_t rest = bytes - first;
    if (rest <= NVME_PAGE) {
        command->dword[8] = next;
        return;
    }
    for (uint32_t i = 0; i * NVME_PAGE < rest; ++i) {
        lists[slot][i] = next;
        next += NVME_PAGE;
    }
    command->dword[8] = address_of(lists[slot]);
}

static uint32_t take_slot(void) {
    for (uint32_t slot = 0; slot < NVME_SLOTS; ++slot) {
        if ((free_slots & 1u << slot) != 0) {
            free_slots &= ~(1u << slot);
            return slot;
        }
    }
    return NVME_SLOTS;
}

uint32_t nvme_submit(uint32_t opcode, uint64_t lba, uint32_t blocks, void* data) {
    struct command command;
    const uint32_t slot = take_slot();
    memset(&command, 0, sizeof command);
    command.dword[0] = opcode | slot << 16;
    command.dword[1] = 1;
    if (data != NULL) {
        describe(&command, slot, address_of(data),
                 opcode == NVME_MANAGE ? blocks * 16 : blocks * NVME_BLOCK);
    }
    if (opcode == NVME_MANAGE) {
        command.dword[10] = blocks - 1; /* ranges */
        command.dword[11] = 4;          /* deallocate */
    } else if (opcode != NVME_FLUSH) {
        command.dword[10] = (uint32_t)lba;
        command.dword[11] = (uint32_t)(lba >> 32);
        command.dword[12] = blocks - 1;
    }
    put(&io_queue, &command);
    return slot;
}

/* Sleeps until there is one. What comes between the look and the sleep has raised the line, so that
   the sleep ends at once. */
uint32_t nvme_wait(uint32_t* status) {
    uint32_t slot;
    for (;;) {
        disable_interrupts();
        if (take(&io_queue, &slot, status)) {
            break;
        }
        wait_for_interrupt();
        enable_interrupts();
    }
    enable_interrupts();
    free_slots |= 1u << slot;
    return slot;
}

uint32_t nvme_io(uint32_t opcode, uint64_t lba, uint32_t blocks, void* data) {
    uint32_t status;
    nvme_submit(opcode, lba, blocks, data);
    nvme_wait(&status);
    return NVME_STATUS(status);
}

uint32_t nvme_deallocate(uint64_t lba, uint32_t blocks) {
    static IN_HOST_MEMORY uint32_t range[4];
    range[0] = 0;
    range[1] = blocks;
    range[2] = (uint32_t)lba;
    range[3] = (uint32_t)(lba >> 32);
    return nvme_io(NVME_MANAGE, 0, 1, range);
}
