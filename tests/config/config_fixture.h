#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "config/config_loader.h"
#include "core/base/error.h"
#include "keys/key_value.h"
#include "tests/support/source_dir.h"

namespace cavern {

/// A folder of its own for each test, removed at the end.
class ConfigFixture : public ::testing::Test {
  protected:
    ConfigFixture() {
        const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
        folder_ = std::filesystem::temp_directory_path() /
                  ("cavern-config-" + std::to_string(::getpid()) + "-" + info->name());
        std::filesystem::create_directories(folder_);
    }
    ~ConfigFixture() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::filesystem::path path(const std::string& name) const {
        return folder_ / name;
    }

    /// Writes a file of the folder and returns its path.
    std::filesystem::path write(const std::string& name, const std::string& text) const {
        const auto file = path(name);
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
        return file;
    }

    /// Loads a file with this text.
    [[nodiscard]] ResolvedConfig load(const std::string& text,
                                      const std::vector<std::string>& overrides = {}) const {
        return load_config(write("drive.toml", text), overrides, shipped());
    }

    /// The error of loading a file with this text, its path replaced by FILE.
    [[nodiscard]] std::string error_of(const std::string& text,
                                       const std::vector<std::string>& overrides = {}) const {
        return error_of_file(write("drive.toml", text), overrides);
    }

    /// The same for a file of the folder, the path of the folder dropped.
    [[nodiscard]] std::string error_of_file(const std::filesystem::path& file,
                                            const std::vector<std::string>& overrides = {}) const {
        try {
            (void)load_config(file, overrides, shipped());
        } catch (const UserError& error) {
            std::string what = error.what();
            const std::string prefix = folder_.string() + "/";
            for (auto at = what.find(prefix); at != std::string::npos; at = what.find(prefix)) {
                what.erase(at, prefix.size());
            }
            return what;
        }
        return "no error";
    }

    static std::filesystem::path shipped() { return testing::source_dir() + "/configs"; }

  private:
    std::filesystem::path folder_;
};

/// The value that a configuration holds for a key, as after --set.
inline std::string text_of(const SsdConfig& config, const std::string& name) {
    const ConfigKey& key = config_keys().at(find_config_key(name).value());
    return bare_text(key, field_value(key, &config));
}

/// The names of a table's rows as a message lists them, behind those of `before`.
template <typename Rows>
std::string names_of(const Rows& rows, const std::string& before = "") {
    std::string text = before;
    for (const auto& row : rows) {
        text += (text.empty() ? "" : ", ") + std::string(row.name);
    }
    return text;
}

/// Names of the keys whose members differ.
inline std::vector<std::string> differences(const SsdConfig& a, const SsdConfig& b) {
    std::vector<std::string> names;
    for (const ConfigKey& key : config_keys()) {
        if (field_value(key, &a) != field_value(key, &b)) {
            names.push_back(key.name);
        }
    }
    return names;
}

} // namespace cavern
