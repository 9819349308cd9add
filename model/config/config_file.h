#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/config_keys.h"
#include "core/base/toml.h"
#include "keys/key_value.h"

namespace cavern {

/// One entry of a configuration file: the row of its key and the value as written.
struct FileEntry {
    std::size_t key; ///< index in config_keys()
    const toml::node* node;
    std::size_t line;
};

/// A TOML file whose keys are all known. Entries are in the order of the file.
class ConfigFile {
  public:
    /// A drive description. Throws UserError, at `named_at` (or line 1 of the file) if it cannot be
    /// opened, else at the line at fault.
    static ConfigFile read_drive(const std::filesystem::path& path,
                                 const std::optional<Place>& named_at = std::nullopt);

    /// A part file of `section` ("nand" or "dram"): keys stand without the section's name, at top
    /// level or in the groups [geometry], [timing] and [bus]; each such table that holds values
    /// names its `source`.
    static ConfigFile read_part(const std::filesystem::path& path, const std::string& section);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::vector<FileEntry>& entries() const { return entries_; }
    /// File named by `extends`, as written, and its line.
    [[nodiscard]] const std::optional<std::string>& extends() const { return extends_; }
    [[nodiscard]] std::size_t extends_line() const { return extends_line_; }

  private:
    struct Mistake {
        std::size_t line;
        std::string what;
        std::string right;
    };

    ConfigFile(const std::filesystem::path& path, const std::optional<Place>& named_at);
    void collect_drive(const toml::table& table, const std::string& prefix);
    void collect_part(const toml::table& table, const std::string& section, std::size_t table_line);
    /// Whether a mistake there is the first of the file so far.
    [[nodiscard]] bool is_first(std::size_t line) const;
    void note(std::size_t line, std::string what, std::string right);
    /// Throws for the first mistake, else puts the entries in the order of the file.
    void finish();

    std::string name_;
    std::unique_ptr<toml::table> root_; ///< entries point into it and survive a move
    std::vector<FileEntry> entries_;
    std::optional<Mistake> mistake_; ///< the first of the file so far
    std::optional<std::string> extends_;
    std::size_t extends_line_ = 1;
};

} // namespace cavern
