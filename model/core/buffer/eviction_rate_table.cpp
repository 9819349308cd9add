#include "core/buffer/eviction_rate_table.h"

#include "core/buffer/cave_rate.h"
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

} // namespace

const std::vector<EvictionRateRow>& eviction_rate_table() {
    static const std::vector<EvictionRateRow> rows{
        {"single", "A full buffer evicts one victim.", make_single},
        {"cave", "A full buffer evicts as many victims as there are NAND dies.", make_cave},
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

} // namespace cavern
