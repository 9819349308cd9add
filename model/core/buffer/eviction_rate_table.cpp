#include "core/buffer/eviction_rate_table.h"

#include <utility>

#include "core/base/check.h"
#include "core/buffer/cave_rate.h"
#include "core/buffer/idle_rate.h"
#include "core/buffer/linear_threshold_rate.h"
#include "core/buffer/rate_list.h"
#include "core/buffer/single_rate.h"

namespace cavern {

namespace {

std::unique_ptr<EvictionRateIf> make_single(const EvictionRateParams&) {
    return std::make_unique<SingleRate>();
}

std::unique_ptr<EvictionRateIf> make_cave(const EvictionRateParams& params) {
    return std::make_unique<CaveRate>(params.cave_victims != 0 ? params.cave_victims
                                                               : params.geometry.dies());
}

std::unique_ptr<EvictionRateIf> make_linear_threshold(const EvictionRateParams& params) {
    return std::make_unique<LinearThresholdRate>(params.linear_low, params.linear_high,
                                                 params.linear_max != 0 ? params.linear_max
                                                                        : params.geometry.dies());
}

std::unique_ptr<EvictionRateIf> make_idle(const EvictionRateParams& params) {
    return std::make_unique<IdleRate>(params.idle_after, params.idle_low, params.geometry.dies());
}

} // namespace

const std::vector<EvictionRateRow>& eviction_rate_table() {
    static const std::vector<EvictionRateRow> rows{
        {"single", "A full buffer evicts one victim.", true, make_single},
        {"cave", "A full buffer evicts as many victims as there are NAND dies.", true, make_cave},
        {"linear-threshold", "The fuller the buffer, the more victims are under way.", false,
         make_linear_threshold},
        {"idle", "Victims leave while the host is silent and a die is idle.", false, make_idle},
    };
    return rows;
}

const EvictionRateRow* find_eviction_rate(std::string_view name) {
    for (const EvictionRateRow& row : eviction_rate_table()) {
        if (row.name == name) {
            return &row;
        }
    }
    return nullptr;
}

std::unique_ptr<EvictionRateIf> make_eviction_rate(const std::vector<std::string>& names,
                                                   const EvictionRateParams& params) {
    std::vector<std::unique_ptr<EvictionRateIf>> rates;
    for (const std::string& name : names) {
        const EvictionRateRow* row = find_eviction_rate(name);
        CAVERN_CHECK(row != nullptr, "unknown eviction rate " + name);
        rates.push_back(row->make(params));
    }
    return rates.size() == 1 ? std::move(rates.front())
                             : std::make_unique<RateList>(std::move(rates));
}

} // namespace cavern
