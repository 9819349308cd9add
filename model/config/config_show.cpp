#include "config/config_show.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "config/config_keys.h"
#include "core/base/error.h"
#include "keys/key_text.h"
#include "keys/key_value.h"
#include "workload/job_keys.h"

namespace cavern {
namespace {

std::string leaf_of(const std::string& name) {
    return name.substr(name.rfind('.') + 1);
}

std::string origin_text(const SettingOrigin& origin) {
    const std::filesystem::path file(origin.file);
    switch (origin.layer) {
    case Layer::kDefault:
        return "default";
    case Layer::kPart:
        // Without the folder of the installation, so that results of two machines compare.
        return fmt::format("part {}:{}",
                           (file.parent_path().filename() / file.filename()).generic_string(),
                           origin.line);
    case Layer::kFile:
        return fmt::format("{}:{}", origin.file, origin.line);
    case Layer::kCommandLine:
        break;
    }
    return "--set";
}

struct Derived {
    std::string name;
    std::string value; ///< as TOML and JSON
    std::string meaning;
};

std::string count(std::uint64_t value) {
    return std::to_string(value);
}

std::string bytes(std::uint64_t value) {
    return in_quotes(format_quantity(value, Quantity::kBytes));
}

std::string energy(double joules) {
    return in_quotes(fmt::format("{:.4g}uJ", joules * 1e6));
}

std::vector<Derived> derived(const DrivePlan& plan) {
    const Geometry& drive = plan.geometry;
    std::vector<Derived> all{
        {"host_pages", count(plan.host_pages), "pages that the host can address"},
        {"host_size", bytes(plan.host_bytes()), "these in bytes"},
        {"logical_pages", count(plan.logical_pages), "pages that the translation layer exports"},
        {"flash_pages", count(drive.pages()), "pages of the flash array"},
        {"page_size", bytes(drive.page_bytes), "a page, as the map has an entry for: ftl.unit"},
        {"pages_per_block", count(drive.pages_per_block), "of these, in an erase block"},
        {"pages_per_program", count(drive.units_per_program()),
         "of these, that a program takes in a plane"},
        {"slc_pages_per_block", count(drive.slc_pages), "of these, in a block in SLC mode"},
        {"dies", count(drive.dies()), "dies of the drive"},
        {"planes", count(drive.planes()), "planes of the drive"},
        {"reserved_blocks", count(plan.ftl_params.reserved_blocks),
         "first blocks of each plane, for checkpoints and marks"},
        {"frames", count(plan.frames), "pages of the SDRAM for the write buffer"},
        {"staging_pages", count(plan.staging_slots), "pages of the SDRAM for flash reads"},
        {"copy_pages", count(plan.copy_slots_per_die),
         "pages of the SDRAM for the copies of each die"},
        {"map_size", bytes(plan.map_bytes), "end of the SDRAM, for the map: dram.map_traffic"},
        {"read_grain", bytes(plan.read_grain), "a read moves pieces of a page so large; 0: all"},
        {"keeps_sectors", plan.keeps_sectors ? "true" : "false",
         "a write of a part of a page keeps the rest"},
        {"in_turn", plan.in_turn ? "true" : "false",
         "commands wait for the frames of those before"},
        {"age_limit", count(plan.age_limit_cycles), "cycles of the arbiter: priority-age"}};
    if (plan.drain_costs.program != 0) {
        all.push_back({"drain_energy", energy(plan.drain_costs.program),
                       "stored energy that programs a page of the write buffer"});
        all.push_back(
            {"drained_pages", count(plan.drained_pages), "pages that power_loss.energy programs"});
    }
    return all;
}

} // namespace

std::string config_to_toml(const ResolvedConfig& resolved, bool origins) {
    struct Line {
        std::string text;
        std::string origin;
    };
    std::vector<Line> lines;
    std::string section;
    for (std::size_t i = 0; i < resolved.settings.size(); ++i) {
        const ConfigKey& key = config_keys()[i];
        if (!resolved.settings[i]) {
            continue;
        }
        if (section_of(key.name) != section) {
            section = section_of(key.name);
            lines.push_back({"", ""});
            lines.push_back({"[" + section + "]", ""});
        }
        lines.push_back({leaf_of(key.name) + " = " + value_text(key, resolved.settings[i]->value),
                         origin_text(resolved.settings[i]->origin)});
    }
    std::size_t width = 0;
    for (const Line& line : lines) {
        width = std::max(width, line.text.size());
    }
    std::string text = origins ? fmt::format("# {}\n", capacity_text(resolved.config)) : "";
    for (const Line& line : lines) {
        text += origins && !line.origin.empty()
                    ? fmt::format("{:<{}}  # {}\n", line.text, width, line.origin)
                    : line.text + "\n";
    }
    return text;
}

std::string capacity_text(const DrivePlan& plan) {
    const Geometry& nand = plan.nand.geometry;
    return fmt::format("{} for the host, {} of NAND", size_text(plan.host_bytes()),
                       size_text(nand.pages() * nand.page_bytes));
}

std::vector<std::pair<std::string, std::string>> config_values(const ResolvedConfig& resolved) {
    std::vector<std::pair<std::string, std::string>> values;
    for (std::size_t i = 0; i < resolved.settings.size(); ++i) {
        if (resolved.settings[i]) {
            const ConfigKey& key = config_keys()[i];
            values.emplace_back(key.name, value_text(key, resolved.settings[i]->value));
        }
    }
    return values;
}

nlohmann::ordered_json config_json(const ResolvedConfig& resolved) {
    using Json = nlohmann::ordered_json;
    Json config = Json::object();
    for (const auto& [name, text] : config_values(resolved)) {
        std::string pointer = "/" + name;
        std::replace(pointer.begin(), pointer.end(), '.', '/');
        config[Json::json_pointer(pointer)] = Json::parse(text);
    }
    return config;
}

std::string bare_value(const ResolvedConfig& resolved, std::string_view key) {
    const std::size_t index = find_config_key(key).value();
    const std::optional<Setting>& setting = resolved.settings[index];
    return setting ? bare_text(config_keys()[index], setting->value) : std::string();
}

const std::vector<const Keys*>& all_keys() {
    static const std::vector<const Keys*> keys{&config_keys(), &job_keys(), &target_keys()};
    return keys;
}

std::vector<const ConfigKey*> keys_of_section(std::string_view section) {
    const std::string prefix = std::string(section) + ".";
    std::vector<const ConfigKey*> found;
    for (const Keys* keys : all_keys()) {
        for (const ConfigKey& key : *keys) {
            if ((section.empty() && keys == &config_keys()) || key.name == section ||
                key.name.compare(0, prefix.size(), prefix) == 0) {
                found.push_back(&key);
            }
        }
    }
    if (found.empty()) {
        const bool of_section = section.find('.') == std::string_view::npos;
        throw UserError(
            "<command line>", 1,
            fmt::format("unknown {} {}", of_section ? "section" : "key", in_quotes(section)),
            suggest_config_key(section, all_keys()));
    }
    return found;
}

std::string list_config_keys(std::string_view section, std::size_t width) {
    return list_keys(keys_of_section(section), width);
}

std::string explain_config_key(std::string_view name, std::size_t width) {
    for (const Keys* keys : all_keys()) {
        if (const ConfigKey* key = find_key(*keys, name)) {
            return explain_key(*key);
        }
    }
    return list_config_keys(name, width);
}

std::vector<std::string> notes_on_defaults(const ResolvedConfig& resolved) {
    const auto types = resolved.config.nand.timing.page_types();
    const bool extends =
        std::any_of(resolved.files.begin(), resolved.files.end(),
                    [](const ConfigInput& file) { return file.name == "extends"; });
    if (types < 2 || extends) {
        return {};
    }
    std::vector<std::string> old;
    for (const char* name : {"ftl.unit", "ftl.gc_pace", "buffer.eviction"}) {
        const auto key = find_config_key(name);
        const auto& setting = resolved.settings[key.value()];
        if (setting && setting->origin.layer == Layer::kDefault) {
            old.emplace_back(name);
        }
    }
    if (old.empty()) {
        return {};
    }
    return {
        fmt::format("The NAND has {} bits a cell, and the drive has defaults of an SLC drive of "
                    "2011: {}. extends = \"tlc-modern.toml\" gives those of today.",
                    types, fmt::join(old, ", "))};
}

ConfigDiff::ConfigDiff(const ResolvedConfig& first, const ResolvedConfig& second) {
    const auto text = [](const ResolvedConfig& resolved, std::size_t key) {
        const auto& setting = resolved.settings[key];
        return setting ? value_text(config_keys()[key], setting->value) : std::string();
    };
    for (std::size_t key = 0; key < config_keys().size(); ++key) {
        Row row{config_keys()[key].name, text(first, key), text(second, key)};
        if (row.first != row.second) {
            rows_.push_back(std::move(row));
        }
    }
}

std::string ConfigDiff::text() const {
    if (rows_.empty()) {
        return "no key differs\n";
    }
    const auto or_dash = [](const std::string& value) { return value.empty() ? "-" : value; };
    std::size_t keys = 0;
    std::size_t values = 0;
    for (const Row& row : rows_) {
        keys = std::max(keys, row.key.size());
        values = std::max(values, or_dash(row.first).size());
    }
    std::string text;
    for (const Row& row : rows_) {
        text += fmt::format("{:<{}}  {:<{}}  {}\n", row.key, keys, or_dash(row.first), values,
                            or_dash(row.second));
    }
    return text;
}

std::string ConfigDiff::json() const {
    using Json = nlohmann::ordered_json;
    const auto value = [](const std::string& toml) {
        return toml.empty() ? Json() : Json::parse(toml);
    };
    Json rows = Json::array();
    for (const Row& row : rows_) {
        rows.push_back({{"key", row.key}, {"a", value(row.first)}, {"b", value(row.second)}});
    }
    return rows.dump(2) + "\n";
}

std::string derived_text(const DrivePlan& plan) {
    const std::vector<Derived> all = derived(plan);
    std::size_t names = 0;
    std::size_t values = 0;
    for (const Derived& row : all) {
        names = std::max(names, row.name.size());
        values = std::max(values, row.value.size());
    }
    std::string text;
    for (const Derived& row : all) {
        text +=
            fmt::format("{:<{}} = {:<{}}  # {}\n", row.name, names, row.value, values, row.meaning);
    }
    return text;
}

nlohmann::ordered_json derived_json(const DrivePlan& plan) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (const Derived& row : derived(plan)) {
        object[row.name] = nlohmann::ordered_json::parse(row.value);
    }
    return object;
}

} // namespace cavern
