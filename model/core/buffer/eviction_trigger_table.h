#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/base/scheme.h"
#include "core/buffer/eviction_trigger.h"

namespace cavern {

/// One trigger that `buffer.eviction` can name.
struct EvictionTriggerRow {
    std::string_view name;
    std::string_view description; ///< one sentence
    /// Decides what happens when the buffer is full; a list of triggers has at most one such.
    bool on_full;
    SchemeKnobs knobs; ///< the keys buffer.NAME.KNOB
    std::unique_ptr<EvictionTriggerIf> (*make_with)(const EvictionTriggerContext& context,
                                                    const SchemeParams& params);
    const CounterSet* counters = nullptr; ///< of its own; null: none

    /// `params` are of the trigger's type Params; without them, the defaults.
    [[nodiscard]] std::unique_ptr<EvictionTriggerIf> make(const EvictionTriggerContext& context,
                                                          const SchemeParams& params = {}) const {
        return make_with(context, params);
    }
};

using EvictionTriggerParams = ParamsOf<EvictionTriggerRow>;

/// Every eviction trigger there is; a new one is its pair of files and a row here.
[[nodiscard]] const std::vector<EvictionTriggerRow>& eviction_trigger_table();

/// Row of `name`, or null.
[[nodiscard]] const EvictionTriggerRow* find_eviction_trigger(std::string_view name);

/// The triggers of a list acting together: on a full buffer as the largest of them, ahead of that
/// as any of them.
[[nodiscard]] std::unique_ptr<EvictionTriggerIf>
make_eviction_trigger(const std::vector<const EvictionTriggerRow*>& rows,
                      const EvictionTriggerContext& context, const EvictionTriggerParams& params);

} // namespace cavern
