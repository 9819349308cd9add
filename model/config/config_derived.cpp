#include "config/config_derived.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/config_value.h"

namespace cavern {
namespace {

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
