#include "workload.h"

#include <stddef.h>

const char* workload_refuses(const struct workload_settings* settings) {
    const uint64_t bytes = (uint64_t)settings->file_pages * settings->page_bytes;
    if (settings->threads_per_kind == 0 ||
        settings->threads_per_kind > kMostThreads / kThreadKinds) {
        return "threads_per_kind must be 1 to 12";
    }
    if (settings->page_bytes == 0 || bytes == 0 || bytes > UINT32_MAX) {
        return "a file must be 1 byte to 4 GiB";
    }
    if (settings->least_bytes == 0 || settings->least_bytes > settings->most_bytes ||
        settings->most_bytes > bytes) {
        return "least_bytes must be 1 or more, most_bytes no less, and no more than a file";
    }
    return NULL;
}

void workload_start(struct workload* workload, const struct workload_settings* settings) {
    workload->settings = *settings;
    workload->threads = settings->threads_per_kind * kThreadKinds;
    workload->next_thread = 0;
    for (uint32_t thread = 0; thread < workload->threads; ++thread) {
        random_seed(&workload->random[thread], settings->seed, thread);
        workload->place[thread] = 0;
    }
}

void workload_next(struct workload* workload, struct record* record) {
    const struct workload_settings* const settings = &workload->settings;
    const uint32_t thread = workload->next_thread;
    struct random* const random = &workload->random[thread];
    const uint32_t file_bytes = settings->file_pages * settings->page_bytes;
    workload->next_thread = thread + 1 == workload->threads ? 0 : thread + 1;
    record->thread = thread;
    record->kind = (enum thread_kind)(thread / settings->threads_per_kind);
    record->bytes = settings->least_bytes +
                    random_below(random, settings->most_bytes - settings->least_bytes + 1);
    if (record->kind == kSequentialWrite || record->kind == kSequentialRead) {
        uint32_t* const place = &workload->place[thread];
        if (*place > file_bytes - record->bytes) {
            *place = 0;
        }
        record->offset = *place;
        *place += record->bytes;
    } else {
        record->offset = random_below(random, file_bytes - record->bytes + 1);
    }
}

bool workload_reads(enum thread_kind kind) {
    return kind == kSequentialRead || kind == kRandomRead || kind == kRandomOverwrite;
}
