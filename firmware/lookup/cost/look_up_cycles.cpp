#include "firmware/lookup/cost/look_up_cycles.h"

#include <algorithm>

namespace cavern {

const std::vector<LookUpCycles>& look_up_cycles() {
    static const std::vector<LookUpCycles> rows{
#include "firmware/lookup/cost/cycles.inc"
    };
    return rows;
}

const LookUpCycles* find_look_up_cycles(std::string_view look_up, std::uint32_t groups) {
    const auto& rows = look_up_cycles();
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const LookUpCycles& row) {
        return row.look_up == look_up && row.groups == groups;
    });
    return found == rows.end() ? nullptr : &*found;
}

std::string measured_groups(std::string_view look_up) {
    std::string text;
    for (const LookUpCycles& row : look_up_cycles()) {
        if (row.look_up == look_up) {
            text += (text.empty() ? "" : ", ") + std::to_string(row.groups);
        }
    }
    return text;
}

} // namespace cavern
