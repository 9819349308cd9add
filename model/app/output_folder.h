#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cavern {

/// A path without links, of what does not exist yet as well.
[[nodiscard]] std::filesystem::path real_path(const std::filesystem::path& path);

/// A folder, made on construction with those above it. Unless kept, what was made here goes again
/// if it is empty.
class MadeFolder {
  public:
    /// Throws UserError. An empty path is the folder that one is in.
    explicit MadeFolder(const std::filesystem::path& path);
    MadeFolder(const MadeFolder&) = delete;
    MadeFolder& operator=(const MadeFolder&) = delete;
    ~MadeFolder();
    void keep() { made_.clear(); }

  private:
    void remove();

    std::vector<std::filesystem::path> made_; ///< innermost first
};

/// The folder of a run's results (MadeFolder). A second run into the same folder is refused as long
/// as this one lasts.
class OutputFolder {
  public:
    /// Throws UserError.
    explicit OutputFolder(std::filesystem::path path);
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;
    ~OutputFolder();

    void keep() { made_.keep(); }
    [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }
    /// A path as it is written into the summary: seen from the folder.
    [[nodiscard]] std::string seen_from_here(const std::string& path) const;
    /// What the run before left here and this one neither reads nor writes anew: the files that its
    /// summary names, below this folder, and figures and a page that name the run. Returns the id
    /// of that run; empty: there was none.
    std::string remove_previous(const std::vector<std::string>& kept) const;

  private:
    std::filesystem::path path_;
    MadeFolder made_;
    int lock_ = -1;
};

} // namespace cavern
