#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "config/config_show.h"
#include "core/buffer/eviction_policy_table.h"
#include "core/buffer/ref.h"
#include "core/ftl/d_choices.h"
#include "core/ftl/fast.h"
#include "core/ftl/ftl_table.h"
#include "tests/config/config_fixture.h"

namespace cavern {
namespace {

using ConfigKeysTest = ConfigFixture;
using Names = std::vector<std::string>;

bool is_whole(const ConfigKey& key) {
    return key.type == KeyType::kCount || quantity_of(key.type).has_value();
}

std::string whole_text(const ConfigKey& key, std::uint64_t value) {
    const auto quantity = quantity_of(key.type);
    return quantity ? format_quantity(value, *quantity) : std::to_string(value);
}

std::string fmt_name(std::string_view section, std::string_view row, std::string_view knob) {
    return std::string(section) + "." + std::string(row) + "." + std::string(knob);
}

/// A drive in which each key can have another value: with bank groups, room for the map, and what
/// parts give together or not at all.
constexpr const char* kBase =
    "[ftl]\ngc_high = 9\n[nand]\nvccq = \"1.8V\"\n"
    "[dram]\nsize = \"96MiB\"\nbank_groups = 2\ndevices = 4\nvdd = \"1.5V\"\nidd0 = \"110mA\"\n"
    "idd2n = \"42mA\"\nidd3n = \"45mA\"\nidd4r = \"270mA\"\n"
    "idd4w = \"280mA\"\nidd5 = \"215mA\"\n";

/// Values of keys whose change must go with the rest of the drive, or which have no default to
/// derive another value from.
const std::map<std::string, std::string>& chosen_values() {
    static const std::map<std::string, std::string> values{
        {"dram.part", "ddr3-1600"},   // the only part sure to exist
        {"ftl.partition", "static"},  // the other needs another ftl.scheme as well
        {"nand.interface", "custom"}, // the others give other times as well
        {"cpu.look_up", "none"},      // the others need a buffer of another kind and size as well
        {"ecc.errors", "none"},       // the others need ecc.engine as well
        {"host.fdp.handles", "0"},    // others need another host.interface as well
        {"power_loss.cuts", "0"},     // others need another fidelity as well
        {"ftl.scheme", "page"},       // others need another alloc.scheme as well
        {"nand.part", "slc-4k-reference"},
        {"nand.t_read", "[\"20us\", \"30us\"]"},
        {"nand.t_program", "300us"},
        {"nand.bad_blocks", "0.001"},
        {"nand.program_failures", "1e-6"},
        {"nand.erase_failures", "1e-5"},
        {"nand.fault_list", "/dev/null"},
        {"dram.t_ck", "1500ps"},
        {"dram.bus_bits", "64"},
        {"dram.burst_length", "4"},
        {"dram.banks", "16"},
        {"dram.row_bytes", "8KiB"},
        {"dram.cl", "12"},
        {"dram.cwl", "9"},
        {"dram.t_rcd", "13"},
        {"dram.t_rp", "10"},
        {"dram.t_ras", "27"},
        {"dram.t_rc", "40"},
        {"dram.t_rrd", "6"},
        {"dram.t_faw", "25"},
        {"dram.t_ccd", "5"},
        {"dram.t_rtp", "7"},
        {"dram.t_wr", "14"},
        {"dram.t_wtr", "7"},
        {"dram.bank_groups", "4"},
        {"dram.t_ccd_l", "5"},
        {"dram.t_rrd_l", "6"},
        {"dram.t_wtr_l", "8"},
        {"dram.t_rp_ab", "12"},
        {"dram.t_rfc", "209"},
        {"dram.t_refi", "6241"},
        {"dram.devices", "8"},
        {"dram.idd0", "120mA"},
        {"dram.idd2n", "40mA"},
        {"dram.idd3n", "44mA"},
        {"dram.idd4r", "260mA"},
        {"dram.idd4w", "270mA"},
        {"dram.idd5", "220mA"},
        {"nand.planes", "2"},
        {"nand.slc_blocks", "0"},   // others need another ftl.scheme as well
        {"nand.one_shot", "false"}, // the other needs several page types as well
        {"nand.blocks_per_plane", "4096"},
        {"nand.pages_per_block", "128"},
        {"nand.page_size", "4KiB"},
        {"nand.spare_size", "128B"},
        {"nand.t_erase", "2ms"},
        {"nand.bus_cycle", "25ns"},
        {"nand.bus_rate", "100MT/s"},
        {"nand.command_cycle", "40ns"},
        {"ftl.gc_low", "3"}, // with gc_high = 9, see below
        {"ftl.gc_high", "7"},
        {"ftl.gc_unit", "pages"},
        {"nand.retire_worn", "true"},
        {"nand.endurance", "5000"},
        {"ftl.dftl.lazy_invalidate", "true"},
        {"name", "another"},
        {"channel.rtl_top", "my_arbiter"},
        {"cpu.firmware", "mine.elf"},
        {"workload.device", "3"},
        {"host.generation", "3"},
        {"host.queue_depth", "16"},
        {"dram.size", "128MiB"},
        {"buffer.size", "8MiB"},
        {"channel.arbiter_clock", "100MHz"},
        {"fidelity", "untimed"},
    };
    return values;
}

/// Another value than the default, which leaves the drive possible: from kind, range and words, so
/// that a new key needs nothing here.
std::string other_value(const ConfigKey& key) {
    const auto chosen = chosen_values().find(key.name);
    if (chosen != chosen_values().end()) {
        return chosen->second;
    }
    const ConfigValue held = read_bare_value(key, key.fallback, {"", 1});
    switch (key.type) {
    case KeyType::kFlag:
        return std::get<bool>(held) ? "false" : "true";
    case KeyType::kReal: { // a quarter of the way to an end of the range
        const double value = std::get<double>(held);
        const double end = value < key.real_high ? key.real_high : key.real_low;
        return std::to_string(value + (end - value) / 4);
    }
    case KeyType::kWord:
    case KeyType::kWords: { // the next word
        const auto at = std::find(key.words.begin(), key.words.end(), key.fallback);
        const auto next = static_cast<std::size_t>(at - key.words.begin()) + 1;
        return key.words.at(next % key.words.size());
    }
    default: { // twice or half as much: a power of two stays one
        const auto value = std::get<std::uint64_t>(held);
        const std::uint64_t other = value == 0              ? std::max(key.low, std::uint64_t{3})
                                    : value <= key.high / 2 ? value * 2
                                                            : value / 2;
        return whole_text(key, other);
    }
    }
}

TEST_F(ConfigKeysTest, EveryKeySetsItsOwnMemberAndNoOther) {
    const ResolvedConfig base = load(kBase);
    // Resolved, the drive stands alone: a changed part name changes nothing else.
    const auto file = write("base.toml", config_to_toml(base, false));
    const std::set<std::string> single_word{
        "ftl.scheme", "ftl.partition",  "dram.part",        "cpu.look_up",   "nand.slc_blocks",
        "ecc.errors", "nand.interface", "host.fdp.handles", "nand.one_shot", "power_loss.cuts"};
    std::size_t built = 0;
    for (const ConfigKey& key : config_keys()) {
        ++built;
        const ResolvedConfig changed =
            load_config(file, {key.name + "=" + other_value(key)}, path("no-parts"));
        Names expected{key.name};
        if (single_word.count(key.name) != 0) {
            expected.clear();
        } else if (!key.excludes.empty()) { // both are bound to the time of a byte
            expected = {"nand.bus_cycle", "nand.bus_rate"};
        }
        EXPECT_EQ(differences(base.config, changed.config), expected) << key.name;
        EXPECT_NE(config_to_toml(changed).find("# --set"), std::string::npos) << key.name;
    }
    EXPECT_GE(built, 162u);
    for (const auto& [name, value] : chosen_values()) {
        EXPECT_TRUE(find_config_key(name).has_value()) << name << " is gone";
    }
}

/// The page that the policy of a configuration evicts first, of pages 0 to 3 in blocks of two,
/// written in the order 0, 2, 3.
std::uint64_t first_victim(const SsdConfig& config) {
    EvictionPolicyContext context;
    context.capacity = 4;
    context.geometry.pages_per_block = 2;
    const EvictionPolicyRow& row = *config.buffer.policy;
    const auto policy = row.make(context, config.buffer.policy_params[row]);
    const std::vector<std::uint64_t> pages{0, 2, 3};
    for (std::uint32_t i = 0; i < pages.size(); ++i) {
        policy->on_insert(FrameId{i}, Lpn{pages[i]}, Access::kWrite);
    }
    std::vector<FrameId> frames;
    EXPECT_TRUE(policy->pop_victim(frames, Pins()));
    return pages.at(raw(frames.front()));
}

TEST_F(ConfigKeysTest, AKeyMadeOfARowReachesThePolicy) {
    // A window of three pages finds the larger block, one of a page finds the LRU page.
    EXPECT_EQ(first_victim(load("", {"buffer.policy=ref"}).config), 2u);
    EXPECT_EQ(first_victim(load("", {"buffer.policy=ref", "buffer.ref.window=1"}).config), 0u);
    // The keys of another row change nothing.
    EXPECT_EQ(first_victim(load("", {"buffer.policy=ref", "buffer.cflru.window=1"}).config), 2u);
    const SsdConfig config = load("", {"buffer.ref.victims=7", "buffer.ref.refill=lru"}).config;
    const auto params =
        params_in<RefParams>(config.buffer.policy_params[*find_eviction_policy("ref")]);
    EXPECT_EQ(params.window, RefParams{}.window);
    EXPECT_EQ(params.victims, 7u);
    EXPECT_TRUE(params.refill_lru);
}

TEST_F(ConfigKeysTest, EveryKnobOfARowHasItsKeyAndTheDefaultOfItsMember) {
    std::size_t knobs = 0;
    const auto look_at = [&](const std::string& section, const auto& table) {
        for (const auto& row : table) {
            for (const Knob& knob : row.knobs) {
                const std::string name = fmt_name(section, row.name, knob.name);
                ASSERT_TRUE(find_config_key(name).has_value()) << name;
                EXPECT_EQ(config_keys()[*find_config_key(name)].fallback,
                          text_of(SsdConfig{}, name));
                ++knobs;
            }
        }
    };
    look_at("host", host_link_table());
    look_at("buffer", eviction_policy_table());
    look_at("buffer", eviction_trigger_table());
    look_at("alloc", allocator_table());
    look_at("ftl", ftl_table());
    look_at("ftl", victim_policy_table());
    EXPECT_GE(knobs, 48u);
    EXPECT_EQ(config_keys()[*find_config_key("buffer.clc.alpha")].fallback, "0.1");
    EXPECT_EQ(config_keys()[*find_config_key("buffer.idle.after")].fallback, "1ms");
}

TEST_F(ConfigKeysTest, KeysOfRowsReachLayersAllocatorsAndLinks) {
    const SsdConfig config =
        load("", {"ftl.scheme=fast", "alloc.scheme=stripe-block", "ftl.fast.random_logs=5",
                  "ftl.gc_policy=d-choices", "ftl.d-choices.d=9",
                  "alloc.block-round-robin.mode=move", "host.sata.queued_trim=true"})
            .config;
    const FtlParams params = DrivePlan(config).ftl_params;
    EXPECT_EQ(fast_random_logs(params), 5u);
    EXPECT_EQ(params_in<DChoicesParams>(params.gc_params).d, 9u);
    const AllocatorRow& row = *find_allocator("block-round-robin");
    EXPECT_EQ(row.mode_of(config.alloc.params[row]), RoundRobinMode::kMove);
    const HostConfig& host = config.host;
    EXPECT_FALSE(host.link->runs_alone(host, host.link_params[*host.link], RequestOp::kTrim));
    const HostConfig other = load("").config.host;
    EXPECT_TRUE(other.link->runs_alone(other, other.link_params[*other.link], RequestOp::kTrim));
    // The row that is not chosen keeps its own.
    EXPECT_EQ(fast_random_logs(load("", {"ftl.last.random_logs=7", "ftl.scheme=fast",
                                         "alloc.scheme=stripe-block"})
                                   .config.ftl_params),
              63u);
}

TEST_F(ConfigKeysTest, EverySentenceStandsAlone) {
    for (const ConfigKey& key : config_keys()) {
        const std::string first = key.meaning.substr(0, key.meaning.find(' '));
        for (const char* dependent : {"and", "then", "likewise", "or", "but", "also"}) {
            EXPECT_NE(first, dependent) << key.name;
        }
        EXPECT_EQ(key.meaning.find("likewise"), std::string::npos) << key.name;
        EXPECT_EQ(key.meaning.find("and so on"), std::string::npos) << key.name;
        EXPECT_GE(std::count(key.meaning.begin(), key.meaning.end(), ' '), 2) << key.name;
        EXPECT_EQ(key.words.size(), key.word_meanings.size()) << key.name;
    }
}

TEST_F(ConfigKeysTest, EveryChangedValueIsShownAndReadBack) {
    const auto file = write("base.toml", config_to_toml(load(kBase), false));
    for (const ConfigKey& key : config_keys()) {
        const ResolvedConfig changed =
            load_config(file, {key.name + "=" + other_value(key)}, path("no-parts"));
        const auto copy = write("copy.toml", config_to_toml(changed));
        const ResolvedConfig again = load_config(copy, {}, path("no-parts"));
        EXPECT_EQ(differences(changed.config, again.config), Names{}) << key.name;
    }
}

TEST_F(ConfigKeysTest, EveryWholeNumberIsRefusedJustOutsideItsRange) {
    std::size_t refused = 0;
    for (const ConfigKey& key : config_keys()) {
        if (!is_whole(key)) {
            continue;
        }
        Names values;
        if (key.low > 0) {
            values.push_back(whole_text(key, key.low - 1));
        }
        if (key.name != "seed") { // ends where TOML's numbers do
            values.push_back(whole_text(key, key.high + 1));
        }
        for (const std::string& value : values) {
            const std::string error = error_of("", {key.name + "=" + value});
            EXPECT_EQ(error.rfind("<command line>:1: " + key.name + " = ", 0), 0u) << error;
            EXPECT_NE(error.find(" is out of range; "), std::string::npos) << error;
            ++refused;
        }
    }
    EXPECT_GT(refused, 80u);
    EXPECT_NE(error_of("", {"seed=9223372036854775808"}), "no error");
    EXPECT_EQ(error_of("", {"seed=9223372036854775807"}), "no error");
}

TEST_F(ConfigKeysTest, EveryRealIsRefusedOutsideItsRange) {
    for (const ConfigKey& key : config_keys()) {
        if (key.type == KeyType::kReal) {
            for (const double value : {key.real_low - 0.5, key.real_high + 0.5}) {
                const std::string error = error_of("", {key.name + "=" + std::to_string(value)});
                EXPECT_NE(error.find(key.name + " = "), std::string::npos) << error;
                EXPECT_NE(error.find(" is out of range; a number "), std::string::npos) << error;
            }
        }
    }
}

TEST_F(ConfigKeysTest, EveryKeyRefusesADateAtItsLine) {
    for (const ConfigKey& key : config_keys()) {
        const std::string error = error_of("\n\n" + key.name + " = 1979-05-27\n");
        EXPECT_EQ(error.rfind("drive.toml:3: " + key.name + " is a date or time of day; ", 0), 0u)
            << error;
        EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    }
}

/// Settings without which a word is a contradiction.
Names needed_by(const std::string& key, const std::string& word) {
    if (key == "buffer.policy" && word != "none" && find_eviction_policy(word)->needs_read_cache) {
        return {"buffer.cache_reads=true"};
    }
    if (key == "ftl.scheme" && (find_ftl(word)->freedom == PlacementFreedom::kBlocks ||
                                find_ftl(word)->freedom == PlacementFreedom::kHomes)) {
        return {"alloc.scheme=stripe-block"};
    }
    if (key == "ftl.scheme" && find_ftl(word)->has_zones) {
        return {"alloc.scheme=stripe-page", "host.interface=nvme"};
    }
    if (key == "ftl.scheme" && find_ftl(word)->freedom == PlacementFreedom::kNone) {
        return {"alloc.scheme=stripe-page"};
    }
    if (key == "ftl.scheme" && find_ftl(word)->caches_in_slc) {
        return {"nand.part=tlc-16k", "nand.slc_blocks=8"};
    }
    if (key == "ftl.partition" && word == "adaptive") {
        return {"alloc.scheme=stripe-page", "ftl.scheme=dftl"};
    }
    if (key == "ecc.errors" && word != "none") {
        return {"ecc.engine=per-channel"};
    }
    if (key == "cpu.look_up" && word != "none") {
        return {"cpu.model=cost",         "nand.page_size=2KiB",    "buffer.size=32MiB",
                "buffer.policy=lru-page", "buffer.eviction=single", "buffer.cache_reads=true",
                "buffer.read_touch=true"};
    }
    return {};
}

TEST_F(ConfigKeysTest, EveryWordIsAccepted) {
    std::size_t accepted = 0;
    for (const ConfigKey& key : config_keys()) {
        for (const std::string& word : key.words) {
            Names settings = needed_by(key.name, word);
            settings.push_back(key.name + "=" + word);
            EXPECT_EQ(error_of("", settings), "no error") << key.name << word;
            ++accepted;
        }
    }
    EXPECT_GT(accepted, 50u);
}

TEST_F(ConfigKeysTest, EveryKeyIsNamedExplainedAndListedOnce) {
    std::set<std::string> names;
    const std::string list = list_config_keys();
    for (const ConfigKey& key : config_keys()) {
        EXPECT_TRUE(names.insert(key.name).second) << key.name;
        EXPECT_FALSE(key.meaning.empty()) << key.name;
        EXPECT_NE(list.find("\n" + key.name + " "), std::string::npos) << key.name;
        const std::string text = explain_config_key(key.name);
        EXPECT_NE(text.find(key.meaning), std::string::npos) << key.name;
        // A word field of two words that is stored as a flag has exactly two.
        SsdConfig config;
        if (key.type == KeyType::kWord && std::holds_alternative<bool*>(key.field(&config))) {
            EXPECT_EQ(key.words.size(), 2u) << key.name;
        }
    }
    EXPECT_EQ(static_cast<std::size_t>(std::count(list.begin(), list.end(), '\n')),
              config_keys().size() + 1);
}

TEST_F(ConfigKeysTest, ExplanationsNameDefaultSourceAndWords) {
    EXPECT_EQ(explain_config_key("host.queue_depth"),
              "host.queue_depth: the host keeps at most this many commands outstanding; NVMe: per "
              "submission queue\n"
              "  accepts  a whole number from 1 to 65536\n"
              "  default  32\n"
              "  source   Serial ATA 3.x: NCQ has 32 tags\n");
    const std::string policy = explain_config_key("buffer.policy");
    EXPECT_NE(policy.find("lru-block: All pages of the least recently used logical block"),
              std::string::npos)
        << policy;
    const std::string fidelity = explain_config_key("fidelity");
    EXPECT_NE(fidelity.find("available: at, untimed, sampled\n"), std::string::npos) << fidelity;
    try {
        (void)explain_config_key("buffer.polcy");
        FAIL() << "an unknown key was explained";
    } catch (const UserError& error) {
        EXPECT_EQ(std::string(error.what()),
                  "<command line>:1: unknown key \"buffer.polcy\"; did you mean "
                  "\"buffer.policy\"? \"cavern config list\" shows all keys");
    }
}

TEST_F(ConfigKeysTest, EveryKeyOfTheReferencePageIsKnown) {
    const Names known{"fidelity",
                      "seed",
                      "host.interface",
                      "host.generation",
                      "host.lanes",
                      "host.queues",
                      "host.queue_depth",
                      "host.bandwidth",
                      "dram.part",
                      "dram.size",
                      "dram.model",
                      "buffer.size",
                      "buffer.policy",
                      "buffer.eviction",
                      "buffer.ncq_aware",
                      "buffer.cache_reads",
                      "alloc.scheme",
                      "ftl.scheme",
                      "ftl.overprovision",
                      "ftl.gc_policy",
                      "ftl.gc_unit",
                      "ftl.gc_low",
                      "ftl.gc_high",
                      "ftl.log_blocks",
                      "ftl.map_cache",
                      "ftl.partition",
                      "ftl.wear_leveling",
                      "nand.part",
                      "nand.channels",
                      "nand.ways",
                      "nand.planes",
                      "nand.blocks_per_plane",
                      "nand.pages_per_block",
                      "nand.page_size",
                      "nand.t_read",
                      "nand.t_program",
                      "nand.t_erase",
                      "nand.bus_cycle",
                      "nand.bus_rate",
                      "channel.arbiter",
                      "channel.policy",
                      "workload.out_of_range",
                      "workload.arrival",
                      "workload.depth",
                      "workload.speedup",
                      "workload.device",
                      "precondition.fill",
                      "precondition.pattern",
                      "precondition.overwrite",
                      "cpu.model",
                      "cpu.firmware",
                      "cpu.clock",
                      "power_loss.at",
                      "power_loss.recovery",
                      "data.store"};
    for (const std::string& name : known) {
        EXPECT_TRUE(find_config_key(name).has_value()) << name;
    }
    EXPECT_FALSE(find_config_key("host").has_value());
}

TEST_F(ConfigKeysTest, AFileThatSpellsOutTheDefaultsLoads) {
    EXPECT_EQ(error_of(R"(
fidelity = "at"
seed = 1
[host]
interface = "sata"
generation = 2
lanes = 4
queues = 1
queue_depth = 32
bandwidth = "200MB/s"
[dram]
part = "ddr3-1600"
size = "64MiB"
model = "banked"
[buffer]
size = "16MiB"
policy = "lru-page"
eviction = "single"
ncq_aware = false
cache_reads = false
[alloc]
scheme = "block-round-robin"
[ftl]
scheme = "page"
overprovision = 0.07
gc_policy = "greedy"
gc_unit = "blocks"
gc_low = 1
gc_high = 2
log_blocks = 64
map_cache = "1MiB"
partition = "static"
wear_leveling = "none"
[nand]
part = "slc-k9xxg08uxa"
channels = 8
ways = 4
bus_cycle = "30ns"
[channel]
arbiter = "tlm"
policy = "round-robin"
[workload]
out_of_range = "error"
arrival = "trace"
speedup = 1.0
[precondition]
fill = 0.0
pattern = "sequential"
overwrite = 0.0
[cpu]
model = "none"
firmware = "build/firmware/lookup.elf"
clock = "400MHz"
[power_loss]
recovery = "oob-scan"
[data]
store = "none"
)"),
              "no error");
}

} // namespace
} // namespace cavern
