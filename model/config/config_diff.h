#pragma once

#include <string>
#include <vector>

#include "config/resolved_config.h"

namespace cavern {

/// The keys that two drives differ in, with the values of both.
class ConfigDiff {
  public:
    ConfigDiff(const ResolvedConfig& first, const ResolvedConfig& second);
    /// A line per key; a line that says so where there is none.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::string json() const;

  private:
    struct Row {
        std::string key;
        std::string first; ///< as TOML; empty: not given
        std::string second;
    };

    std::vector<Row> rows_;
};

} // namespace cavern
