#include "keys/key_schema.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "keys/key_value.h"

namespace cavern {
namespace {

using Json = nlohmann::ordered_json;

/// A number and one of the units, as parse_quantity() reads them.
Json quantity_schema(Quantity quantity) {
    std::string units;
    for (const std::string_view unit : unit_names(quantity)) {
        units += (units.empty() ? "" : "|") + std::string(unit);
    }
    return {{"type", "string"},
            {"pattern", fmt::format("^([0-9]+\\.?[0-9]*|\\.[0-9]+) *({})$", units)}};
}

/// Words with what an editor shows beside them.
Json word_schema(const ConfigKey& key) {
    Json schema{{"type", "string"}, {"enum", key.words}};
    schema["x-taplo"]["docs"]["enumValues"] = key.word_meanings;
    return schema;
}

/// One value, or a list of at least one.
Json one_or_list(const Json& one, bool unique) {
    return {{"anyOf",
             {one, {{"type", "array"}, {"items", one}, {"minItems", 1}, {"uniqueItems", unique}}}}};
}

/// A quantity, or what may stand in its place.
Json quantity_key_schema(const ConfigKey& key) {
    const Json quantity = quantity_schema(*quantity_of(key.type));
    if (!key.zero_word.empty()) {
        return {{"anyOf", {quantity, {{"type", "string"}, {"const", key.zero_word}}}}};
    }
    if (key.bare) {
        return {{"anyOf", {quantity, {{"type", "integer"}, {"minimum", 0}}}}};
    }
    return quantity;
}

Json value_schema(const ConfigKey& key) {
    if (quantity_of(key.type)) {
        return key.type == KeyType::kTimes ? one_or_list(quantity_schema(Quantity::kTime), false)
                                           : quantity_key_schema(key);
    }
    switch (key.type) {
    case KeyType::kFlag:
        return {{"type", "boolean"}};
    case KeyType::kCount:
        return {{"type", "integer"}, {"minimum", key.low}, {"maximum", key.high}};
    case KeyType::kReal:
        return {{"type", "number"},
                {key.open ? "exclusiveMinimum" : "minimum", key.real_low},
                {key.open ? "exclusiveMaximum" : "maximum", key.real_high}};
    case KeyType::kWord:
        return word_schema(key);
    case KeyType::kWords:
        return one_or_list(word_schema(key), true);
    default:
        return {{"type", {"string", "integer"}}, {"minLength", 1}}; // device = 1
    }
}

} // namespace

Json key_schema(const ConfigKey& key) {
    Json schema = value_schema(key);
    std::string text = fmt::format("{} ({})", key.meaning, accepted_values(key));
    if (!key.source.empty()) {
        text += "\nSource: " + key.source;
    }
    schema["description"] = text;
    if (!key.fallback.empty()) {
        const ConfigValue value = read_bare_value(key, key.fallback, {"", 1});
        schema["default"] = Json::parse(value_text(key, value));
    }
    return schema;
}

Json object_schema() {
    return {{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}};
}

Json text_schema(const std::string& description) {
    return {{"type", "string"}, {"minLength", 1}, {"description", description}};
}

Json schema_head(const std::string& title) {
    Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", title}};
    schema.update(object_schema());
    return schema;
}

namespace {

/// The table that holds the keys of a dotted section.
Json& section_schema(Json& root, const std::string& section) {
    Json* at = &root;
    for (std::size_t from = 0; !section.empty() && from <= section.size();) {
        const std::size_t dot = std::min(section.find('.', from), section.size());
        Json& properties = (*at)["properties"];
        const std::string word = section.substr(from, dot - from);
        if (!properties.contains(word)) {
            properties[word] = object_schema();
        }
        at = &properties[word];
        from = dot + 1;
    }
    return *at;
}

} // namespace

void add_keys(Json& object, const Keys& keys) {
    for (const ConfigKey& key : keys) {
        Json& section = section_schema(object, section_of(key.name));
        const std::string leaf = key.name.substr(key.name.rfind('.') + 1);
        section["properties"][leaf] = key_schema(key);
        if (key.required) {
            section["required"].push_back(leaf);
        }
    }
}

} // namespace cavern
