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
    /* What the flash takes is not known to an arena without memory. */
    const uint64_t flash =
        (uint64_t)settings->blocks * (settings->pages_per_block * sizeof(uint32_t) + 16) + 64;
    const struct ftl_cache_settings made = cache_settings(settings);
    struct arena arena = {NULL, 0, 0};
    struct ftl_cache cache;
    (void)ftl_cache_start(&cache, &arena, &made, kLookUps[settings->look_up]);
    return arena.used + flash;
}

bool session_start(struct session* session, const struct session_settings* settings, void* memory,
                   uint64_t bytes) {
    const struct ftl_cache_settings made = cache_settings(settings);
    const struct workload_settings threads = workload_settings(settings);
    struct arena arena = {(uint8_t*)memory, (size_t)bytes, 0};
    session->settings = *settings;
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

static void read_record(struct session* session, uint32_t first, uint32_t last) {
    for (uint32_t lpn = first; lpn <= last; ++lpn) {
        ftl_cache_read(&session->cache, lpn);
    }
}

/* `head` and `tail`: whether the first and the last page are written in part. */
static void write_record(struct session* session, uint32_t first, uint32_t last, bool head,
                         bool tail) {
    for (uint32_t lpn = first; lpn <= last; ++lpn) {
        const bool part = (lpn == first && head) || (lpn == last && tail);
        if (part && session->settings.read_modify_write) {
            ftl_cache_read(&session->cache, lpn);
        }
        ftl_cache_write(&session->cache, lpn);
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
    if (session->settings.warm_up_turns > 0) {
        ftl_cache_change_look_up(cache, &kLookUpDx);
        play_turns(session, session->settings.warm_up_turns);
        ftl_cache_change_look_up(cache, measured);
    }
    cache->cost = (struct look_up_cost){0};
    cache->counts = (struct ftl_cache_counts){.least_free = cache->flash.free_pages};
    cache->clock = clock;
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
