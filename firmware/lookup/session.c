#include "session.h"

struct session_settings session_defaults(void) {
    const struct session_settings settings = {
        .look_up = 3,
        .frames = 16384,
        .groups = 127,
        .order = 5,
        .blocks = 4096,
        .pages_per_block = 256,
        .low_watermark = 256,
        .high_watermark = 512,
        .threads_per_kind = 4,
        .file_pages = 25600,
        .page_bytes = 8192,
        .least_bytes = 4096,
        .most_bytes = 12288,
        .seed = 1,
        .warm_up_turns = 1000,
        .turns = 20,
        .read_modify_write = 1,
    };
    return settings;
}

static struct ftl_cache_settings cache_settings(const struct session_settings* settings) {
    const struct ftl_cache_settings made = {
        .logical_pages = settings->threads_per_kind * kThreadKinds * settings->file_pages,
        .frames = settings->frames,
        .groups = settings->groups,
        .order = settings->order,
        .blocks = settings->blocks,
        .pages_per_block = settings->pages_per_block,
        .low_watermark = settings->low_watermark,
        .high_watermark = settings->high_watermark,
        .fill_unwritten = settings->fill_unwritten != 0,
        .seed = settings->seed,
    };
    return made;
}

static struct workload_settings workload_settings(const struct session_settings* settings) {
    const struct workload_settings made = {
        .threads_per_kind = settings->threads_per_kind,
        .file_pages = settings->file_pages,
        .page_bytes = settings->page_bytes,
        .least_bytes = settings->least_bytes,
        .most_bytes = settings->most_bytes,
        .seed = settings->seed,
    };
    return made;
}

const char* session_refuses(const struct session_settings* settings) {
    const struct workload_settings workload = workload_settings(settings);
    const struct ftl_cache_settings cache = cache_settings(settings);
    if (settings->look_up >= kLookUpCount) {
        return "there is no such look-up";
    }
    const char* const wrong = workload_refuses(&workload);
    return wrong != NULL ? wrong : ftl_cache_refuses(&cache, kLookUps[settings->look_up]);
}

uint64_t session_bytes(const struct session_settings* settings) {
    const struct ftl_cache_settings made = cache_settings(settings);
    return ftl_cache_bytes(&made, kLookUps[settings->look_up]);
}

bool session_start(struct session* session, const struct session_settings* settings, void* memory,
                   uint64_t bytes) {
    const struct ftl_cache_settings made = cache_settings(settings);
    const struct workload_settings threads = workload_settings(settings);
    struct arena arena = {(uint8_t*)memory, (size_t)bytes, 0};
    session->settings = *settings;
    session->log = NULL;
    workload_start(&session->workload, &threads);
    if (!ftl_cache_start(&session->cache, &arena, &made, kLookUps[settings->look_up])) {
        return false;
    }
    for (uint32_t thread = 0; thread < session->workload.threads; ++thread) {
        const enum thread_kind kind = (enum thread_kind)(thread / settings->threads_per_kind);
        if (settings->prewrite_all || workload_reads(kind)) {
            const uint32_t first = thread * settings->file_pages;
            for (uint32_t i = 0; i < settings->file_pages; ++i) {
                ftl_cache_prewrite(&session->cache, first + i);
            }
        }
    }
    return true;
}

static void log_access(struct session* session, uint32_t lpn, bool write) {
    struct ftl_cache* const cache = &session->cache;
    const struct look_up_cost cost = cache->cost;
    const struct ftl_cache_counts counts = cache->counts;
    const uint32_t start = cache->clock == NULL ? 0 : cache->clock();
    if (write) {
        ftl_cache_write(cache, lpn);
    } else {
        ftl_cache_read(cache, lpn);
    }
    const uint32_t end = cache->clock == NULL ? 0 : cache->clock();
    struct access_log* const log = session->log;
    if (log->count < kMostLogged) {
        log->entries[log->count] = (struct access_cost){
            .cycles = end - start,
            .find_cycles = (uint32_t)(cache->cost.cycles - cost.cycles),
            .compares = (uint32_t)(cache->cost.compares - cost.compares),
            .write = write,
            .look_up = cache->cost.look_ups != cost.look_ups,
            .hit = cache->counts.read_hits + cache->counts.write_hits !=
                   counts.read_hits + counts.write_hits,
            .flush = cache->counts.flushes != counts.flushes,
        };
    }
    ++log->count;
}

