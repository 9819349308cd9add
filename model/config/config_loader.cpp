#include "config/config_loader.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/config_file.h"
#include "config/rules.h"
#include "core/base/check.h"
#include "core/base/error.h"
#include "keys/key_value.h"

namespace cavern {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCommandLineName = "<command line>";
constexpr std::uint32_t kPartRank = 1;

constexpr std::uint64_t kFsPerPs = 1000;

std::size_t key_index(std::string_view name) {
    const auto key = find_config_key(name);
    CAVERN_CHECK(key.has_value(), "key " + std::string(name) + " is in the table");
    return *key;
}

/// One name for a file, however it is reached.
fs::path one_name(const fs::path& path) {
    std::error_code error;
    const fs::path resolved = fs::weakly_canonical(path, error);
    return error ? path.lexically_normal() : resolved;
}

/// Gathers settings from the layers and binds them.
class Loader {
  public:
    Loader(fs::path file, fs::path installed)
        : file_(std::move(file)), installed_(std::move(installed)),
          settings_(config_keys().size()) {}

    ResolvedConfig load(const std::vector<std::string>& overrides) {
        std::vector<ConfigFile> chain = read_chain();
        std::uint32_t rank = kPartRank;
        for (auto file = chain.rbegin(); file != chain.rend(); ++file) {
            add_file(*file, ++rank);
            files_.push_back(
                {std::next(file) == chain.rend() ? "CONFIG" : "extends", file->name()});
        }
        for (std::size_t i = 0; i < overrides.size(); ++i) {
            add_override(overrides[i], i + 1, ++rank);
        }
        add_part("nand");
        add_part("dram");
        add_defaults();
        return bind();
    }

  private:
    using Settings = std::vector<std::optional<Setting>>;

    /// The file and, after it, the files it extends.
    [[nodiscard]] std::vector<ConfigFile> read_chain() const {
        std::vector<ConfigFile> chain;
        std::set<fs::path> seen;
        chain.push_back(ConfigFile::read_drive(file_));
        seen.insert(one_name(file_));
        while (chain.back().extends()) {
            const ConfigFile& top = chain.back();
            const Place place{top.name(), top.extends_line()};
            const fs::path base = base_of(top);
            if (!seen.insert(one_name(base)).second) {
                throw UserError(
                    place.file, place.line,
                    fmt::format("extends {} goes in a circle", in_quotes(*top.extends())),
                    "a file that does not rest on this one");
            }
            chain.push_back(ConfigFile::read_drive(base, place));
        }
        return chain;
    }

    /// Beside the file that names it, else one that comes with the program.
    [[nodiscard]] fs::path base_of(const ConfigFile& top) const {
        const fs::path beside =
            (fs::path(top.name()).parent_path() / *top.extends()).lexically_normal();
        std::error_code ignored;
        if (fs::exists(beside, ignored)) {
            return beside;
        }
        // What the folder has that the command is called from is nothing to the file.
        return fs::path(
            shipped_file(kDrives, *top.extends(), installed_).value_or(beside.string()));
    }

    void add_file(const ConfigFile& file, std::uint32_t rank) {
        for (const FileEntry& entry : file.entries()) {
            const Place place{file.name(), entry.line};
            set(entry.key, read_value(config_keys()[entry.key], *entry.node, place),
                {Layer::kFile, rank, place.file, place.line});
        }
    }

    void add_override(const std::string& text, std::size_t ordinal, std::uint32_t rank) {
        const Place place{kCommandLineName, ordinal};
        const auto [name, value] = split_setting(text, place);
        const auto key = find_config_key(name);
        if (!key) {
            throw UserError(place.file, place.line, fmt::format("unknown key {}", in_quotes(name)),
                            name == "extends" ? "only a file can extend another"
                                              : suggest_config_key(name));
        }
        set(*key, read_bare_value(config_keys()[*key], value, place),
            {Layer::kCommandLine, rank, place.file, place.line});
    }

