#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace cavern {

enum class FieldKind : std::uint8_t { kObject, kObjects, kInteger, kNumber, kText, kBoolean };

/// One field of a JSON file, as its reader must know it.
struct FieldInfo {
    std::string path;   ///< dotted; "dies[].slot" is a field of every element of an array
    std::string family; ///< the path, with names in braces where several objects have one form
    FieldKind kind = FieldKind::kObject;
    bool listed = false;     ///< an array of such values
    bool nullable = false;   ///< null where there is nothing to say
    bool open = false;       ///< an object whose fields are declared elsewhere
    bool optional = false;   ///< not in every object that could have it
    bool measured = false;   ///< of this machine and this moment
    bool below_zero = false; ///< a number that may be
    std::string unit;        ///< empty: none
    std::string meaning;     ///< one sentence
    std::string when;        ///< where it is present; empty: always
    std::string instead;     ///< deprecated: what to read instead
};

[[nodiscard]] inline bool is_number(const FieldInfo& field) {
    return field.kind == FieldKind::kInteger || field.kind == FieldKind::kNumber;
}

/// A law between fields that holds in every run, as it was declared beside them.
struct LawInfo {
    std::string place;  ///< the object that it is of, "dies[]" for each element; empty: the whole
    std::string family; ///< as FieldInfo::family
    std::string text;   ///< as Law reads it
};

/// A line a field.
[[nodiscard]] std::string fields_text(const std::vector<FieldInfo>& fields);
/// A table for each object that is a field of the whole, and the laws of its fields.
/// `of` stands before the names of objects in their headings.
[[nodiscard]] std::string fields_markdown(const std::vector<FieldInfo>& fields,
                                          const std::vector<LawInfo>& laws = {},
                                          std::string_view of = "");
[[nodiscard]] nlohmann::ordered_json fields_json(const std::vector<FieldInfo>& fields);
/// JSON Schema (2020-12) of an object with these fields and no others.
[[nodiscard]] nlohmann::ordered_json fields_schema(const std::vector<FieldInfo>& fields);
/// The same as that of a file.
[[nodiscard]] nlohmann::ordered_json schema_of_file(std::string_view title,
                                                    const std::vector<FieldInfo>& fields);

} // namespace cavern
