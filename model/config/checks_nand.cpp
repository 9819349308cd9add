#include <algorithm>
#include <array>

#include "config/rules.h"

namespace cavern {
namespace {

std::string text(TimePs time) {
    return format_quantity(time, Quantity::kTime);
}

TimePs least(const std::vector<TimePs>& times) {
    return *std::min_element(times.begin(), times.end());
}

} // namespace

Refused page_type_rules(const DrivePlan& plan) {
    const std::uint32_t pages = plan.nand.geometry.pages_per_block;
    const auto divides = [pages](const std::string& key, std::size_t types) {
        return Rule{pages % types != 0,
                    {key, "nand.pages_per_block"},
                    fmt::format("{} page types and {} pages in a block", types, pages),
                    "nand.pages_per_block a multiple of the entries of " + key};
    };
    return first_broken({divides("nand.t_read", plan.nand.timing.t_r.size()),
                         divides("nand.t_program", plan.nand.timing.t_prog.size())});
}

/// What does not go with word lines that are programmed in one shot.
Refused one_shot_rules(const DrivePlan& plan) {
    const NandTiming& t = plan.nand.timing;
    if (!t.one_shot.on) {
        return {};
    }
    const std::uint32_t pages = t.page_types();
    const auto of_word_line = [pages](std::size_t types) { return types == 1 || types == pages; };
    const std::uint32_t units = plan.geometry.units_per_program();
    const std::uint32_t copies = plan.dram.copy_pages;
    const bool joined = plan.ftl.params.gc_placement != GcPlacement::kPlane;
    return first_broken(
        {{pages == 1 || !of_word_line(t.t_r.size()) || !of_word_line(t.t_prog.size()),
          {"nand.one_shot", "nand.t_read", "nand.t_program"},
          fmt::format("nand.one_shot of a part of {} times to read and {} to program", t.t_r.size(),
                      t.t_prog.size()),
          "as many as pages in a word line, 2 at least; or nand.one_shot = false"},
         {!plan.ftl.scheme->supports_units,
          {"nand.one_shot", "ftl.scheme"},
          fmt::format("nand.one_shot with ftl.scheme = {}, which programs pages one by one",
                      plan.ftl.scheme->name),
          "ftl.scheme = page or slc-cache, or nand.one_shot = false"},
         {units > kMaxUnits,
          {"nand.one_shot", "ftl.unit", "nand.page_size"},
          fmt::format("nand.one_shot of {} mapping units", units),
          fmt::format("a larger ftl.unit: {} in a word line at most", kMaxUnits)},
         {t.copy_back.on,
          {"nand.one_shot", "nand.copy_back"},
          "nand.one_shot and nand.copy_back, which is of a single page",
          "nand.copy_back = false, or nand.one_shot = false"},
         {copies != 0 && copies < pages,
          {"dram.copy_pages", "nand.one_shot"},
          fmt::format("dram.copy_pages = {} and word lines of {} pages, which wait there for each "
                      "other",
                      copies, pages),
          fmt::format("0, or {} at least", pages)},
         {joined && plan.geometry.slc_pages % units != 0,
          {"nand.one_shot", "ftl.gc_placement", "nand.pages_per_block"},
          fmt::format("nand.one_shot across planes with {} NAND pages in a block in SLC mode",
                      plan.nand.geometry.pages_per_block / pages),
          fmt::format("a multiple of {}, or ftl.gc_placement = plane", pages)}});
}

/// What keeps the commands of the dies from working together.
Refused die_rules(const DrivePlan& plan) {
    const NandTiming& t = plan.nand.timing;
    const Geometry& nand = plan.nand.geometry;
    const bool slc = nand.slc_blocks != 0;
    const TimePs t_r = slc ? std::min(least(t.t_r), t.slc_t_r) : least(t.t_r);
    const std::vector<TimePs> programs = t.program_times();
    const TimePs t_prog = slc ? std::min(least(programs), t.slc_t_prog) : least(programs);
    const bool copies = t.copy_back.on;
    return first_broken(
        {{copies && plan.nand.multi_plane && nand.planes_per_die > 1,
          {"nand.copy_back", "nand.multi_plane", "nand.planes"},
          "nand.copy_back and nand.multi_plane: a copy-back is of one plane",
          "nand.multi_plane = false, or nand.copy_back = false"},
         {copies && plan.geometry.units_per_page != 1,
          {"nand.copy_back", "ftl.unit", "nand.page_size"},
          "nand.copy_back and an ftl.unit below a page: a copy-back is of a whole page",
          "ftl.unit = page, or nand.copy_back = false"},
         {copies && (t.suspend.any() || t.cache.programs),
          {"nand.copy_back", "nand.program_suspend", "nand.erase_suspend", "nand.cache_program"},
          "nand.copy_back, and suspend or cache programs, of one die",
          "nand.program_suspend, erase_suspend and cache_program = false, or nand.copy_back = "
          "false"},
         {copies && plan.ecc.errors.model != BitErrors::kNone,
          {"nand.copy_back", "ecc.errors"},
          "nand.copy_back of pages with bit errors, which nobody corrects",
          "nand.copy_back = false, or ecc.errors = none"},
         {t.polls.on && (t.suspend.any() || t.cache.any() || copies),
          {"nand.ready", "nand.program_suspend", "nand.erase_suspend", "nand.cache_read",
           "nand.cache_program", "nand.copy_back"},
          "nand.ready = poll, and suspend, the cache register or copy-back of one die",
          "nand.ready = pin, or program_suspend, erase_suspend, cache_read, cache_program and "
          "copy_back = false"},
         {t.cache.reads && t.cache.t_rcbsy > t_r,
          {"nand.t_rcbsy", "nand.t_read", "nand.slc_t_read", "nand.cache_read"},
          fmt::format("nand.t_rcbsy = {}, and a read takes the array {}", text(t.cache.t_rcbsy),
                      text(t_r)),
          "nand.t_rcbsy at most nand.t_read"},
         {t.cache.programs && t.cache.t_cbsy > t_prog,
          {"nand.t_cbsy", "nand.t_program", "nand.slc_t_program", "nand.cache_program"},
          fmt::format("nand.t_cbsy = {}, and a program takes the array {}", text(t.cache.t_cbsy),
                      text(t_prog)),
          "nand.t_cbsy at most nand.t_program"}});
}

Refused ecc_rules(const DrivePlan& plan) {
    const EccParams& ecc = plan.ecc;
    const ErrorParams& errors = ecc.errors;
    const std::size_t coded = page_shares(errors.coding).size();
    const std::size_t types = plan.nand.timing.page_types();
    const std::uint64_t unit = plan.geometry.page_bytes;
    return first_broken(
        {{!is_power_of_two(ecc.codeword),
          {"ecc.codeword"},
          fmt::format("ecc.codeword = {} bytes is no power of two", ecc.codeword),
          "512B, 1KiB, 2KiB, ... 64KiB"},
         {!ecc.engine && errors.model != BitErrors::kNone,
          {"ecc.engine", "ecc.errors"},
          "ecc.errors where error correction takes no time",
          "ecc.engine = per-channel, or ecc.errors = none"},
         {ecc.engine && errors.soft_reads != 0 && errors.soft_correctable < errors.correctable,
          {"ecc.correctable", "ecc.soft_reads", "ecc.soft_correctable"},
          fmt::format("ecc.soft_correctable = {} and ecc.correctable = {}", errors.soft_correctable,
                      errors.correctable),
          "ecc.soft_correctable at least ecc.correctable"},
         {ecc.engine && coded != 0 && types > 1 && coded != types,
          {"ecc.coding", "nand.part", "nand.t_read", "nand.t_program"},
          fmt::format("ecc.coding for {} page types, and the part has {}", coded, types),
          "a coding with as many, or even"},
         {ecc.engine && ecc.codeword > unit,
          {"ecc.engine", "ecc.codeword", "ftl.unit", "nand.page_size"},
          fmt::format("ecc.codeword = {} on mapping units of {}", size_of(ecc.codeword),
                      size_of(unit)),
          fmt::format("ecc.codeword at most {}", size_of(unit))}});
}

/// A current without its voltage, an SDRAM with some of its currents, or currents that IDD cannot
/// have.
Refused supply_rules(const DrivePlan& plan) {
    const NandCurrents& nand = plan.nand.currents;
    const auto without = [](std::uint64_t current, const std::string& key, std::uint64_t voltage,
                            const std::string& supply) {
        return Rule{current != 0 && voltage == 0,
                    {key, supply},
                    key + " without " + supply,
                    "both, or neither"};
    };
    struct Supply {
        const char* key;
        std::uint64_t value;
        std::uint64_t background; ///< that it contains
    };
    const SdramCurrents& dram = plan.dram.currents;
    const std::array<Supply, 8> all{{{"dram.devices", dram.devices, 0},
                                     {"dram.vdd", dram.vdd_mv, 0},
                                     {"dram.idd2n", dram.idd2n_na, 0},
                                     {"dram.idd3n", dram.idd3n_na, dram.idd2n_na},
                                     {"dram.idd0", dram.idd0_na, dram.idd3n_na},
                                     {"dram.idd4r", dram.idd4r_na, dram.idd3n_na},
                                     {"dram.idd4w", dram.idd4w_na, dram.idd3n_na},
                                     {"dram.idd5", dram.idd5_na, dram.idd3n_na}}};
    KeyNames keys;
    for (const Supply& supply : all) {
        keys.emplace_back(supply.key);
    }
    const auto given = [](const Supply& supply) { return supply.value != 0; };
    const auto* missing = std::find_if_not(all.begin(), all.end(), given);
    const auto* low = std::find_if(all.begin(), all.end(), [](const Supply& supply) {
        return supply.value < supply.background;
    });
    const std::string lacks = missing == all.end() ? "" : missing->key;
    const std::string sinks = low == all.end() ? "" : low->key;
    return first_broken({without(nand.icc_read_na, "nand.icc_read", nand.vcc_mv, "nand.vcc"),
                         without(nand.icc_program_na, "nand.icc_program", nand.vcc_mv, "nand.vcc"),
                         without(nand.icc_erase_na, "nand.icc_erase", nand.vcc_mv, "nand.vcc"),
                         without(nand.icc_bus_na, "nand.icc_bus", nand.vcc_mv, "nand.vcc"),
                         without(nand.icc_standby_na, "nand.icc_standby", nand.vcc_mv, "nand.vcc"),
                         without(nand.iccq_bus_na, "nand.iccq_bus", nand.vccq_mv, "nand.vccq"),
                         {!lacks.empty() && std::any_of(all.begin(), all.end(), given), keys,
                          "some currents of the SDRAM are given, and not " + lacks,
                          "all of dram.devices, dram.vdd and dram.idd..., or none"},
                         {!sinks.empty(),
                          {sinks, "dram.idd2n", "dram.idd3n"},
                          sinks + " lies below the background current",
                          "dram.idd2n at most dram.idd3n, and dram.idd3n at most the others"}});
}

} // namespace cavern
