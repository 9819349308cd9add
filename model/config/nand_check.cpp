#include "config/nand_check.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/units.h"

namespace cavern {
namespace {

std::string text(TimePs time) {
    return format_quantity(time, Quantity::kTime);
}

TimePs least(const std::vector<TimePs>& times) {
    return *std::min_element(times.begin(), times.end());
}

/// What does not go with word lines that are programmed in one shot.
std::optional<ConfigProblem> find_one_shot_problem(const DrivePlan& config) {
    const NandTiming& t = config.nand.timing;
    const std::uint32_t pages = t.page_types();
    const auto of_word_line = [pages](std::size_t types) { return types == 1 || types == pages; };
    if (pages == 1 || !of_word_line(t.t_r.size()) || !of_word_line(t.t_prog.size())) {
        return ConfigProblem{{"nand.one_shot", "nand.t_read", "nand.t_program"},
                             fmt::format("nand.one_shot of a part of {} times to read and {} to "
                                         "program",
                                         t.t_r.size(), t.t_prog.size()),
                             "as many as pages in a word line, 2 at least; or nand.one_shot = "
                             "false"};
    }
    if (!config.ftl.scheme->supports_units) {
        return ConfigProblem{{"nand.one_shot", "ftl.scheme"},
                             fmt::format("nand.one_shot with ftl.scheme = {}, which programs pages "
                                         "one by one",
                                         config.ftl.scheme->name),
                             "ftl.scheme = page or slc-cache, or nand.one_shot = false"};
    }
    const std::uint32_t units = config.geometry.units_per_program();
    if (units > kMaxUnits) {
        return ConfigProblem{
            {"nand.one_shot", "ftl.unit", "nand.page_size"},
            fmt::format("nand.one_shot of {} mapping units", units),
            fmt::format("a larger ftl.unit: {} in a word line at most", kMaxUnits)};
    }
    if (t.copy_back.on) {
        return ConfigProblem{{"nand.one_shot", "nand.copy_back"},
                             "nand.one_shot and nand.copy_back, which is of a single page",
                             "nand.copy_back = false, or nand.one_shot = false"};
    }
    if (config.dram.copy_pages != 0 && config.dram.copy_pages < pages) {
        return ConfigProblem{{"dram.copy_pages", "nand.one_shot"},
                             fmt::format("dram.copy_pages = {} and word lines of {} pages, which "
                                         "wait there for each other",
                                         config.dram.copy_pages, pages),
                             fmt::format("0, or {} at least", pages)};
    }
    const std::uint32_t slc_pages = config.geometry.slc_pages;
    if (config.ftl.params.gc_placement != GcPlacement::kPlane && slc_pages % units != 0) {
        return ConfigProblem{{"nand.one_shot", "ftl.gc_placement", "nand.pages_per_block"},
                             fmt::format("nand.one_shot across planes with {} NAND pages in a "
                                         "block in SLC mode",
                                         config.nand.geometry.pages_per_block / pages),
                             fmt::format("a multiple of {}, or ftl.gc_placement = plane", pages)};
    }
    return std::nullopt;
}

} // namespace

std::optional<ConfigProblem> find_nand_problem(const DrivePlan& config) {
    const NandTiming& t = config.nand.timing;
    const std::uint32_t pages = config.nand.geometry.pages_per_block;
    for (const auto& [key, types] :
         {std::pair<std::string, std::size_t>{"nand.t_read", t.t_r.size()},
          {"nand.t_program", t.t_prog.size()}}) {
        if (pages % types != 0) {
            return ConfigProblem{{key, "nand.pages_per_block"},
                                 fmt::format("{} page types and {} pages in a block", types, pages),
                                 "nand.pages_per_block a multiple of the entries of " + key};
        }
    }
    if (t.one_shot.on) {
        if (auto problem = find_one_shot_problem(config)) {
            return problem;
        }
    }
    const bool slc = config.nand.geometry.slc_blocks != 0;
    const TimePs t_r = slc ? std::min(least(t.t_r), t.slc_t_r) : least(t.t_r);
    const std::vector<TimePs> programs = t.program_times();
    const TimePs t_prog = slc ? std::min(least(programs), t.slc_t_prog) : least(programs);
    const bool planes_program = config.nand.multi_plane && config.nand.geometry.planes_per_die > 1;
    if (t.copy_back.on && planes_program) {
        return ConfigProblem{{"nand.copy_back", "nand.multi_plane", "nand.planes"},
                             "nand.copy_back and nand.multi_plane: a copy-back is of one plane",
                             "nand.multi_plane = false, or nand.copy_back = false"};
    }
    if (t.copy_back.on && config.geometry.units_per_page != 1) {
        return ConfigProblem{
            {"nand.copy_back", "ftl.unit", "nand.page_size"},
            "nand.copy_back and an ftl.unit below a page: a copy-back is of a whole page",
            "ftl.unit = page, or nand.copy_back = false"};
    }
    if (t.copy_back.on && (t.suspend.any() || t.cache.programs)) {
        return ConfigProblem{
            {"nand.copy_back", "nand.program_suspend", "nand.erase_suspend", "nand.cache_program"},
            "nand.copy_back, and suspend or cache programs, of one die",
            "nand.program_suspend, erase_suspend and cache_program = false, or "
            "nand.copy_back = false"};
    }
    if (t.copy_back.on && config.ecc.errors.model != BitErrors::kNone) {
        return ConfigProblem{{"nand.copy_back", "ecc.errors"},
                             "nand.copy_back of pages with bit errors, which nobody corrects",
                             "nand.copy_back = false, or ecc.errors = none"};
    }
    if (t.polls.on && (t.suspend.any() || t.cache.any() || t.copy_back.on)) {
        return ConfigProblem{
            {"nand.ready", "nand.program_suspend", "nand.erase_suspend", "nand.cache_read",
             "nand.cache_program", "nand.copy_back"},
            "nand.ready = poll, and suspend, the cache register or copy-back of one die",
            "nand.ready = pin, or program_suspend, erase_suspend, cache_read, cache_program and "
            "copy_back = false"};
    }
    if (t.cache.reads && t.cache.t_rcbsy > t_r) {
        return ConfigProblem{{"nand.t_rcbsy", "nand.t_read", "nand.slc_t_read", "nand.cache_read"},
                             fmt::format("nand.t_rcbsy = {}, and a read takes the array {}",
                                         text(t.cache.t_rcbsy), text(t_r)),
                             "nand.t_rcbsy at most nand.t_read"};
    }
    if (t.cache.programs && t.cache.t_cbsy > t_prog) {
        return ConfigProblem{
            {"nand.t_cbsy", "nand.t_program", "nand.slc_t_program", "nand.cache_program"},
            fmt::format("nand.t_cbsy = {}, and a program takes the array {}", text(t.cache.t_cbsy),
                        text(t_prog)),
            "nand.t_cbsy at most nand.t_program"};
    }
    return std::nullopt;
}

} // namespace cavern
