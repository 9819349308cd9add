#include "results/laws.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/error.h"

namespace cavern {

std::vector<LawInfo> bounds_of(const std::vector<FieldInfo>& fields) {
    std::vector<LawInfo> laws;
    for (const FieldInfo& field : fields) {
        if (!is_number(field)) {
            continue;
        }
        const std::size_t dot = field.path.rfind('.');
        std::string place = dot == std::string::npos ? "" : field.path.substr(0, dot);
        std::string name = field.path.substr(dot == std::string::npos ? 0 : dot + 1);
        if (field.listed) {
            place = field.path + "[]";
            name = "it";
        }
        laws.push_back({place, place,
                        (field.below_zero ? "0 - 9223372036854775808 < " : "0 <= ") + name +
                            (field.unit == "share" ? " <= 1" : " < 9223372036854775808")});
    }
    return laws;
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
