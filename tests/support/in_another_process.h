#pragma once

#include <functional>
#include <string>

namespace cavern::testing {

/// What `act` returns in a process of its own: there can be one simulation in each. The test fails
/// where the process does.
std::string in_another_process(const std::function<std::string()>& act);

/// Lines `a | b` where the two texts differ first; empty where they do not.
std::string first_difference(const std::string& one, const std::string& other);

} // namespace cavern::testing
