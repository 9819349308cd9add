#include "firmware/lookup/host/run_settings.h"

#include <limits>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/whole_file.h"
#include "keys/closest_name.h"
#include "keys/key_file.h"
#include "keys/key_row.h"
#include "keys/key_value.h"

namespace cavern::lookup {
namespace {

using S = session_settings;
using R = RunSettings;
using T = KeyType;

template <typename... Path>
KeyRow count(const char* name, const char* meaning, Path... path) {
    return KeyRow(T::kCount, name, meaning)
        .to(path...)
        .range(0, std::numeric_limits<std::uint32_t>::max());
}

KeyRow flag(const char* name, const char* meaning, std::uint32_t S::*member) {
    return KeyRow(T::kFlag, name, meaning).to(&R::session, member);
}

WordList look_ups() {
    WordList list;
    for (std::uint32_t i = 0; i < kLookUpCount; ++i) {
        list.words.emplace_back(kLookUps[i]->name);
    }
    return list;
}

RunSettings defaults() {
    RunSettings settings;
    settings.session = session_defaults();
    settings.session.warm_up_turns = 0;
    settings.session.turns = 15000;
    settings.session.blocks = 131071;
    return settings;
}

Keys config_rows() {
    const auto session = &R::session;
    return {
        KeyRow(T::kWord, "look_up", "how a cached page is found")
            .of(look_ups())
            .to(session, &S::look_up),
        count("groups", "number of groups that the frames, or the search, are divided into",
              session, &S::groups),
        count("order", "children of a node of the B-tree, at most", session, &S::order),
        count("frames", "number of frames of the cache", session, &S::frames),
        flag("read_modify_write", "what a write covers in part is read before",
             &S::read_modify_write),
        flag("prewrite_all",
             "all files are there at the start; else only those of threads that read",
             &S::prewrite_all),
        flag("fill_unwritten",
             "a read of a page that was never written is searched for and fills a frame with zeros",
             &S::fill_unwritten),
        count("blocks", "number of blocks of the flash", session, &S::blocks),
        count("pages_per_block", "number of pages of a block", session, &S::pages_per_block),
        count("low_watermark", "free pages at which collection begins", session, &S::low_watermark),
        count("high_watermark", "free pages at which collection ends", session, &S::high_watermark),
        count("warm_up_turns", "turns of all threads that are played first and not counted",
              session, &S::warm_up_turns),
        KeyRow(T::kWord, "played_on", "what plays the run")
            .of({{"host", "The sources, built for this machine."},
                 {"iss", "The firmware image, on the interpreter."},
                 {"rtl", "The firmware image, on Ibex."},
                 {"lockstep", "The firmware image, on both."}})
            .to(&R::played_on),
        KeyRow(T::kText, "image", "firmware image that is played; built-in: that of the program")
            .stored_as_none("built-in")
            .to(&R::image),
        count("line_bytes", "bytes of a line of the cache before the SDRAM", &R::line_bytes),
        count("cache_bytes", "bytes of that cache", &R::cache_bytes),
        count("line_fill_cycles", "processor cycles of a fill of a line", &R::line_fill_cycles),
        count("line_write_back_cycles", "processor cycles of a write back of a line",
              &R::line_write_back_cycles),
    };
}

Keys workload_rows() {
    const auto session = &R::session;
    return {
        count("threads_per_kind", "number of threads of each of the five kinds", session,
              &S::threads_per_kind),
        count("file_pages", "number of pages of the file of a thread", session, &S::file_pages),
        count("page_bytes", "bytes of a page", session, &S::page_bytes),
        count("least_bytes", "bytes of the smallest record", session, &S::least_bytes),
        count("most_bytes", "bytes of the largest record", session, &S::most_bytes),
        count("turns", "turns of all threads that are counted", session, &S::turns),
        count("seed", "seed of the workload", session, &S::seed),
    };
}

void read_file(const std::string& path, const Keys& keys, const char* place,
               RunSettings& settings) {
    const WholeFile file = read_whole(path, kMostTextBytes);
    if (!file.readable || file.too_long) {
        throw UserError(path, 1, "the file cannot be read", "give the path of a TOML file");
    }
    read_table(parse_toml(file.bytes, path, "expected key = value"), path, keys, place)
        .store(&settings);
}

} // namespace

const Keys& config_file_keys() {
    static const RunSettings fresh = defaults();
    static const Keys keys = with_defaults(config_rows(), &fresh);
    return keys;
}

const Keys& workload_file_keys() {
    static const RunSettings fresh = defaults();
    static const Keys keys = with_defaults(workload_rows(), &fresh);
    return keys;
}

std::vector<const ConfigKey*> all_keys() {
    std::vector<const ConfigKey*> all;
    for (const Keys* keys : {&config_file_keys(), &workload_file_keys()}) {
        for (const ConfigKey& key : *keys) {
            all.push_back(&key);
        }
    }
    return all;
}

const ConfigKey& find_setting(const std::string& name, std::size_t nth) {
    std::vector<std::string> known;
    for (const ConfigKey* key : all_keys()) {
        if (key->name == name) {
            return *key;
        }
        known.push_back(key->name);
    }
    const std::string meant = closest_name(name, known);
    throw UserError("<command line>", nth, "unknown key " + in_quotes(name),
                    (meant.empty() ? "" : "did you mean " + in_quotes(meant) + "? ") +
                        "\"cavern-lookup config list\" shows all keys");
}

RunSettings read_settings(const RunSources& sources) {
    RunSettings settings = defaults();
    read_file(sources.config, config_file_keys(), "a configuration", settings);
    if (!sources.workload.empty()) {
        read_file(sources.workload, workload_file_keys(), "a workload", settings);
    }
    for (std::size_t i = 0; i < sources.overrides.size(); ++i) {
        const auto [name, value] = split_setting(sources.overrides[i], {"<command line>", i + 1});
        const ConfigKey& key = find_setting(name, i + 1);
        assign_field(key, read_bare_value(key, value, {"<command line>", i + 1}), &settings);
    }
    if (const char* wrong = session_refuses(&settings.session)) {
        throw UserError(sources.config, 1, "settings that do not fit together", wrong);
    }
    if (!is_power_of_two(settings.line_bytes) || settings.line_bytes < 4 ||
        !is_power_of_two(settings.cache_bytes) || settings.cache_bytes < settings.line_bytes) {
        throw UserError(sources.config, 1, "a line cache that cannot be",
                        "expected powers of two, line_bytes 4 or more and up to cache_bytes");
    }
    return settings;
}

std::string settings_toml(const RunSettings& settings) {
    std::string text;
    for (const ConfigKey* key : all_keys()) {
        text += key->name + " = " + value_text(*key, field_value(*key, &settings)) + "\n";
    }
    return text;
}

} // namespace cavern::lookup
