#include "timed/host/command_ledger.h"

namespace cavern {

std::string CommandLedger::broken(const char* invariant, std::uint32_t tag, std::uint64_t id) {
    return std::string(invariant) + ": command " + std::to_string(id) + ", tag " +
           std::to_string(tag);
}

std::uint64_t CommandLedger::check_settled(std::uint64_t commands) const {
    CAVERN_CHECK(outstanding_ == 0,
                 "no command is lost: " + std::to_string(outstanding_) + " are not completed");
    CAVERN_CHECK(completed_ == commands, "every command issued was completed once");
    CAVERN_CHECK(steps_ == 4 * commands, "every command took its four steps");
    return steps_;
}

} // namespace cavern