static void read_page(struct session* session, uint32_t lpn) {
    if (session->log == NULL) {
        ftl_cache_read(&session->cache, lpn);
    } else {
        log_access(session, lpn, false);
    }
}

static void write_page(struct session* session, uint32_t lpn) {
    if (session->log == NULL) {
        ftl_cache_write(&session->cache, lpn);
    } else {
        log_access(session, lpn, true);
    }
}

static void read_record(struct session* session, uint32_t first, uint32_t last) {
    for (uint32_t lpn = first; lpn <= last; ++lpn) {
        read_page(session, lpn);
    }
}

/* `head` and `tail`: whether the first and the last page are written in part. */
static void write_record(struct session* session, uint32_t first, uint32_t last, bool head,
                         bool tail) {
    for (uint32_t lpn = first; lpn <= last; ++lpn) {
        const bool part = (lpn == first && head) || (lpn == last && tail);
        if (part && session->settings.read_modify_write) {
            read_page(session, lpn);
        }
        write_page(session, lpn);
    }
}

void session_play_record(struct session* session, const struct record* record) {
    const uint32_t page_bytes = session->settings.page_bytes;
    const uint32_t file = record->thread * session->settings.file_pages;
    const uint32_t end = record->offset + record->bytes;
    const uint32_t first = file + record->offset / page_bytes;
    const uint32_t last = file + (end - 1) / page_bytes;
    if (workload_reads(record->kind)) {
        read_record(session, first, last);
    }
    if (record->kind == kSequentialWrite || record->kind == kRandomWrite ||
        record->kind == kRandomOverwrite) {
        write_record(session, first, last, record->offset % page_bytes != 0, end % page_bytes != 0);
    }
}

static void play_turns(struct session* session, uint32_t turns) {
    struct record record;
    for (uint32_t turn = 0; turn < turns; ++turn) {
        for (uint32_t thread = 0; thread < session->workload.threads; ++thread) {
            workload_next(&session->workload, &record);
            session_play_record(session, &record);
        }
    }
}

void session_play(struct session* session, uint32_t (*clock)(void), struct session_result* result) {
    struct ftl_cache* const cache = &session->cache;
    const struct look_up* const measured = cache->look_up;
    struct access_log* const log = session->log;
    session->log = NULL;
    if (session->settings.warm_up_turns > 0) {
        ftl_cache_change_look_up(cache, &kLookUpDx);
        play_turns(session, session->settings.warm_up_turns);
        ftl_cache_change_look_up(cache, measured);
    }
    cache->cost = (struct look_up_cost){0};
    cache->counts = (struct ftl_cache_counts){.least_free = cache->flash.free_pages};
    cache->clock = clock;
    session->log = log;
    result->clock_cycles = 0;
    result->cycles = 0;
    uint32_t turn = 0;
    if (clock != NULL) {
        const uint32_t start = clock();
        result->clock_cycles = clock() - start;
    }
    /* Turn by turn: the clock is 32 bits. */
    for (; turn < session->settings.turns; ++turn) {
        const uint32_t start = clock == NULL ? 0 : clock();
        play_turns(session, 1);
        result->cycles += clock == NULL ? 0 : clock() - start;
    }
    result->counts = cache->counts;
    result->cost = cache->cost;
    result->records = (uint64_t)turn * session->workload.threads;
    result->tree_nodes = cache->tree.most_used;
    result->done = 1;
}
