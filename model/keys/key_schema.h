#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "keys/config_key.h"

namespace cavern {

// JSON Schema (draft 7) of TOML files, for editors such as Taplo.

/// Of the value of a key, with what is known of it.
[[nodiscard]] nlohmann::ordered_json key_schema(const ConfigKey& key);

/// An object without properties that may have no others than those it is given.
[[nodiscard]] nlohmann::ordered_json object_schema();

/// The same as a document.
[[nodiscard]] nlohmann::ordered_json schema_head(const std::string& title);

[[nodiscard]] nlohmann::ordered_json text_schema(const std::string& description);

/// Gives an object keys, each in the object of its dotted section.
void add_keys(nlohmann::ordered_json& object, const Keys& keys);

} // namespace cavern
