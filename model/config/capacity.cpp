#include "config/capacity.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/config_keys.h"
#include "core/drive/trim_map.h"
#include "core/ftl/ftl_table.h"

namespace cavern {

std::uint64_t host_capacity(const SsdConfig& config) {
    const Geometry geometry = drive_geometry(config);
    const std::uint64_t pages = logical_pages(*config.ftl.scheme, geometry, ftl_params(config));
    const std::uint64_t of_host =
        config.power_loss.happens() ? TrimMap::host_pages_of(pages, geometry.page_bytes) : pages;
    return of_host * geometry.page_bytes;
}

std::string size_text(std::uint64_t bytes) {
    constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    std::string text = fmt::format("{:.2f}", value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') {
        text.pop_back();
    }
    return text + " " + units[unit];
}

std::string capacity_text(const SsdConfig& config) {
    const Geometry& nand = config.nand.geometry;
    return fmt::format("{} for the host, {} of NAND", size_text(host_capacity(config)),
                       size_text(nand.pages() * nand.page_bytes));
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

} // namespace cavern
