#pragma once

#include <string>
#include <vector>

namespace cavern {

/// The files of a command, each with what names it: an option, an argument, a key. What is to be
/// written must be no other file of them, whatever it is called: links of both kinds are followed.
class Places {
  public:
    /// An empty path is none. What "-" names is standard input.
    void reads(std::string name, std::string path);
    void writes(std::string name, std::string path);
    /// Throws UserError where a file would be written twice, or over one that is read. To be called
    /// before anything is written.
    void check() const;
    /// Paths of what is read.
    [[nodiscard]] std::vector<std::string> inputs() const;

  private:
    struct Place {
        std::string name;
        std::string path;
        bool written;
    };

    std::vector<Place> places_;
};

} // namespace cavern
