#include <algorithm>
#include <array>
#include <limits>

#include "core/base/error.h"
#include "core/base/toml.h"
#include "core/base/toml_depth.h"
#include "workload/field.h"
#include "workload/fit.h"
#include "workload/job_text.h"

namespace cavern {
namespace {

constexpr double kGiBytes = 1024.0 * 1024 * 1024;

struct Value {
    const std::string& file;
    std::string_view key;
    const toml::node& node;

    [[noreturn]] void fail(const std::string& what, const std::string& right) const {
        throw UserError(file, node.source().begin.line, std::string(key) + " " + what, right);
    }
    [[nodiscard]] double number(double min, double max) const {
        const auto value = node.value<double>();
        if (node.is_string() || !value || !(*value >= min && *value <= max)) {
            fail("is no number from " + std::to_string(min) + " to " + std::to_string(max),
                 "write a number, without a unit");
        }
        return *value;
    }
    [[nodiscard]] std::string text() const {
        const auto* value = node.as_string();
        if (value == nullptr) {
            fail("is no string", "write it in double quotes");
        }
        return value->get();
    }
};

struct Key {
    std::string_view name;
    void (*read)(const Value&, FitTarget&);
};
constexpr double kMostGiB = 1024.0 * 1024;
constexpr std::array kKeys{
    Key{"name", [](const Value& v, FitTarget& t) { t.name = v.text(); }},
    Key{"requests",
        [](const Value& v, FitTarget& t) {
            t.requests = static_cast<std::uint64_t>(v.number(1000, 1e9));
        }},
    Key{"reads_percent",
        [](const Value& v, FitTarget& t) { t.read_share = v.number(0, 100) / 100; }},
    Key{"read_mean_kib",
        [](const Value& v, FitTarget& t) { t.read_mean = v.number(0.5, 4096) * 1024; }},
    Key{"write_mean_kib",
        [](const Value& v, FitTarget& t) { t.write_mean = v.number(0.5, 4096) * 1024; }},
    Key{"random_percent",
        [](const Value& v, FitTarget& t) { t.random_share = v.number(0.01, 100) / 100; }},
    Key{"read_footprint_gib",
        [](const Value& v, FitTarget& t) {
            t.read_footprint = v.number(1e-4, kMostGiB) * kGiBytes;
        }},
    Key{"write_footprint_gib",
        [](const Value& v, FitTarget& t) {
            t.write_footprint = v.number(1e-4, kMostGiB) * kGiBytes;
        }},
    Key{"address_space_gib",
        [](const Value& v, FitTarget& t) {
            t.address_space = static_cast<std::uint64_t>(v.number(0.01, kMostGiB) * kGiBytes);
        }},
    Key{"interarrival_us",
        [](const Value& v, FitTarget& t) {
            t.interarrival = static_cast<TimePs>(v.number(1e-3, 1e12) * static_cast<double>(kUs));
        }},
    Key{"distribution",
        [](const Value& v, FitTarget& t) {
            t.distribution_text = v.text();
            try {
                t.distribution = parse_distribution(t.distribution_text);
            } catch (const JobTextError& error) {
                v.fail(error.what(), error.right());
            }
        }},
    Key{"cluster",
        [](const Value& v, FitTarget& t) {
            const auto bytes = parse_quantity(v.text(), Quantity::kBytes);
            if (!bytes || *bytes == 0 || JobSpec::kPieceBytes % *bytes != 0) {
                v.fail("is no size of a neighbourhood",
                       "it is a power of two up to 4MiB, such as \"128KiB\"");
            }
            t.cluster = *bytes;
        }},
    Key{"bs",
        [](const Value& v, FitTarget& t) {
            const auto bytes = parse_quantity(v.text(), Quantity::kBytes);
            if (!bytes || *bytes < 512 || *bytes % 512 != 0 || *bytes > kMiB) {
                v.fail("is no unit of sizes",
                       "it is a multiple of 512B up to 1MiB, such as \"4KiB\"");
            }
            t.unit = static_cast<std::uint32_t>(*bytes);
        }},
    Key{"seed", [](const Value& v,
                   FitTarget& t) { t.seed = static_cast<std::uint64_t>(v.number(0, 1e15)); }},
};

} // namespace

FitTarget parse_fit_target(std::string_view text, const std::string& file) {
    toml::table root;
    if (const auto line = line_of_deep_key(text)) {
        throw UserError(file, *line, "a key of many parts",
                        "a key has at most " + std::to_string(kMostKeyParts) + " parts");
    }
    try {
        root = toml::parse(text, std::string_view(file));
    } catch (const toml::parse_error& error) {
        throw UserError(file, error.source().begin.line, printable(error.description()),
                        "a description of a target is TOML with a table [target]");
    }
    const toml::table* table = root["target"].as_table();
    if (table == nullptr) {
        throw UserError(file, 1, "there is no table [target]",
                        "it says what statistics the workload is to have");
    }
    FitTarget target;
    std::string names;
    for (const Key& key : kKeys) {
        names += (names.empty() ? "" : ", ") + std::string(key.name);
    }
    for (const auto& [name, node] : *table) {
        const std::string_view word = name.str(); // a binding cannot be captured in C++17
        const auto* key = std::find_if(kKeys.begin(), kKeys.end(), [word](const Key& candidate) {
            return candidate.name == word;
        });
        if (key == kKeys.end()) {
            throw UserError(file, name.source().begin.line, "unknown key " + quote(name.str()),
                            "a target has the keys " + names);
        }
        key->read({file, key->name, node}, target);
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
