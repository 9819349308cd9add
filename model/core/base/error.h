#pragma once

#include <stdexcept>
#include <string>

namespace cavern {

/// The user's input is wrong. what() is the whole line without the leading "error: ", in the form
/// "FILE:LINE: what; what would be right". Caught in main: printed, exit status 2.
class UserError : public std::runtime_error {
  public:
    UserError(const std::string& file, std::size_t line, const std::string& what,
              const std::string& right)
        : UserError(file + ":" + std::to_string(line), what, right) {}
    /// Where a file has no lines: `place` is "FILE:record 7".
    UserError(const std::string& place, const std::string& what, const std::string& right)
        : std::runtime_error(place + ": " + what + "; " + right) {}
};

/// The model found itself inconsistent: an invariant broken, a lockstep mismatch. Exit status 1.
class ModelError : public std::logic_error {
  public:
    using std::logic_error::logic_error;
};

/// The firmware of the controller did what cannot be carried out. what() is `does` behind "firmware
/// ", by which it is known again where the kernel has kept the text alone.
class FirmwareError : public ModelError {
  public:
    explicit FirmwareError(const std::string& does) : ModelError(kBegin + does) {}
    [[nodiscard]] static bool is_of(const std::string& text) { return text.rfind(kBegin, 0) == 0; }
    /// From such a text.
    [[nodiscard]] static FirmwareError again(const std::string& text) {
        return FirmwareError(text.substr(std::string(kBegin).size()));
    }

  private:
    static constexpr const char* kBegin = "firmware ";
};

} // namespace cavern
