#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "workload/field.h"
#include "workload/fit.h"
#include "workload/job_text.h"
#include "workload/toml_value.h"

namespace cavern {
namespace {

struct TargetValue : TomlValue {
    [[nodiscard]] double number(double min, double max) const {
        const auto value = node.value<double>();
        if (node.is_string() || !value || !(*value >= min && *value <= max)) {
            fail("is no number from " + std::to_string(min) + " to " + std::to_string(max),
                 "write a number, without a unit");
        }
        return *value;
    }
};

struct TargetKey {
    std::string_view name;
    void (*read)(const TargetValue&, FitTarget&);
};
constexpr double kMostGiB = 1024.0 * 1024;
constexpr std::array kTargetKeys{
    TargetKey{"name", [](const TargetValue& v, FitTarget& t) { t.name = v.text(); }},
    TargetKey{"requests",
              [](const TargetValue& v, FitTarget& t) {
                  t.requests = static_cast<std::uint64_t>(v.number(1000, 1e9));
              }},
    TargetKey{"reads_percent",
              [](const TargetValue& v, FitTarget& t) { t.read_share = v.number(0, 100) / 100; }},
    TargetKey{"read_mean_kib",
              [](const TargetValue& v, FitTarget& t) { t.read_mean = v.number(0.5, 4096) * 1024; }},
    TargetKey{"write_mean_kib", [](const TargetValue& v,
                                   FitTarget& t) { t.write_mean = v.number(0.5, 4096) * 1024; }},
    TargetKey{"random_percent", [](const TargetValue& v,
                                   FitTarget& t) { t.random_share = v.number(0.01, 100) / 100; }},
    TargetKey{"read_footprint_gib",
              [](const TargetValue& v, FitTarget& t) {
                  t.read_footprint = v.number(1e-4, kMostGiB) * kGiB;
              }},
    TargetKey{"write_footprint_gib",
              [](const TargetValue& v, FitTarget& t) {
                  t.write_footprint = v.number(1e-4, kMostGiB) * kGiB;
              }},
    TargetKey{"address_space_gib",
              [](const TargetValue& v, FitTarget& t) {
                  t.address_space = static_cast<std::uint64_t>(v.number(0.01, kMostGiB) * kGiB);
              }},
    TargetKey{"interarrival_us",
              [](const TargetValue& v, FitTarget& t) {
                  t.interarrival =
                      static_cast<TimePs>(v.number(1e-3, 1e12) * static_cast<double>(kUs));
              }},
    TargetKey{"distribution",
              [](const TargetValue& v, FitTarget& t) {
                  t.distribution_text = v.text();
                  try {
                      t.distribution = parse_distribution(t.distribution_text);
                  } catch (const JobTextError& error) {
                      v.fail(error.what(), error.right());
                  }
              }},
    TargetKey{"cluster",
              [](const TargetValue& v, FitTarget& t) {
                  const auto bytes = parse_quantity(v.text(), Quantity::kBytes);
                  if (!bytes || *bytes == 0 || JobSpec::kPieceBytes % *bytes != 0) {
                      v.fail("is no size of a neighbourhood",
                             "it is a power of two up to 4MiB, such as \"128KiB\"");
                  }
                  t.cluster = *bytes;
              }},
    TargetKey{"bs",
              [](const TargetValue& v, FitTarget& t) {
                  const auto bytes = parse_quantity(v.text(), Quantity::kBytes);
                  if (!bytes || *bytes < 512 || *bytes % 512 != 0 || *bytes > kMiB) {
                      v.fail("is no unit of sizes",
                             "it is a multiple of 512B up to 1MiB, such as \"4KiB\"");
                  }
                  t.unit = static_cast<std::uint32_t>(*bytes);
              }},
    TargetKey{"seed", [](const TargetValue& v,
                         FitTarget& t) { t.seed = static_cast<std::uint64_t>(v.number(0, 1e15)); }},
};

} // namespace

FitTarget parse_fit_target(std::string_view text, const std::string& file) {
    const toml::table root =
        parse_toml(text, file, "a description of a target is TOML with a table [target]");
    const toml::table* table = root["target"].as_table();
    if (table == nullptr) {
        throw UserError(file, 1, "there is no table [target]",
                        "it says what statistics the workload is to have");
    }
    FitTarget target;
    std::string names;
    for (const TargetKey& key : kTargetKeys) {
        names += (names.empty() ? "" : ", ") + std::string(key.name);
    }
    for (const auto& [name, node] : *table) {
        const std::string_view word = name.str(); // a binding cannot be captured in C++17
        const auto* key =
            std::find_if(kTargetKeys.begin(), kTargetKeys.end(),
                         [word](const TargetKey& candidate) { return candidate.name == word; });
        if (key == kTargetKeys.end()) {
            throw UserError(file, name.source().begin.line, "unknown key " + quote(name.str()),
                            "a target has the keys " + names);
        }
        key->read({{file, key->name, node}}, target);
    }
    const std::size_t line = table->source().begin.line;
    if (target.requests == 0 || target.address_space == 0) {
        throw UserError(file, line, "the target has no requests or no address_space_gib",
                        "both are needed");
    }
    if (target.cluster &&
        (*target.cluster % target.unit != 0 || (target.distribution.kind != Popularity::kZipf &&
                                                target.distribution.kind != Popularity::kPareto))) {
        throw UserError(file, line,
                        "the target has a cluster that is no multiple of its bs, or a "
                        "distribution without popular places",
                        "cluster goes with zipf or pareto, and is at least bs");
    }
    for (const auto& footprint : {target.read_footprint, target.write_footprint}) {
        if (footprint && *footprint > static_cast<double>(target.address_space)) {
            throw UserError(file, line, "a footprint is larger than the address space",
                            "address_space_gib is at least as large");
        }
    }
    return target;
}

} // namespace cavern
