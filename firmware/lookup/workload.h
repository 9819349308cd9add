/* The workload of Lee & Chung 2020, III.1: threads that read and write records of about a page's
 * length in files of their own; five kinds of them. They take turns, one record each. */
#ifndef CAVERN_FIRMWARE_LOOKUP_WORKLOAD_H
#define CAVERN_FIRMWARE_LOOKUP_WORKLOAD_H

#include "random.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Thread t is of kind t div threads_per_kind, and its file is file t. */
enum thread_kind {
    kSequentialWrite,
    kSequentialRead,
    kRandomRead,
    kRandomWrite,
    kRandomOverwrite, /* reads a record, then writes it */
    kThreadKinds
};

enum { kMostThreads = 64 };

struct workload_settings {
    uint32_t threads_per_kind;
    uint32_t file_pages;
    uint32_t page_bytes;
    uint32_t least_bytes, most_bytes; /* of a record; equally likely */
    uint32_t seed;
};

struct record {
    uint32_t thread;
    enum thread_kind kind;
    uint32_t offset, bytes; /* in the thread's file */
};

struct workload {
    struct workload_settings settings;
    uint32_t threads;
    uint32_t next_thread;
    struct random random[kMostThreads];
    uint32_t place[kMostThreads]; /* where a sequential thread goes on */
};

/* NULL, or what is wrong with the settings. */
const char* workload_refuses(const struct workload_settings* settings);

void workload_start(struct workload* workload, const struct workload_settings* settings);

/* The next record, of the thread whose turn it is. */
void workload_next(struct workload* workload, struct record* record);

/* Whether the files of a kind are there before it starts: those that it reads. */
bool workload_reads(enum thread_kind kind);

#ifdef __cplusplus
}
#endif

#endif
