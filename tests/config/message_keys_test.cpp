#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "tests/config/config_fixture.h"

namespace cavern {
namespace {

namespace fs = std::filesystem;

using MessageKeysTest = ConfigFixture;
using Names = std::vector<std::string>;

/// Where the literal ends that begins at `at` with its quote.
std::size_t end_of_literal(const std::string& text, std::size_t at) {
    const char quote = text[at];
    for (++at; at < text.size() && text[at] != quote; ++at) {
        at += text[at] == '\\' ? 1 : 0;
    }
    return at;
}

/// The texts in a source, without what stands in comments. A quote between digits parts them.
Names texts_of(const std::string& source) {
    Names texts;
    for (std::size_t at = 0; at < source.size(); ++at) {
        const bool in_word =
            at > 0 && std::isalnum(static_cast<unsigned char>(source[at - 1])) != 0;
        if (source.compare(at, 2, "//") == 0) {
            at = source.find('\n', at);
        } else if (source.compare(at, 3, "R\"(") == 0 && !in_word) {
            const std::size_t end = source.find(")\"", at);
            texts.push_back(source.substr(at + 3, end - at - 3));
            at = end + 1;
        } else if (source[at] == '"' || (source[at] == '\'' && !in_word)) {
            const std::size_t end = end_of_literal(source, at);
            if (source[at] == '"') {
                texts.push_back(source.substr(at + 1, end - at - 1));
            }
            at = end;
        }
        if (at == std::string::npos) {
            break;
        }
    }
    return texts;
}

bool is_of_section(const std::string& name) {
    return is_config_section(name.substr(0, name.find('.')));
}

/// Whether a key begins so: "dram.idd" of "dram.idd...".
bool is_beginning(const std::string& name) {
    const auto& keys = config_keys();
    return std::any_of(keys.begin(), keys.end(), [&](const ConfigKey& key) {
        return key.name.compare(0, name.size(), name) == 0;
    });
}

/// What looks like a key in the texts of a source, and is none. A text that is a name and nothing
/// else will be looked up: it must be a key. Within a text a section may be named.
Names strangers_of(const std::string& source) {
    static const std::regex kName(R"((^|[^\w./-])([a-z]+(\.[a-z0-9_-]*[a-z0-9_])+)(\.\.\.)?)");
    Names strangers;
    for (const std::string& text : texts_of(source)) {
        for (std::sregex_iterator found(text.begin(), text.end(), kName), end; found != end;
             ++found) {
            const std::string name = (*found)[2];
            const bool whole = name == text;
            const bool known = find_config_key(name) || (!whole && is_config_section(name)) ||
                               ((*found)[4].matched && is_beginning(name));
            if (is_of_section(name) && !known) {
                strangers.push_back(name);
            }
        }
    }
    return strangers;
}

TEST_F(MessageKeysTest, EveryKeyThatAMessageNamesIsInTheTable) {
    std::size_t sources = 0;
    std::size_t names = 0;
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator(testing::source_dir() + "/model")) {
        const std::string file = entry.path().filename().string();
        if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") {
            continue;
        }
        std::ostringstream source;
        source << std::ifstream(entry.path()).rdbuf();
        for (const std::string& text : texts_of(source.str())) {
            names += find_config_key(text) ? 1 : 0;
        }
        ++sources;
        // There a text may be the section of a table's keys; or a law, which names fields.
        const bool laws = entry.path().parent_path().filename() == "results";
        if (file.rfind("keys_", 0) != 0 && !laws) {
            EXPECT_EQ(strangers_of(source.str()), Names{}) << entry.path();
        }
    }
    EXPECT_GT(sources, 300u);
    EXPECT_GT(names, 400u);
}

TEST_F(MessageKeysTest, AKeyThatIsNoneIsFound) {
    EXPECT_EQ(strangers_of(R"(return Problem{with("ftl.adaptive"), "memory", "one of them"};)"),
              Names{"ftl.adaptive"});
    EXPECT_EQ(strangers_of(R"(refuse("give nand.chanels = 2, or ftl.unit");)"),
              Names{"nand.chanels"});
    EXPECT_EQ(strangers_of(R"(at 1'000; f('"', "buffer.sise", "\"dram.tck\""); // "host.lane")"),
              (Names{"buffer.sise", "dram.tck"}));
    EXPECT_EQ(strangers_of(R"(f("all of dram.idd..., such as buffer.cave; main.cpp and x.size");)"),
              Names{});
}

/// Of the SDRAM's checks, which know the word behind "dram." alone.
TEST_F(MessageKeysTest, ChecksOfTheSdramNameKeys) {
    const SsdConfig sound = load("").config;
    std::map<std::string, int> named;
    for (const ConfigKey& key : config_keys()) {
        if (key.name.rfind("dram.", 0) != 0) {
            continue;
        }
        for (const std::uint64_t value : {0, 1, 2, 3, 16, 4096}) {
            SsdConfig config = sound;
            const KnobField field = key.field(&config);
            if (auto* const* small = std::get_if<std::uint32_t*>(&field)) {
                **small = static_cast<std::uint32_t>(value);
            } else if (auto* const* large = std::get_if<std::uint64_t*>(&field)) {
                **large = value;
            }
            if (const auto problem = find_problem(config.dram.timing)) {
                ++named["dram." + problem->keys.front()];
            }
        }
    }
    EXPECT_GT(named.size(), 20u);
    for (const auto& [name, times] : named) {
        EXPECT_TRUE(find_config_key(name)) << name;
    }
}

TEST_F(MessageKeysTest, ALossOfPowerWithMemoryThatIsDividedIsRefusedAtItsPlace) {
    EXPECT_EQ(error_of("[power_loss]\non_signal = true\n[ftl]\nscheme = \"fast\"\n"
                       "partition = \"adaptive\"\n[alloc]\nscheme = \"stripe-block\"\n"),
              "drive.toml:5: a loss of power with memory divided at run time; one of them");
}

} // namespace
} // namespace cavern
