#include "workload/toml_value.h"

#include "core/base/error.h"
#include "core/base/toml_depth.h"
#include "workload/field.h"

namespace cavern {

void TomlValue::fail(const std::string& what, const std::string& right) const {
    throw UserError(file, node.source().begin.line, std::string(key) + " " + what, right);
}

std::string TomlValue::text() const {
    const auto* value = node.as_string();
    if (value == nullptr) {
        fail("is no string", "write it in double quotes");
    }
    return value->get();
}

toml::table parse_toml(std::string_view text, const std::string& file, const std::string& right) {
    if (const auto line = line_of_deep_key(text)) {
        throw UserError(file, *line, "a key of many parts",
                        "a key has at most " + std::to_string(kMostKeyParts) + " parts");
    }
    try {
        return toml::parse(text, std::string_view(file));
    } catch (const toml::parse_error& error) {
        throw UserError(file, error.source().begin.line, printable(error.description()), right);
    }
}

} // namespace cavern
