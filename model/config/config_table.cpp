#include <utility>

#include "config/config_keys.h"
#include "config/key_builder.h"

namespace cavern {

ConfigKey key_of(const Knob& knob, const std::string& prefix,
                 std::function<void*(SsdConfig&)> params) {
    ConfigKey key;
    key.name = prefix + "." + std::string(knob.name);
    key.type = knob.kind;
    key.meaning = knob.meaning;
    key.source = knob.source;
    key.low = knob.low;
    key.high = knob.high;
    key.real_low = knob.real_low;
    key.real_high = knob.real_high;
    for (std::size_t i = 0; i < knob.word_count; ++i) {
        key.words.emplace_back(knob.words[i].name);
        key.word_meanings.emplace_back(knob.words[i].meaning);
    }
    key.field = [field = knob.field, params = std::move(params)](void* config) {
        return field(params(*static_cast<SsdConfig*>(config)));
    };
    return key;
}

Keys joined(std::initializer_list<Keys> lists) {
    Keys all;
    for (const Keys& keys : lists) {
        all.insert(all.end(), keys.begin(), keys.end());
    }
    return all;
}

const Keys& config_keys() {
    static const SsdConfig defaults;
    static const Keys keys = with_defaults(
        joined({run_keys(), host_keys(), dram_keys(), dram_current_keys(), buffer_keys(),
                alloc_keys(), ftl_keys(), nand_keys(), nand_current_keys(), channel_keys(),
                ecc_keys(), cpu_keys(), controller_keys(), workload_keys(), sampled_keys(),
                data_keys(), power_loss_keys()}),
        &defaults);
    return keys;
}

} // namespace cavern
