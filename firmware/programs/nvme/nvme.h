/* A driver for an NVMe controller (NVM Express Base Specification 1.4): one pair of I/O queues. */
#ifndef CAVERN_NVME_H
#define CAVERN_NVME_H

#include <stdint.h>

/* The platform: registers of the controller, and which vectors have been raised (read: clears). */
#define NVME_BASE 0x40000000u
#define NVME_PENDING 0x4000F000u

#define NVME_PAGE 4096u
#define NVME_BLOCK 512u

enum nvme_opcode {
    NVME_FLUSH = 0x00,
    NVME_WRITE = 0x01,
    NVME_READ = 0x02,
    NVME_WRITE_ZEROES = 0x08,
    NVME_MANAGE = 0x09
};

/* Status without its do-not-retry bit: type in bits 10:8, code in bits 7:0. */
#define NVME_STATUS(status) ((status)&0x7FFu)

/* Finds the controller, enables it, and makes the queues; 0, or the status of what failed. */
uint32_t nvme_begin(void);
/* Deletes the queues and shuts the controller down. */
uint32_t nvme_end(void);
/* Blocks of the namespace. */
uint64_t nvme_blocks(void);
const char* nvme_model(void);

/* Puts a command into the queue; its number is its slot. `data` may begin anywhere in a page. */
uint32_t nvme_submit(uint32_t opcode, uint64_t lba, uint32_t blocks, void* data);
/* Waits for the next completion; returns the slot, and the status. */
uint32_t nvme_wait(uint32_t* status);
/* Both; returns the status. */
uint32_t nvme_io(uint32_t opcode, uint64_t lba, uint32_t blocks, void* data);
/* Deallocates one range. */
uint32_t nvme_deallocate(uint64_t lba, uint32_t blocks);
/* How many commands may be outstanding. */
#define NVME_SLOTS 7u
/* Interrupts of the I/O queue so far. */
extern volatile uint32_t nvme_interrupts;

#endif
