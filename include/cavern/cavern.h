/*
 * Cavern as a C library: a modelled SSD whose simulated time goes on only when it is told to. For
 * gem5, QEMU, scripts.
 *
 *     cavern_drive* drive = cavern_open("tlc-nvme.toml", NULL);
 *     cavern_request read = {CAVERN_READ, 0, 0, 4096, buffer, 7};
 *     cavern_submit(drive, &read);
 *     while (cavern_poll(drive, &done) == 0)
 *         cavern_step_to_completion(drive, CAVERN_NEVER);
 *
 * One drive per process: SystemC, on which the model runs, is elaborated once. All calls come from
 * one thread. Times are picoseconds of simulated time; offsets and sizes are bytes.
 */
#ifndef CAVERN_H
#define CAVERN_H

#include <stdint.h>

#include "cavern/export.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cavern_drive cavern_drive;

/* Commands of a request. */
enum {
    CAVERN_READ = 0,
    CAVERN_WRITE = 1,
    CAVERN_TRIM = 2,         /* the data is not needed any more */
    CAVERN_WRITE_ZEROES = 3, /* needs no data */
    CAVERN_FLUSH = 4         /* what was written is in flash; offset and bytes are 0 */
};

/* Flags of a request. */
enum {
    CAVERN_FUA = 1,        /* a write, TRIM or zeroes: done when it is in flash */
    CAVERN_KEEPS_PLACE = 2 /* zeroes are written, not trimmed */
};

/* How a request ended. */
enum {
    CAVERN_DONE = 0,
    CAVERN_LOST = 1,   /* data read could not be corrected */
    CAVERN_REFUSED = 2 /* the state of its zone forbids it */
};

#define CAVERN_NEVER UINT64_MAX

/* Offset and bytes are multiples of 512 within the drive; one request moves less than 4 GiB. */
typedef struct cavern_request {
    uint32_t op;
    uint32_t flags;
    uint64_t offset;
    uint64_t bytes;
    void* data;   /* of a read or write: the drive fills or reads it until the request completes */
    uint64_t tag; /* the caller's own; comes back with the completion */
} cavern_request;

typedef struct cavern_completion {
    uint64_t tag;
    uint32_t status;
    uint32_t reserved;
    uint64_t submitted; /* time */
    uint64_t completed; /* time; the latency is the difference */
} cavern_completion;

/* Version of the library, such as "0.2.0". */
CAVERN_API const char* cavern_version(void);
/* Folder of the drives and parts that come with the library. */
CAVERN_API const char* cavern_configs(void);

/*
 * Opens the drive that a TOML file describes. A name without a slash that is no file here is looked
 * for in cavern_configs(). `overrides`: "KEY=VALUE" texts up to a NULL, or NULL for none. Returns
 * NULL where that is not possible: cavern_error(NULL) says why.
 */
CAVERN_API cavern_drive* cavern_open(const char* config, const char* const* overrides);
/* Why the last call that failed did so, in the form "FILE:LINE: what; what would be right". */
CAVERN_API const char* cavern_error(const cavern_drive* drive);

/* Bytes that the drive exports. */
CAVERN_API uint64_t cavern_capacity(const cavern_drive* drive);

/* The host wants this now. Any number may be outstanding. 0, or -1: cavern_error() says why. */
CAVERN_API int cavern_submit(cavern_drive* drive, const cavern_request* request);
/* Takes the oldest completion. 1: there was one; 0: there was none. */
CAVERN_API int cavern_poll(cavern_drive* drive, cavern_completion* completion);
/* Requests submitted and not completed. */
CAVERN_API uint32_t cavern_outstanding(const cavern_drive* drive);

/* Time now. */
CAVERN_API uint64_t cavern_now(const cavern_drive* drive);
/* When something happens next in the drive; CAVERN_NEVER: nothing unless something is submitted. */
CAVERN_API uint64_t cavern_next_event(const cavern_drive* drive);
/* Does everything before `time`; then it is `time`. 0, or -1: the drive is of no use then. */
CAVERN_API int cavern_step_to(cavern_drive* drive, uint64_t time);
/* Like cavern_step_to(), but stops where a request completes. CAVERN_NEVER: no limit. */
CAVERN_API int cavern_step_to_completion(cavern_drive* drive, uint64_t limit);

/*
 * Lets the drive end what is outstanding, checks it, and closes it. 0, or -1: the model found
 * itself inconsistent, and cavern_error(NULL) says how. No other drive can be opened in this
 * process.
 */
CAVERN_API int cavern_close(cavern_drive* drive);

#ifdef __cplusplus
}
#endif

#endif
