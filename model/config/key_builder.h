#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "config/config.h"
#include "keys/key_row.h"

namespace cavern {

/// The key of a knob, whose struct `params` gives.
[[nodiscard]] ConfigKey key_of(const Knob& knob, const std::string& prefix,
                               std::function<void*(SsdConfig&)> params);

/// The keys SECTION.ROW.KNOB of a table whose parameters lie at `params`.
template <typename Row, typename Section>
[[nodiscard]] Keys knob_keys(const std::string& section, const std::vector<Row>& table,
                             Section SsdConfig::*of_config, ParamsOf<Row> Section::*params) {
    Keys keys;
    for (const Row& row : table) {
        for (const Knob& knob : row.knobs) {
            keys.push_back(
                key_of(knob, section + "." + std::string(row.name), [=, &row](SsdConfig& config) {
                    return row.knobs.address((config.*of_config.*params)[row]);
                }));
        }
    }
    return keys;
}

/// All keys of these lists.
[[nodiscard]] Keys joined(std::initializer_list<Keys> lists);

// The sections, in the order in which they are listed.
[[nodiscard]] Keys run_keys();
[[nodiscard]] Keys host_keys();
[[nodiscard]] Keys dram_keys();
[[nodiscard]] Keys dram_current_keys();
[[nodiscard]] Keys buffer_keys();
[[nodiscard]] Keys alloc_keys();
[[nodiscard]] Keys ftl_keys();
[[nodiscard]] Keys nand_keys();
[[nodiscard]] Keys nand_current_keys();
[[nodiscard]] Keys channel_keys();
[[nodiscard]] Keys ecc_keys();
[[nodiscard]] Keys cpu_keys();
[[nodiscard]] Keys controller_keys();
[[nodiscard]] Keys workload_keys();
[[nodiscard]] Keys sampled_keys();
[[nodiscard]] Keys data_keys();
[[nodiscard]] Keys power_loss_keys();

} // namespace cavern
