#include <algorithm>

#include "config/resolved_config.h"
#include "config/rules.h"
#include "core/arbiter/channel_arbiter_if.h"
#include "core/base/check.h"
#include "core/base/error.h"
#include "core/base/sectors.h"
#include "core/data/sector_tag.h"

namespace cavern {
namespace {

// Page numbers times the pages of a die stay below 2^64 (core/base/divisor.h).
constexpr std::uint64_t kMaxPages = std::uint64_t{1} << 36;
constexpr std::uint64_t kMaxDiePages = std::uint64_t{1} << 28;
constexpr std::uint64_t kMax32Pages = 0xFFFF'FFFEu; // and dies of any size
constexpr std::uint64_t kMaxBlocks = 0xFFFF'FFFEu;  // a BlockId has 32 bits, one value means none

/// Neither SATA nor firmware that decides knows of them.
Refused stranger_rules(const DrivePlan& plan, const std::string& key, const std::string& what,
                       const std::string& off) {
    return first_broken(
        {{plan.host.link->name == "sata",
          {key, "host.interface"},
          fmt::format("{} with host.interface = sata, which has no {}", key, what),
          fmt::format("host.interface = nvme, or {}", off)},
         {plan.cpu.decides != Decides::kCore || executes_firmware(plan.cpu.model),
          {key, "cpu.decides", "cpu.model"},
          fmt::format("{} where firmware decides or runs, which has no {}", key, what),
          fmt::format("cpu.decides = core, cpu.model = none or cost, or {}", off)}});
}

} // namespace

Refused first_broken(std::initializer_list<Rule> rules) {
    const auto* rule = std::find_if(rules.begin(), rules.end(),
                                    [](const Rule& candidate) { return candidate.broken; });
    return rule == rules.end() ? Refused{} : Refusal{rule->keys, rule->what, rule->right};
}

Refusal in_words_of(const std::string& scheme, KeyNames keys) {
    const std::size_t half = scheme.find("; ");
    CAVERN_CHECK(half != std::string::npos, "a reason says what is wrong; what is right");
    return {std::move(keys), scheme.substr(0, half), scheme.substr(half + 2)};
}

Refused host_rules(const DrivePlan& plan) {
    return plan.host.link->problem(plan.host, plan.host.link_params[*plan.host.link]);
}

/// What cannot stand beside handles, each with the key that would have to change.
Refused handle_rules(const DrivePlan& plan) {
    const std::string key = "host.fdp.handles";
    if (plan.host.fdp.handles == 0) {
        return {};
    }
    if (Refused stranger = stranger_rules(plan, key, "placement identifiers", key + " = 0")) {
        return stranger;
    }
    const FtlParams& ftl = plan.ftl_params;
    const auto beside = [&](bool broken, KeyNames keys, const std::string& other,
                            const std::string& right) {
        keys.insert(keys.begin(), key);
        return Rule{broken, std::move(keys), fmt::format("{} with {}", key, other), right};
    };
    return first_broken(
        {beside(plan.ftl.scheme->name != "page", {"ftl.scheme"},
                fmt::format("ftl.scheme = {}", plan.ftl.scheme->name), "ftl.scheme = page"),
         beside(ftl.hot_cold, {"ftl.hot_cold"}, "ftl.hot_cold = true", "one of them"),
         beside(ftl.gc_shared_frontier, {"ftl.gc_shared_frontier"}, "ftl.gc_shared_frontier = true",
                "one of them"),
         beside(ftl.gc_in_pages, {"ftl.gc_unit"}, "ftl.gc_unit = pages", "ftl.gc_unit = blocks"),
         beside(ftl.wear_leveling == WearLeveling::kStatic, {"ftl.wear_leveling"},
                "ftl.wear_leveling = static", "ftl.wear_leveling = dynamic or none"),
         beside(plan.geometry.page_bytes != plan.nand.geometry.page_bytes, {"ftl.unit"},
                "a ftl.unit smaller than a page", "ftl.unit = page"),
         beside(ftl.faults.any(),
                {"nand.bad_blocks", "nand.program_failures", "nand.erase_failures",
                 "nand.retire_worn", "nand.fault_list"},
                "bad blocks or failures", "one of them")});
}

/// A zone is written in order, and what is written stays until it is reset.
Refused zone_rules(const DrivePlan& plan) {
    if (!plan.ftl.scheme->has_zones) {
        return {};
    }
    if (Refused stranger = stranger_rules(plan, "ftl.scheme", "zones", "ftl.scheme = page")) {
        return stranger;
    }
    const std::string with = fmt::format("ftl.scheme = {}", plan.ftl.scheme->name);
    const PreconditionConfig& before = plan.precondition;
    const EvictionPolicyRow* policy = plan.buffer.policy;
    return first_broken(
        {{before.fill != 0 || before.overwrite != 0 || before.until_steady,
          {"ftl.scheme", "precondition.fill", "precondition.overwrite", "precondition.until"},
          with + " in a drive that is preconditioned",
          "precondition.fill = 0, and a workload that fills zones"},
         {policy != nullptr && policy->name == "bplru",
          {"ftl.scheme", "buffer.policy"},
          with + " with buffer.policy = bplru, which pads blocks",
          "another buffer.policy"}});
}

Refused geometry_rules(const DrivePlan& plan) {
    const Geometry& g = plan.nand.geometry;
    const std::uint64_t slots = std::uint64_t{g.ways} * g.dies_per_way;
    // Factor by factor: the product of the largest values does not fit 64 bits.
    const std::uint64_t dies = g.channels * slots;
    const std::uint64_t die_blocks = std::uint64_t{g.planes_per_die} * g.blocks_per_plane;
    const std::uint64_t blocks = dies * std::min(die_blocks, kMaxBlocks + 1);
    const std::uint64_t block_pages = plan.geometry.pages_per_block; // mapping units
    const std::uint64_t pages =
        blocks > kMaxPages / block_pages ? kMaxPages + 1 : blocks * block_pages;
    const KeyNames factors{
        "nand.channels",        "nand.ways", "nand.dies", "nand.planes", "nand.blocks_per_plane",
        "nand.pages_per_block", "ftl.unit"};
    return first_broken(
        {{!is_power_of_two(g.page_bytes),
          {"nand.page_size"},
          fmt::format("nand.page_size = {} bytes is no power of two", g.page_bytes),
          "512B, 1KiB, 2KiB, ... 64KiB"},
         {g.spare_bytes > g.page_bytes,
          {"nand.spare_size", "nand.page_size"},
          fmt::format("a spare area of {} bytes on a page of {}", g.spare_bytes, g.page_bytes),
          "nand.spare_size at most nand.page_size"},
         {slots > kMaxRequesters,
          {"nand.ways", "nand.dies"},
          fmt::format("{} ways of {} dies are {} dies on a channel", g.ways, g.dies_per_way, slots),
          fmt::format("at most {}: one request line of the arbiter each", kMaxRequesters)},
         {blocks > kMaxBlocks,
          {"nand.channels", "nand.ways", "nand.dies", "nand.planes", "nand.blocks_per_plane"},
          fmt::format("the drive has more than {} blocks", kMaxBlocks),
          "fewer channels, ways, dies, planes or blocks"},
         {pages > kMaxPages, factors, fmt::format("the drive has more than {} pages", kMaxPages),
          "fewer channels, ways, dies, planes, blocks or pages"},
         {pages > kMax32Pages && die_blocks * block_pages > kMaxDiePages, factors,
          fmt::format("a die has more than {} pages in a drive of more than {}", kMaxDiePages,
                      kMax32Pages),
          "more dies, or smaller ones"}});
}

Refused clock_rules(const DrivePlan& plan) {
    const auto whole = [](const char* key, std::uint64_t hertz) {
        return Rule{kSecond % hertz != 0,
                    {key},
                    fmt::format("a period of {} Hz is no whole number of picoseconds", hertz),
                    "a frequency that divides 1000 GHz, such as 200MHz or 250MHz"};
    };
    return first_broken(
        {whole("channel.arbiter_clock", plan.channel.arbiter_hz), whole("cpu.clock", plan.cpu.hz)});
}

Refused processor_rules(const DrivePlan& plan) {
    const CpuConfig& cpu = plan.cpu;
    const bool executes = executes_firmware(cpu.model);
    return first_broken({{executes && cpu.cores != 1,
                          {"cpu.cores", "cpu.model"},
                          fmt::format("cpu.cores = {} where firmware is executed", cpu.cores),
                          "cpu.cores = 1, or cpu.model = cost"},
                         {executes && cpu.decides == Decides::kCore,
                          {"cpu.decides", "cpu.model"},
                          "cpu.decides = core where firmware is executed",
                          "cpu.decides = firmware or lockstep, or cpu.model = none"}});
}

/// The firmware's data cache holds the pages of the buffer, which must work as the cache does:
/// pages read and written in the order of their use, the oldest leaving when there is no room.
Refused look_up_rules(const DrivePlan& plan) {
    const CpuConfig& cpu = plan.cpu;
    if (cpu.look_up == CpuLookUp::kNone) {
        return {};
    }
    const std::string_view name = name_of(cpu.look_up);
    const BufferConfig& buffer = plan.buffer;
    const bool in_order = buffer.policy != nullptr && buffer.policy->name == "lru-page" &&
                          buffer.cache_reads && buffer.read_touch;
    const bool on_demand = buffer.eviction.size() == 1 && buffer.eviction[0]->name == "single";
    const std::uint64_t page = plan.geometry.page_bytes;
    const std::uint64_t pages = plan.geometry.pages();
    if (Refused broken = first_broken(
            {{cpu.model != CpuModel::kCost,
              {"cpu.model", "cpu.look_up"},
              "cpu.look_up without cpu.model = cost",
              "cpu.model = cost, or cpu.look_up = none"},
             {find_look_up_cycles(name, cpu.look_up_groups) == nullptr,
              {"cpu.look_up", "cpu.look_up_groups"},
              fmt::format("look-up {} has not been measured with {} groups", name,
                          cpu.look_up_groups),
              "cpu.look_up_groups = " + measured_groups(name)},
             {!in_order || !on_demand,
              {"cpu.look_up", "buffer.policy", "buffer.cache_reads", "buffer.read_touch",
               "buffer.eviction"},
              "cpu.look_up before a buffer that is not the firmware's data cache",
              "buffer.policy = lru-page, cache_reads = true, read_touch = true, eviction = single"},
             {buffer.bytes / page != kMeasuredFrames,
              {"cpu.look_up", "buffer.size", "nand.page_size", "ftl.unit"},
              fmt::format("no look-up has been measured with {} frames", buffer.bytes / page),
              fmt::format("buffer.size = {}, which is {} pages",
                          size_of(std::uint64_t{kMeasuredFrames} * page), kMeasuredFrames)}})) {
        return broken;
    }
    const char* refused = LookUpCost::why_not(look_up_params(plan, pages));
    return first_broken(
        {{refused != nullptr,
          {"cpu.look_up", "nand.page_size", "ftl.unit", "nand.channels", "nand.ways", "nand.dies",
           "nand.planes", "nand.blocks_per_plane", "nand.pages_per_block"},
          fmt::format("cpu.look_up before a drive of {} pages", pages),
          refused != nullptr ? refused : ""}});
}

Refused data_rules(const DrivePlan& plan) {
    const bool keeps = plan.data.store != DataStore::kNone;
    const Geometry& geometry = plan.geometry;
    return first_broken({{keeps && geometry.page_bytes > kMaxSectors * kSectorBytes,
                          {"data.store", "nand.page_size", "ftl.unit"},
                          fmt::format("data.store of pages of {}", size_of(geometry.page_bytes)),
                          "a ftl.unit of 32KiB at most, or data.store = none"},
                         {keeps && geometry.raw_bytes() / kSectorBytes > SectorTag::kMostSectors,
                          {"data.store", "nand.channels", "nand.blocks_per_plane"},
                          "data.store of a drive of more than 32 TiB",
                          "a smaller drive, or data.store = none"}});
}

void check_config(const ResolvedConfig& resolved, const std::string& file) {
    for (const auto& rules :
         {unit_rules,      host_rules,          handle_rules,    zone_rules,       geometry_rules,
          page_type_rules, one_shot_rules,      die_rules,       clock_rules,      processor_rules,
          sdram_rules,     map_traffic_rules,   frame_rules,     buffer_rules,     watermark_rules,
          slc_rules,       own_rules_of_layers, placement_rules, map_memory_rules, collection_rules,
          layer_rules,     look_up_rules,       data_rules,      ecc_rules,        supply_rules,
          sampled_rules,   power_loss_rules,    recovery_rules}) {
        if (const Refused refused = rules(resolved.config)) {
            const SettingOrigin at = latest_origin(resolved, refused->keys)
                                         .value_or(SettingOrigin{Layer::kDefault, 0, file, 1});
            throw UserError(at.file, at.line, refused->what, refused->right);
        }
    }
}

std::optional<SettingOrigin> latest_origin(const ResolvedConfig& resolved,
                                           const std::vector<std::string>& keys) {
    std::optional<SettingOrigin> latest;
    for (const std::string& name : keys) {
        const auto key = find_config_key(name);
        CAVERN_CHECK(key.has_value(), "a checked key is in the table");
        const auto& setting = resolved.settings[*key];
        if (setting && setting->origin.layer != Layer::kDefault &&
            (!latest || setting->origin.rank > latest->rank ||
             (setting->origin.rank == latest->rank && setting->origin.line > latest->line))) {
            latest = setting->origin;
        }
    }
    return latest;
}

} // namespace cavern
