#include "config/latest_origin.h"

#include "config/config_keys.h"
#include "core/base/check.h"

namespace cavern {

std::optional<SettingOrigin> latest_origin(const ResolvedConfig& resolved,
                                           const std::vector<std::string>& keys) {
    std::optional<SettingOrigin> latest;
    for (const std::string& name : keys) {
        const auto key = find_config_key(name);
        CAVERN_CHECK(key.has_value(), "a checked key is in the table");
        const auto& setting = resolved.settings[*key];
        if (setting && setting->origin.layer != Layer::kDefault &&
            (!latest || setting->origin.rank > latest->rank ||
             (setting->origin.rank == latest->rank && setting->origin.line > latest->line))) {
            latest = setting->origin;
        }
    }
    return latest;
}

} // namespace cavern
