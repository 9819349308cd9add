#pragma once

#include <cstdint>

namespace cavern::nvme {

/// A submission queue in host memory: the host moves the tail, the controller the head (4.1).
struct SubmissionQueue {
    bool exists = false;
    std::uint64_t base = 0;
    std::uint32_t entries = 0;
    std::uint32_t head = 0;
    std::uint32_t tail = 0;
    std::uint16_t completion_queue = 0;
    std::uint32_t in_flight = 0; ///< fetched and not answered
    bool deleting = false;       ///< when its last command is answered
    std::uint16_t deleted_by = 0;

    [[nodiscard]] bool has_entry() const { return exists && !deleting && head != tail; }
    void take() { head = head + 1 == entries ? 0 : head + 1; }
};

/// A completion queue: the controller moves the tail, the host the head. The phase tag tells new
/// entries from those of the round before (4.6).
struct CompletionQueue {
    bool exists = false;
    std::uint64_t base = 0;
    std::uint32_t entries = 0;
    std::uint32_t head = 0;
    std::uint32_t tail = 0;
    bool phase = true;
    bool interrupts = false;
    std::uint16_t vector = 0;

    [[nodiscard]] bool has_room() const { return (tail + 1 == entries ? 0 : tail + 1) != head; }
    void put() {
        if (++tail == entries) {
            tail = 0;
            phase = !phase;
        }
    }
};

} // namespace cavern::nvme
