#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/check.h"

namespace cavern {

/// The host's book of its commands: which tag names which command, and how far it has come. Every
/// step of every command of a run is entered; a step that is out of place (a command that is lost,
/// comes twice, is answered or completed twice) throws ModelError with the invariant it breaks.
class CommandLedger {
  public:
    explicit CommandLedger(std::uint32_t tags) : entries_(tags) {}

    void issued(std::uint32_t tag, std::uint64_t id) {
        step(tag, id, State::kFree, State::kIssued, "a tag names one command at a time");
        ++outstanding_;
    }
    void taken_by_device(std::uint32_t tag, std::uint64_t id) {
        step(tag, id, State::kIssued, State::kInDevice, "a command reaches the device once");
    }
    void answered(std::uint32_t tag, std::uint64_t id) {
        step(tag, id, State::kInDevice, State::kAnswered,
             "the device answers what it was given, and once");
    }
    void completed(std::uint32_t tag, std::uint64_t id) {
        step(tag, id, State::kAnswered, State::kFree,
             "a command is completed when answered, and once");
        --outstanding_;
        ++completed_;
    }

    [[nodiscard]] std::uint32_t outstanding() const { return outstanding_; }
    [[nodiscard]] std::uint64_t completed_commands() const { return completed_; }
    /// Throws ModelError unless each of `commands` was completed. Returns facts compared.
    [[nodiscard]] std::uint64_t check_settled(std::uint64_t commands) const;

  private:
    enum class State : std::uint8_t { kFree, kIssued, kInDevice, kAnswered };
    struct Entry {
        std::uint64_t id = 0;
        State state = State::kFree;
    };

    void step(std::uint32_t tag, std::uint64_t id, State from, State to, const char* invariant) {
        CAVERN_CHECK(tag < entries_.size(), "every command has a tag of the host");
        Entry& entry = entries_[tag];
        CAVERN_CHECK(entry.state == from && (from == State::kFree || entry.id == id),
                     broken(invariant, tag, id));
        entry.id = id;
        entry.state = to;
        ++steps_;
    }
    static std::string broken(const char* invariant, std::uint32_t tag, std::uint64_t id);

    std::vector<Entry> entries_; ///< by tag
    std::uint32_t outstanding_ = 0;
    std::uint64_t completed_ = 0;
    std::uint64_t steps_ = 0;
};

} // namespace cavern
