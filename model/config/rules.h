#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "config/drive_plan.h"
#include "config/resolved_config.h"
#include "core/base/refusal.h"

namespace cavern {

using KeyNames = std::vector<std::string>;

/// What a configuration may not be. Where it is not `broken`, the rest means nothing.
struct Rule {
    bool broken;
    KeyNames keys; ///< of which the last one given is at fault
    std::string what;
    std::string right; ///< what would be right
};

/// The first rule that is broken.
[[nodiscard]] Refused first_broken(std::initializer_list<Rule> rules);

/// The keys SECTION.ROW.KNOB of a row of a table, behind others.
template <typename Row>
[[nodiscard]] KeyNames with_keys(KeyNames keys, const std::string& section, const Row& row) {
    for (const Knob& knob : row.knobs) {
        keys.push_back(fmt::format("{}.{}.{}", section, row.name, knob.name));
    }
    return keys;
}

/// What a scheme of the core says of its own parameters: "what; what would be right".
[[nodiscard]] Refusal in_words_of(const std::string& scheme, KeyNames keys);

/// Whether the parameters of each row of a table fit each other.
template <typename Row>
[[nodiscard]] Refused own_parameters(const std::string& section, const std::vector<Row>& table,
                                     const ParamsOf<Row>& params) {
    for (const Row& row : table) {
        const auto why = row.knobs.why_not != nullptr ? row.knobs.why_not(params[row])
                                                      : std::optional<std::string>();
        if (why) {
            return in_words_of(*why, with_keys({}, section, row));
        }
    }
    return {};
}

/// For people: "16MiB".
[[nodiscard]] inline std::string size_of(std::uint64_t bytes) {
    return format_quantity(bytes, Quantity::kBytes);
}

// The rules, by what they are about. Each set may rely on those before it in check_config().
[[nodiscard]] Refused unit_rules(const DrivePlan& plan);
[[nodiscard]] Refused host_rules(const DrivePlan& plan);
[[nodiscard]] Refused handle_rules(const DrivePlan& plan);
[[nodiscard]] Refused zone_rules(const DrivePlan& plan);
[[nodiscard]] Refused geometry_rules(const DrivePlan& plan);
[[nodiscard]] Refused page_type_rules(const DrivePlan& plan);
[[nodiscard]] Refused one_shot_rules(const DrivePlan& plan);
[[nodiscard]] Refused die_rules(const DrivePlan& plan);
[[nodiscard]] Refused clock_rules(const DrivePlan& plan);
[[nodiscard]] Refused processor_rules(const DrivePlan& plan);
[[nodiscard]] Refused sdram_rules(const DrivePlan& plan);
[[nodiscard]] Refused map_traffic_rules(const DrivePlan& plan);
[[nodiscard]] Refused frame_rules(const DrivePlan& plan);
[[nodiscard]] Refused buffer_rules(const DrivePlan& plan);
[[nodiscard]] Refused watermark_rules(const DrivePlan& plan);
[[nodiscard]] Refused slc_rules(const DrivePlan& plan);
[[nodiscard]] Refused own_rules_of_layers(const DrivePlan& plan);
[[nodiscard]] Refused placement_rules(const DrivePlan& plan);
[[nodiscard]] Refused map_memory_rules(const DrivePlan& plan);
[[nodiscard]] Refused collection_rules(const DrivePlan& plan);
[[nodiscard]] Refused layer_rules(const DrivePlan& plan);
[[nodiscard]] Refused look_up_rules(const DrivePlan& plan);
[[nodiscard]] Refused data_rules(const DrivePlan& plan);
[[nodiscard]] Refused ecc_rules(const DrivePlan& plan);
[[nodiscard]] Refused supply_rules(const DrivePlan& plan);
[[nodiscard]] Refused sampled_rules(const DrivePlan& plan);
[[nodiscard]] Refused power_loss_rules(const DrivePlan& plan);
[[nodiscard]] Refused recovery_rules(const DrivePlan& plan);

/// Cross-checks of a complete configuration. Throws UserError at the line that set the value.
void check_config(const ResolvedConfig& resolved, const std::string& file);

} // namespace cavern