    /// Later layers come later and win. Of two keys that say the same, one line of a file may not
    /// contradict another.
    void set(std::size_t index, ConfigValue value, SettingOrigin origin) {
        const ConfigKey& key = config_keys()[index];
        if (!key.excludes.empty()) {
            auto& other = settings_[key_index(key.excludes)];
            if (other && other->origin.rank == origin.rank) {
                throw UserError(origin.file, origin.line,
                                fmt::format("{} and {} are both given", key.excludes, key.name),
                                "one of them");
            }
            other.reset();
        }
        settings_[index] = Setting{std::move(value), std::move(origin)};
    }

    /// Folders in which the part that `origin` names is looked for.
    [[nodiscard]] std::vector<fs::path> part_folders(const std::string& section,
                                                     const SettingOrigin& origin) const {
        std::vector<fs::path> folders;
        if (origin.layer == Layer::kFile) {
            folders.push_back(fs::path(origin.file).parent_path() / section);
        }
        folders.push_back(file_.parent_path() / section);
        folders.push_back(installed_ / section);
        return folders;
    }

    /// Fills from a part file what nothing above it has set.
    void add_part(const std::string& section) {
        set_default(key_index(section + ".part"));
        const Setting& part = *settings_[key_index(section + ".part")];
        const auto& name = std::get<std::string>(part.value);
        const std::vector<fs::path> folders = part_folders(section, part.origin);
        std::error_code unread; // a folder that one may not look into has no part
        const auto folder = std::find_if(folders.begin(), folders.end(), [&](const fs::path& dir) {
            return fs::is_regular_file(dir / (name + ".toml"), unread);
        });
        if (folder == folders.end()) {
            apply_interface(section);
            if (missing_of_part(section).empty()) {
                return; // a resolved configuration stands alone: the name is only a label
            }
            throw UserError(part.origin.file, part.origin.line,
                            fmt::format("no file {}/{}.toml for {}.part = {}", section, name,
                                        section, in_quotes(name)),
                            fmt::format("there are {}", fmt::join(part_names(folders), ", ")));
        }
        const ConfigFile file = ConfigFile::read_part(*folder / (name + ".toml"), section);
        files_.push_back({section + ".part", file.name()});
        for (const FileEntry& entry : file.entries()) {
            const Place place{file.name(), entry.line};
            const ConfigKey& key = config_keys()[entry.key];
            ConfigValue value = read_value(key, *entry.node, place);
            if (!is_set_above_part(entry.key) &&
                (key.excludes.empty() || !is_set_above_part(key_index(key.excludes)))) {
                set(entry.key, std::move(value), {Layer::kPart, kPartRank, place.file, place.line});
            }
        }
        apply_interface(section);
        const std::string missing = missing_of_part(section);
        if (!missing.empty()) {
            throw UserError(file.name(), 1, fmt::format("the part does not give {}", missing),
                            "a line with its value");
        }
    }

    /// An interface of the NAND gives the times of its mode, where none is given beside it or
    /// later.
    void apply_interface(const std::string& section) {
        const auto& interface = settings_[key_index("nand.interface")];
        const auto& mode = settings_[key_index("nand.timing_mode")];
        if (section != "nand" || !interface) {
            return;
        }
        const ConfigKey& key = config_keys()[key_index("nand.interface")];
        const auto word =
            std::find(key.words.begin(), key.words.end(), std::get<std::string>(interface->value));
        const std::vector<OnfiMode>& modes =
            onfi_modes(static_cast<NandInterface>(word - key.words.begin()));
        if (modes.empty()) {
            return;
        }
        const std::uint64_t number = mode ? std::get<std::uint64_t>(mode->value) : 0;
        if (number >= modes.size()) {
            throw UserError(
                mode->origin.file, mode->origin.line,
                fmt::format("nand.timing_mode = {} is no mode of nand.interface = \"{}\"", number,
                            std::get<std::string>(interface->value)),
                fmt::format("0 to {}", modes.size() - 1));
        }
        const OnfiMode& times = modes[number];
        const SettingOrigin origin =
            mode && mode->origin.rank > interface->origin.rank ? mode->origin : interface->origin;
        const auto give = [&](const char* name, std::uint64_t value) {
            const std::size_t index = key_index(name);
            const ConfigKey& of = config_keys()[index];
            const auto given = [&](std::size_t i) {
                return settings_[i] && (settings_[i]->origin.rank >= origin.rank ||
                                        settings_[i]->origin.layer == Layer::kCommandLine);
            };
            if (given(index) || (!of.excludes.empty() && given(key_index(of.excludes)))) {
                return;
            }
            set(index, value, origin);
        };
        if (times.byte_fs % kFsPerPs == 0) {
            give("nand.bus_cycle", times.byte_fs / kFsPerPs);
        } else { // no whole number of picoseconds
            give("nand.bus_rate", (kFsPerSecond + times.byte_fs / 2) / times.byte_fs);
        }
        give("nand.command_cycle", times.command_cycle);
        give("nand.t_adl", times.t_adl);
        give("nand.t_ccs", times.t_ccs);
        give("nand.t_rhw", times.t_rhw);
        give("nand.t_wb", times.t_wb);
        give("nand.t_whr", times.t_whr);
    }

