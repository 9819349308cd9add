#include "results/laws.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/error.h"

namespace cavern {

namespace {

constexpr long double kBeyond = 9223372036854775808.0L;
constexpr long double kSlack = 1e-9L; // of a share, as of a law

/// Looks at a number; null is within every bound.
bool is_within(const FieldInfo& field, const Law::Json& json) {
    if (!json.is_number()) {
        return true;
    }
    const auto value = json.get<long double>();
    const long double most = field.unit == "share" ? 1 + kSlack : kBeyond;
    return (field.below_zero ? value > -kBeyond : value >= 0) &&
           (field.unit == "share" ? value <= most : value < most);
}

} // namespace

void check_bounds(const std::vector<FieldInfo>& fields, const Law::Json& whole,
                  const std::string& where) {
    for (const FieldInfo& field : fields) {
        if (!is_number(field)) {
            continue;
        }
        const std::string path = field.path + (field.listed ? "[]" : "");
        each_place(whole, path, where, [&field](const Law::Json& json, const std::string& name) {
            if (!is_within(field, json)) {
                throw ModelError(fmt::format("law broken: {} is {}; it lies from {} to {}", name,
                                             json.dump(), field.below_zero ? "-2^63" : "0",
                                             field.unit == "share" ? "1" : "2^63"));
            }
        });
    }
}

void check_laws(const std::vector<LawInfo>& laws, const Law::Json& whole) {
    for (const LawInfo& info : laws) {
        Law law(info.text);
        each_place(whole, info.place, {}, [&](const Law::Json& place, const std::string& name) {
            law.apply_to(place, whole);
            if (!law.holds()) {
                throw ModelError(fmt::format("law broken: {}{}{}; {}", name,
                                             name.empty() ? "" : ": ", info.text, law.values()));
            }
        });
    }
}

std::string laws_markdown(const std::vector<LawInfo>& laws, const std::vector<FieldInfo>& fields,
                          std::string_view section) {
    const auto is_old = [&fields](const LawInfo& law) {
        return std::any_of(fields.begin(), fields.end(), [&law](const FieldInfo& field) {
            return field.path == law.place && !field.instead.empty();
        });
    };
    std::string lines;
    for (const LawInfo& law : laws) {
        const std::string line = law.family + (law.family.empty() ? "" : ": ") + law.text + "\n";
        if (law.place.substr(0, law.place.find_first_of(".[")) == section && !is_old(law) &&
            lines.find(line) == std::string::npos) {
            lines += line;
        }
    }
    return lines.empty() ? lines : "\n```text\n" + lines + "```\n";
}

} // namespace cavern
