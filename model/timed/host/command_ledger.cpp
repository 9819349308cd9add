#include "timed/host/command_ledger.h"

#include <string>

#include "core/base/check.h"

namespace cavern {

void CommandLedger::step(std::uint32_t tag, std::uint64_t id, State from, State to,
                         const char* invariant) {
    CAVERN_CHECK(tag < entries_.size(), "every command has a tag of the host");
    Entry& entry = entries_[tag];
    CAVERN_CHECK(entry.state == from && (from == State::kFree || entry.id == id),
                 std::string(invariant) + ": command " + std::to_string(id) + ", tag " +
                     std::to_string(tag));
    entry.id = id;
    entry.state = to;
    ++steps_;
}

void CommandLedger::issued(std::uint32_t tag, std::uint64_t id) {
    step(tag, id, State::kFree, State::kIssued, "a tag names one command at a time");
    ++outstanding_;
}

void CommandLedger::taken_by_device(std::uint32_t tag, std::uint64_t id) {
    step(tag, id, State::kIssued, State::kInDevice, "a command reaches the device once");
}

void CommandLedger::answered(std::uint32_t tag, std::uint64_t id) {
    step(tag, id, State::kInDevice, State::kAnswered,
         "the device answers what it was given, and once");
}

void CommandLedger::completed(std::uint32_t tag, std::uint64_t id) {
    step(tag, id, State::kAnswered, State::kFree, "a command is completed when answered, and once");
    --outstanding_;
    ++completed_;
}

std::uint64_t CommandLedger::check_settled(std::uint64_t commands) const {
    CAVERN_CHECK(outstanding_ == 0,
                 "no command is lost: " + std::to_string(outstanding_) + " are not completed");
    CAVERN_CHECK(completed_ == commands, "every command issued was completed once");
    CAVERN_CHECK(steps_ == 4 * commands, "every command took its four steps");
    return steps_;
}

} // namespace cavern