    [[nodiscard]] bool is_set_above_part(std::size_t index) const {
        return settings_[index] && settings_[index]->origin.rank > kPartRank;
    }

    /// A key of a part that has neither value nor default; empty if there is none.
    [[nodiscard]] std::string missing_of_part(const std::string& section) const {
        for (std::size_t i = 0; i < settings_.size(); ++i) {
            const ConfigKey& key = config_keys()[i];
            if (key.part && key.name.compare(0, section.size(), section) == 0 && !settings_[i] &&
                key.fallback.empty() &&
                (key.excludes.empty() || !settings_[key_index(key.excludes)])) {
                return key.excludes.empty() ? key.name : key.name + " or " + key.excludes;
            }
        }
        return {};
    }

    [[nodiscard]] static std::set<std::string> part_names(const std::vector<fs::path>& folders) {
        std::set<std::string> names;
        for (const fs::path& folder : folders) {
            std::error_code ignored;
            for (const auto& entry : fs::directory_iterator(folder, ignored)) {
                if (entry.path().extension() == ".toml") {
                    names.insert(entry.path().stem().string());
                }
            }
        }
        return names;
    }

    void set_default(std::size_t index) {
        const ConfigKey& key = config_keys()[index];
        if (settings_[index] || key.fallback.empty()) {
            return;
        }
        const SettingOrigin origin{Layer::kDefault, 0, file_.string(), 1};
        settings_[index] = Setting{read_bare_value(key, key.fallback, {origin.file, 1}), origin};
    }

    void add_defaults() {
        decide_by_firmware();
        for (std::size_t i = 0; i < settings_.size(); ++i) {
            set_default(i);
        }
        auto& name = settings_[key_index("name")];
        if (!name) {
            name = Setting{file_.stem().string(),
                           SettingOrigin{Layer::kDefault, 0, file_.string(), 1}};
        }
    }

    /// Where firmware is executed it decides, unless somebody says otherwise.
    void decide_by_firmware() {
        const auto& model = settings_[key_index("cpu.model")];
        auto& decides = settings_[key_index("cpu.decides")];
        if (!model || decides) {
            return;
        }
        for (const char* word : {"iss", "rtl", "lockstep"}) {
            if (model->value == ConfigValue(std::string(word))) {
                decides = Setting{std::string("firmware"), {Layer::kDefault, 0, file_.string(), 1}};
            }
        }
    }

    [[nodiscard]] ResolvedConfig bind() {
        SsdConfig config;
        for (std::size_t i = 0; i < settings_.size(); ++i) {
            const ConfigKey& key = config_keys()[i];
            if (settings_[i]) {
                const ConfigValue& value = settings_[i]->value;
                assign_field(key, value, &config);
                if (key.names_file && std::get<std::string>(value) != key.empty_word) {
                    files_.push_back({key.name, std::get<std::string>(value)});
                }
            } else {
                CAVERN_CHECK(key.optional, key.name + " has a value");
            }
        }
        ResolvedConfig resolved{config, std::move(settings_), std::move(files_)};
        check_config(resolved, file_.string());
        return resolved;
    }

    fs::path file_;
    fs::path installed_;
    Settings settings_;
    std::vector<ConfigInput> files_;
};

} // namespace

ResolvedConfig load_config(const fs::path& file, const std::vector<std::string>& overrides,
                           const fs::path& installed) {
    return Loader(find_file(kDrives, file.string(), installed), installed).load(overrides);
}

} // namespace cavern
