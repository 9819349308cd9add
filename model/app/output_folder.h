#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cavern {

/// A path without links, of what does not exist yet as well.
[[nodiscard]] std::filesystem::path real_path(const std::filesystem::path& path);

/// The folder of a run's results, made on construction. Unless kept, a folder made here goes again
/// if it is empty. A second run into the same folder is refused as long as this one lasts.
class OutputFolder {
  public:
    /// Throws UserError.
    explicit OutputFolder(std::filesystem::path path);
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;
    ~OutputFolder();

    void keep() { kept_ = true; }
    [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }
    /// A path as it is written into the summary: seen from the folder.
    [[nodiscard]] std::string seen_from_here(const std::string& path) const;
    /// What the run before left here and this one neither reads nor writes anew: the files that its
    /// summary names, below this folder, and figures and a page that name the run.
    void remove_previous(const std::vector<std::string>& kept) const;

  private:
    void remove_made();

    std::filesystem::path path_;
    std::vector<std::filesystem::path> made_; ///< innermost first
    int lock_ = -1;
    bool kept_ = false;
};

} // namespace cavern
