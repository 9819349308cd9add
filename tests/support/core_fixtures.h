#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "core/base/decision_log.h"
#include "core/base/geometry.h"

namespace cavern::testing {

inline std::string text_of(const std::vector<Lpn>& pages) {
    std::string text = "[";
    for (const Lpn lpn : pages) {
        text += (text.size() > 1 ? "," : "") + std::to_string(raw(lpn));
    }
    return text + "]";
}

/// Keeps the decisions a test looks at as short lines: "evict [0,1]", "allocate 7 -> 2 from 0".
class RecordingLog final : public DecisionLogIf {
  public:
    void write(Lpn lpn, bool hit) override { access("W", lpn, hit); }
    void read(Lpn lpn, bool hit) override { access("R", lpn, hit); }
    void trim(Lpn lpn) override { lines.push_back("T" + std::to_string(raw(lpn))); }
    void pin_page(Lpn lpn) override { lines.push_back("pin " + std::to_string(raw(lpn))); }
    void pin_block(Lbn lbn) override { lines.push_back("pin block " + std::to_string(raw(lbn))); }
    void clean_page(Lpn lpn) override { lines.push_back("clean " + text_of({lpn})); }
    void evict_page(Lpn lpn) override { lines.push_back("evict " + text_of({lpn})); }
    void evict_block(Lbn lbn, const std::vector<Lpn>& pages,
                     const std::vector<Lpn>& padding) override {
        lines.push_back("evict block " + std::to_string(raw(lbn)) + " " + text_of(pages) +
                        (padding.empty() ? "" : " padding " + text_of(padding)));
    }
    void allocate(Lbn lbn, DieId die, std::optional<DieId> from) override {
        lines.push_back("allocate " + std::to_string(raw(lbn)) + " -> " + std::to_string(raw(die)) +
                        (from ? " from " + std::to_string(raw(*from)) : ""));
    }
    void program(Origin origin, Lpn lpn, Ppn page) override {
        lines.push_back((origin == Origin::kGc ? "gc program " : "program ") +
                        std::to_string(raw(lpn)) + " at " + std::to_string(raw(page)));
    }
    void merge(MergeKind kind, Lbn lbn, std::uint32_t copies, std::uint32_t erases) override {
        const char* kinds[] = {"switch", "partial", "full"};
        lines.push_back(std::string("merge ") + kinds[static_cast<int>(kind)] + " of " +
                        std::to_string(raw(lbn)) + ": " + std::to_string(copies) + " copies, " +
                        std::to_string(erases) + " erases");
    }
    void gc(BlockId victim, std::uint32_t copies) override {
        lines.push_back("gc " + std::to_string(raw(victim)) + " copies " + std::to_string(copies));
    }

    void map(MapEvent event, std::uint32_t table, std::uint32_t entries) override {
        const char* events[] = {"miss", "evict", "batch", "trim"};
        lines.push_back(std::string("map ") + events[static_cast<int>(event)] + " " +
                        std::to_string(table) + ": " + std::to_string(entries));
    }

    void tune(const TuneEvent& event) override {
        lines.push_back("tune " + std::to_string(event.request) + ": " +
                        std::to_string(event.buffer_bytes) + " + " +
                        std::to_string(event.map_bytes));
    }

    /// The lines that start with `prefix`.
    [[nodiscard]] std::vector<std::string> starting_with(const std::string& prefix) const {
        std::vector<std::string> found;
        for (const std::string& line : lines) {
            if (line.rfind(prefix, 0) == 0) {
                found.push_back(line);
            }
        }
        return found;
    }

    std::vector<std::string> lines;

  private:
    void access(const std::string& what, Lpn lpn, bool hit) {
        lines.push_back(what + std::to_string(raw(lpn)) + (hit ? " hit" : " miss"));
    }
};

/// Address sanitizers touch a shadow of every allocation: figures of time and memory mean nothing.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Of so many steps or seeds that go over the same lines: under the sanitizers, where each takes
/// ten times as long and only what it touches is asked about, the `part`-th of them.
template <typename Number>
constexpr Number unless_sanitized(Number all, Number part) {
    return kSanitized ? (all + part - 1) / part : all;
}

/// Memory of this process that is really there.
inline std::uint64_t resident_bytes() {
    std::ifstream statm("/proc/self/statm");
    std::uint64_t size = 0;
    std::uint64_t resident = 0;
    statm >> size >> resident;
    return resident * 4096;
}

inline Geometry geometry_of(std::uint32_t channels, std::uint32_t ways,
                            std::uint32_t planes_per_die, std::uint32_t blocks_per_plane,
                            std::uint32_t pages_per_block) {
    Geometry geometry;
    geometry.channels = channels;
    geometry.ways = ways;
    geometry.planes_per_die = planes_per_die;
    geometry.blocks_per_plane = blocks_per_plane;
    geometry.pages_per_block = pages_per_block;
    return geometry;
}

} // namespace cavern::testing
