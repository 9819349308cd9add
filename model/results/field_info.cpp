#include "results/field_info.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "results/laws.h"

namespace cavern {
namespace {

using Json = nlohmann::ordered_json;

std::string_view type_of(FieldKind kind) {
    switch (kind) {
    case FieldKind::kObject:
        return "object";
    case FieldKind::kObjects:
        return "array";
    case FieldKind::kInteger:
        return "integer";
    case FieldKind::kNumber:
        return "number";
    case FieldKind::kText:
        return "string";
    case FieldKind::kBoolean:
        return "boolean";
    }
    return "";
}

/// Whether what stands above the field is deprecated as well.
bool within_deprecated(const FieldInfo& field, const std::vector<FieldInfo>& fields) {
    return !field.instead.empty() &&
           std::any_of(fields.begin(), fields.end(), [&field](const FieldInfo& other) {
               return !other.instead.empty() && field.path.rfind(other.path + ".", 0) == 0;
           });
}

std::string sentences_of(const FieldInfo& field) {
    std::string text = field.meaning;
    if (field.measured) {
        text += " Of this machine and this moment.";
    }
    if (!field.instead.empty()) {
        text += " Deprecated: read " + field.instead + ".";
    }
    return text;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
        text.replace(at, from.size(), to);
    }
    return text;
}

/// The first name of a path, without what marks an array.
std::string section_of(const FieldInfo& field) {
    return field.path.substr(0, field.path.find_first_of(".["));
}

void add_row(std::string& out, const FieldInfo& field) {
    out += fmt::format("| `{}` | {} | {} | {} |\n", field.family, field.unit,
                       replaced(sentences_of(field), "|", "\\|"), replaced(field.when, "|", "\\|"));
}

/// The schema of the object or array element that a name of a path stands for.
Json& below(Json& object, std::string_view name) {
    const bool element = name.size() > 2 && name.substr(name.size() - 2) == "[]";
    Json& field =
        object["properties"][std::string(name.substr(0, name.size() - (element ? 2 : 0)))];
    return element ? field["items"] : field;
}

Json empty_object() {
    return {{"type", "object"},
            {"properties", Json::object()},
            {"required", Json::array()},
            {"additionalProperties", false}};
}

Json schema_of(const FieldInfo& field) {
    Json schema;
    const std::string type(type_of(field.kind));
    if (field.kind == FieldKind::kObject && !field.open) {
        schema = empty_object();
    } else if (field.kind == FieldKind::kObjects) {
        schema = {{"type", type}, {"items", empty_object()}};
    } else {
        schema["type"] = type;
        if (is_number(field) && !field.below_zero) {
            schema["minimum"] = 0;
        }
        if (field.unit == "share") {
            schema["maximum"] = 1;
        }
        if (field.listed) {
            schema = {{"type", "array"}, {"items", schema}};
        }
    }
    if (field.nullable) {
        schema["type"] = {schema["type"], "null"};
    }
    schema["description"] = sentences_of(field);
    if (!field.unit.empty()) {
        schema["x-unit"] = field.unit;
    }
    if (!field.when.empty()) {
        schema["x-present"] = field.when;
    }
    if (!field.instead.empty()) {
        schema["deprecated"] = true;
    }
    return schema;
}

} // namespace

std::string fields_text(const std::vector<FieldInfo>& fields) {
    std::size_t path = 0;
    std::size_t unit = 0;
    for (const FieldInfo& field : fields) {
        path = std::max(path, field.path.size());
        unit = std::max(unit, field.unit.size());
    }
    std::string out = fmt::format("{:<{}}  {:<{}}  meaning\n", "field", path, "unit", unit);
    for (const FieldInfo& field : fields) {
        out += fmt::format("{:<{}}  {:<{}}  {}{}\n", field.path, path, field.unit, unit,
                           sentences_of(field),
                           field.when.empty() ? "" : " Present: " + field.when + ".");
    }
    return out;
}

std::string fields_markdown(const std::vector<FieldInfo>& fields, const std::vector<LawInfo>& laws,
                            std::string_view of) {
    const std::string head = "| field | unit | meaning | present |\n|---|---|---|---|\n";
    std::string whole = head; // what is of no object: of the run
    std::string sections;
    std::string section; ///< the last one
    std::vector<std::string> seen;
    for (const FieldInfo& field : fields) {
        const bool top = field.path == section_of(field);
        const bool object =
            !field.open && (field.kind == FieldKind::kObject || field.kind == FieldKind::kObjects);
        if (top && !object) {
            add_row(whole, field);
        } else if (top) {
            sections += section.empty() ? "" : laws_markdown(laws, fields, section);
            section = field.path;
            sections +=
                fmt::format("\n## {}{}\n\n{}{}\n\n{}", of, field.path, sentences_of(field),
                            field.when.empty() ? "" : " Present: " + field.when + ".", head);
        } else if (!within_deprecated(field, fields) &&
                   std::find(seen.begin(), seen.end(), field.family) == seen.end()) {
            seen.push_back(field.family);
            add_row(sections, field);
        }
    }
    sections += section.empty() ? "" : laws_markdown(laws, fields, section);
    return whole + laws_markdown(laws, fields, "") + sections;
}

Json fields_json(const std::vector<FieldInfo>& fields) {
    Json list = Json::array();
    for (const FieldInfo& field : fields) {
        Json row = {{"path", field.path},
                    {"type", type_of(field.kind)},
                    {"array", field.listed},
                    {"nullable", field.nullable},
                    {"unit", field.unit},
                    {"meaning", field.meaning},
                    {"present", field.when.empty() ? "always" : field.when},
                    {"measured", field.measured},
                    {"deprecated", nullptr}};
        if (!field.instead.empty()) {
            row["deprecated"] = field.instead;
        }
        list.push_back(std::move(row));
    }
    return list;
}

Json fields_schema(const std::vector<FieldInfo>& fields) {
    Json schema = empty_object();
    for (const FieldInfo& field : fields) {
        Json* object = &schema;
        std::string_view path = field.path;
        for (std::size_t dot = path.find('.'); dot != std::string_view::npos;
             dot = path.find('.')) {
            object = &below(*object, path.substr(0, dot));
            path.remove_prefix(dot + 1);
        }
        below(*object, path) = schema_of(field);
        if (!field.optional) {
            (*object)["required"].push_back(path);
        }
    }
    return schema;
}

Json schema_of_file(std::string_view title, const std::vector<FieldInfo>& fields) {
    Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
    schema.update(fields_schema(fields));
    return schema;
}

} // namespace cavern
