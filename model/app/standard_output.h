#pragma once

namespace CLI {
class Option;
}

namespace cavern {

/// What "-" names where a file is written.
inline constexpr const char* kStandardOutput = "/dev/stdout";

/// An option that names a file to be written. Where the command has standard output to itself, "-"
/// names that; otherwise it is refused.
CLI::Option* name_output(CLI::Option* option);
CLI::Option* refuse_standard_output(CLI::Option* option);

} // namespace cavern
