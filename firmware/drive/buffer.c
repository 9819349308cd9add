#include "buffer.h"

bool buffer_start(struct buffer* buffer, struct memory* memory, const struct drive_config* config) {
    const uint32_t frames = config->frames;
    buffer->frames = frames;
    buffer->used = buffer->next = buffer->victim_count = buffer->units = 0;
    buffer->units_on_full = config->units_on_full;
    buffer->read_touch = config->read_touch != 0;
    buffer->lpn = (uint32_t*)memory_take(memory, frames, sizeof(uint32_t));
    buffer->unused = (uint32_t*)memory_take(memory, frames, sizeof(uint32_t));
    buffer->unit = (uint32_t*)memory_take(memory, frames, sizeof(uint32_t));
    /* Without a buffer the page that is written is the one victim. */
    buffer->victims = (struct drive_victim*)memory_take(memory, frames == 0 ? 1 : frames,
                                                        sizeof(struct drive_victim));
    if (frames == 0) {
        return buffer->victims != NULL;
    }
    bool started = policy_start(&buffer->policy, memory, config->policy == kDriveLruBlock, frames,
                                config->pages_per_block);
    started &= index_map_start(&buffer->resident, memory, frames);
    if (!started || buffer->victims == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < frames; ++i) {
        buffer->unused[i] = i;
    }
    return true;
}

uint32_t buffer_find(const struct buffer* buffer, uint32_t lpn) {
    return buffer->frames == 0 ? DRIVE_NONE : index_map_find(&buffer->resident, lpn);
}

void buffer_write_hit(struct buffer* buffer, uint32_t frame) {
    policy_hit(&buffer->policy, frame);
}

void buffer_read_hit(struct buffer* buffer, uint32_t frame) {
    if (buffer->read_touch) {
        policy_hit(&buffer->policy, frame);
    }
}

/* The frame goes to the end of the ring. */
static void give_back(struct buffer* buffer, uint32_t frame) {
    index_map_remove(&buffer->resident, buffer->lpn[frame]);
    const uint32_t missing = buffer->used--;
    const uint32_t end = buffer->next >= missing ? buffer->next - missing
                                                 : buffer->next + (buffer->frames - missing);
    buffer->unused[end] = frame;
}

static void choose_victims(struct buffer* buffer) {
    buffer->victim_count = buffer->units = 0;
    while (buffer->units < buffer->units_on_full) {
        const uint32_t pages = policy_pop(&buffer->policy, buffer->unit);
        if (pages == 0) {
            return;
        }
        for (uint32_t i = 0; i < pages; ++i) {
            const uint32_t frame = buffer->unit[i];
            buffer->victims[buffer->victim_count++] =
                (struct drive_victim){buffer->lpn[frame], frame, DRIVE_NONE};
            give_back(buffer, frame);
        }
        ++buffer->units;
    }
}

uint32_t buffer_insert(struct buffer* buffer, uint32_t lpn) {
    if (buffer->used == buffer->frames) {
        choose_victims(buffer);
    }
    const uint32_t frame = buffer->unused[buffer->next];
    buffer->next = buffer->next + 1 == buffer->frames ? 0 : buffer->next + 1;
    ++buffer->used;
    buffer->lpn[frame] = lpn;
    index_map_add(&buffer->resident, lpn, frame);
    policy_insert(&buffer->policy, frame, lpn);
    return frame;
}

void buffer_write_through(struct buffer* buffer, uint32_t lpn, uint32_t frame) {
    if (frame != DRIVE_NONE) {
        policy_hit(&buffer->policy, frame); /* it is a use of its block */
        buffer_drop(buffer, frame);
    }
    buffer->victims[0] = (struct drive_victim){lpn, frame, DRIVE_NONE};
    buffer->victim_count = buffer->units = 1;
}

void buffer_drop(struct buffer* buffer, uint32_t frame) {
    policy_remove(&buffer->policy, frame);
    give_back(buffer, frame);
}

bool buffer_evict(struct buffer* buffer) {
    if (buffer->used == 0) {
        return false;
    }
    choose_victims(buffer);
    return true;
}
