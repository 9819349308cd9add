#pragma once

#include <sstream>
#include <string>
#include <tlm>

namespace cavern {

/// "<who> got phase <name>", for the message of a protocol check that failed.
inline std::string got_phase(const char* who, const tlm::tlm_phase& phase) {
    std::ostringstream text;
    text << who << " got phase " << phase;
    return text.str();
}

} // namespace cavern
