#include "config/config_manual.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/config_show.h"
#include "config/config_value.h"
#include "core/base/error.h"
#include "workload/open_trace.h"
#include "workload/trace_writer.h"

namespace cavern {
namespace {

using Json = nlohmann::ordered_json;

Json words_json(const ConfigKey& key) {
    Json words = Json::array();
    for (std::size_t i = 0; i < key.words.size(); ++i) {
        words.push_back({{"name", key.words[i]}, {"meaning", key.word_meanings[i]}});
    }
    return words;
}

Json key_json(const ConfigKey& key) {
    Json json{{"name", key.name},
              {"section", section_of(key.name)},
              {"type", type_name(key.type)},
              {"meaning", key.meaning},
              {"default", key.fallback.empty() ? Json() : Json(key.fallback)},
              {"accepts", accepted_values(key)}};
    if (const auto quantity = quantity_of(key.type)) {
        json["units"] = unit_names(*quantity);
        json["range"] = {format_quantity(key.low, *quantity), format_quantity(key.high, *quantity)};
    } else if (key.type == KeyType::kCount) {
        json["range"] = {key.low, key.high};
    } else if (key.type == KeyType::kReal) {
        json["range"] = {key.real_low, key.real_high};
        json["open"] = key.open;
    } else if (!key.words.empty()) {
        json["words"] = words_json(key);
    }
    if (!key.source.empty()) {
        json["source"] = key.source;
    }
    if (!key.excludes.empty()) {
        json["instead_of"] = key.excludes;
    }
    json["part"] = key.part;
    return json;
}

/// The rows of a table of schemes; `more` adds what only this table knows.
template <typename Row, typename More>
Json rows_json(const std::string& section, const std::vector<Row>& table, More more) {
    Json rows = Json::array();
    for (const Row& row : table) {
        Json keys = Json::array();
        for (const Knob& knob : row.knobs) {
            keys.push_back(fmt::format("{}.{}.{}", section, row.name, knob.name));
        }
        rows.push_back({{"name", row.name}, {"description", row.description}, {"keys", keys}});
        more(row, rows.back());
    }
    return rows;
}

Json trace_formats_json() {
    Json rows = Json::array();
    for (const TraceFormat& format : trace_formats()) {
        rows.push_back({{"name", format.name},
                        {"description", format.description},
                        {"has_devices", format.has_devices}});
    }
    return rows;
}

Json tables_json() {
    const auto nothing = [](const auto&, Json&) {};
    Json tables;
    tables["host.interface"] = rows_json("host", host_link_table(), nothing);
    tables["buffer.policy"] =
        rows_json("buffer", eviction_policy_table(), [](const EvictionPolicyRow& row, Json& json) {
            json["needs_read_cache"] = row.needs_read_cache;
        });
    tables["buffer.eviction"] =
        rows_json("buffer", eviction_trigger_table(),
                  [](const EvictionTriggerRow& row, Json& json) { json["on_full"] = row.on_full; });
    tables["alloc.scheme"] =
        rows_json("alloc", allocator_table(), [](const AllocatorRow& row, Json& json) {
            json["keeps_blocks"] = row.keeps_blocks;
        });
    tables["ftl.scheme"] = rows_json("ftl", ftl_table(), [](const FtlRow& row, Json& json) {
        json["has_map_cache"] = row.map_memory != nullptr;
        json["supports_wear_and_faults"] = row.supports_wear_and_faults;
        json["collects_in_steps"] = row.collects_in_steps;
        json["works_ahead"] = row.only_on_demand.empty();
    });
    tables["ftl.gc_policy"] = rows_json("ftl", victim_policy_table(), nothing);
    for (const char* name :
         {"channel.arbiter", "channel.policy", "dram.model", "scheduler.discipline"}) {
        Json rows = Json::array();
        for (const Json& word : words_json(config_keys().at(find_config_key(name).value()))) {
            rows.push_back({{"name", word["name"]}, {"description", word["meaning"]}});
        }
        tables[name] = rows;
    }
    tables["trace_formats"] = trace_formats_json();
    Json written = Json::array();
    for (const TraceFormat& format : trace_formats()) {
        if (format.output != nullptr) {
            written.push_back({{"name", format.name},
                               {"has_trim", format.output->has_trim},
                               {"has_flush", format.output->has_flush}});
        }
    }
    tables["trace_output_formats"] = written;
    return tables;
}

// ---- schema -------------------------------------------------------------------------------------

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

Json value_schema(const ConfigKey& key) {
    switch (key.type) {
    case KeyType::kFlag:
        return {{"type", "boolean"}};
    case KeyType::kCount:
        return {{"type", "integer"}, {"minimum", key.low}, {"maximum", key.high}};
    case KeyType::kReal:
        return {{"type", "number"},
                {key.open ? "exclusiveMinimum" : "minimum", key.real_low},
                {key.open ? "exclusiveMaximum" : "maximum", key.real_high}};
    case KeyType::kTimes:
        return one_or_list(quantity_schema(Quantity::kTime), false);
    case KeyType::kTime:
    case KeyType::kBytes:
    case KeyType::kRate:
    case KeyType::kHertz:
    case KeyType::kVolts:
    case KeyType::kAmperes:
    case KeyType::kWatts:
    case KeyType::kJoules:
        if (!key.zero_word.empty()) {
            return {{"anyOf",
                     {quantity_schema(*quantity_of(key.type)),
                      {{"type", "string"}, {"const", key.zero_word}}}}};
        }
        return quantity_schema(*quantity_of(key.type));
    case KeyType::kWord:
        return word_schema(key);
    case KeyType::kWords:
        return one_or_list(word_schema(key), true);
    case KeyType::kText:
        break;
    }
    return {{"type", {"string", "integer"}}, {"minLength", 1}}; // device = 1
}

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

Json text_schema(const char* description) {
    return {{"type", "string"}, {"minLength", 1}, {"description", description}};
}

Json schema_head(const std::string& title) {
    Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", title}};
    schema.update(object_schema());
    return schema;
}

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

/// accepted_values() without what all keys of a kind have in common: "a size, from 512B to 32KiB".
std::string accepted_in_table(const ConfigKey& key) {
    std::string text = accepted_values(key);
    if (const auto quantity = quantity_of(key.type)) {
        const std::string_view units = accepted_units(*quantity);
        text.replace(text.find(units), units.size(), units.substr(0, units.find(" in ")));
    } else if (key.type == KeyType::kWord || key.type == KeyType::kWords) {
        text.erase(0, std::string_view("available").size());
        text.erase(0, text.find_first_not_of(":, "));
    }
    return text;
}

} // namespace

std::string config_list_json(std::string_view section) {
    Json keys = Json::array();
    for (const ConfigKey* key : keys_of_section(section)) {
        keys.push_back(key_json(*key));
    }
    return Json{{"keys", keys}, {"tables", tables_json()}}.dump(2) + "\n";
}

std::string config_list_markdown() {
    const auto cell = [](std::string text) {
        for (std::size_t at = text.find('|'); at != std::string::npos;
             at = text.find('|', at + 2)) {
            text.insert(at, "\\");
        }
        return text;
    };
    std::string text = "# Configuration keys\n\n"
                       "Printed by `./cavern config list --markdown`; do not edit. Sizes, times, "
                       "rates and the like carry\ntheir unit, as in `16MiB`, `25us`, `200MB/s`. "
                       "`./cavern config explain KEY` shows one key in full, with its units.\n";
    std::string section = "none yet";
    for (const ConfigKey& key : config_keys()) {
        const std::string top = key.name.substr(0, key.name.find('.'));
        const std::string its = top == key.name ? "" : top;
        if (its != section) {
            section = its;
            text +=
                fmt::format("\n## {}\n\n| key | accepts | default | meaning |\n|---|---|---|---|\n",
                            section.empty() ? "run" : section);
        }
        std::string meaning = key.meaning;
        if (!key.source.empty()) {
            meaning += fmt::format(" ({})", key.source);
        }
        text += fmt::format("| `{}` | {} | {} | {} |\n", key.name, cell(accepted_in_table(key)),
                            key.fallback.empty() ? (key.part ? "of the part" : "")
                                                 : "`" + cell(key.fallback) + "`",
                            cell(meaning));
    }
    return text;
}

std::string config_schema() {
    Json schema = schema_head("Cavern drive description");
    schema["properties"]["extends"] =
        text_schema("another drive description that this one changes");
    for (const ConfigKey& key : config_keys()) {
        section_schema(
            schema, section_of(key.name))["properties"][key.name.substr(key.name.rfind('.') + 1)] =
            key_schema(key);
    }
    return schema.dump(2) + "\n";
}

std::string part_schema(const std::string& section) {
    Json values = Json::object();
    for (const ConfigKey& key : config_keys()) {
        if (key.part && key.name.compare(0, section.size() + 1, section + ".") == 0) {
            values[key.name.substr(section.size() + 1)] = key_schema(key);
        }
    }
    if (values.empty()) {
        throw UserError("<command line>", 1,
                        fmt::format("there are no parts of {}", in_quotes(section)),
                        "nand or dram");
    }
    values["source"] = text_schema("data sheet and table of these values, or whose estimate");
    Json schema = schema_head("Cavern " + section + " part");
    schema["properties"] = values;
    for (const char* group : {"geometry", "timing", "bus", "wear", "currents"}) {
        Json table = object_schema();
        table["properties"] = values;
        schema["properties"][group] = table;
    }
    schema["properties"]["name"] = text_schema("name of the part");
    return schema.dump(2) + "\n";
}

} // namespace cavern
