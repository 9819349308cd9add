#include "config/config_manual.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/config_show.h"
#include "core/base/error.h"
#include "core/parts/nand_commands.h"
#include "keys/key_schema.h"
#include "keys/key_text.h"
#include "keys/key_value.h"
#include "workload/job_keys.h"
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
              {"type", row_of(key.type).name},
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
    for (const Keys* keys : all_keys()) {
        for (const ConfigKey& key : *keys) {
            const std::string top = key.name.substr(0, key.name.find('.'));
            const std::string its = top == key.name ? "run" : top;
            if (its != section) {
                section = its;
                text += fmt::format("\n## {}{}\n\n| key | accepts | default | meaning |\n"
                                    "|---|---|---|---|\n",
                                    section, keys == &config_keys() ? "" : " of a workload file");
            }
            const std::string fallback = default_text(key);
            text +=
                fmt::format("| `{}` | {} | {} | {}{} |\n", key.name, cell(accepted_in_table(key)),
                            !key.fallback.empty() ? "`" + cell(fallback) + "`"
                            : fallback == "-"     ? ""
                                                  : fallback,
                            cell(key.meaning),
                            key.source.empty() ? "" : fmt::format(" ({})", cell(key.source)));
        }
    }
    return text;
}

std::string config_schema() {
    Json schema = schema_head("Cavern drive description");
    schema["properties"]["extends"] =
        text_schema("another drive description that this one changes");
    add_keys(schema, config_keys());
    return schema.dump(2) + "\n";
}

std::string workload_schema() {
    Json schema = schema_head("Cavern workload");
    add_keys(schema, job_keys());
    add_keys(schema, target_keys());
    Json& jobs = schema["properties"]["job"];
    jobs = {{"type", "array"}, {"items", jobs}, {"minItems", 1}};
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

std::string nand_commands_markdown() {
    std::string table =
        "| command | phases on the bus (array times between them) | key |\n|---|---|---|\n";
    for (const NandCommandRow& row : kNandCommands) {
        std::string phases;
        for (std::uint32_t i = 0; i < row.steps; ++i) {
            const NandStepRow& step = row_of(row.step[i]);
            phases += i == 0 ? "" : ", ";
            phases += step.data == NandData::kOut ? row.out : "";
            phases += step.bus;
            phases += i == 0 ? row.of : "";
            phases += *step.array == '\0' ? "" : std::string(", tWB + ") + step.array;
        }
        table += std::string("| ") + row.name + " | " + phases + " | " + row.keys +
                 (*row.keys == '\0' ? "|\n" : " |\n");
    }
    return table;
}

} // namespace cavern
