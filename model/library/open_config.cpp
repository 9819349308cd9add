#include "library/open_config.h"

#include <algorithm>
#include <systemc>

#include "config/config_loader.h"
#include "core/base/error.h"

namespace cavern {

DrivePlan open_config(const std::string& name, const std::vector<std::string>& overrides) {
    const std::string file = find_file(kDrives, name);
    std::vector<std::string> settings = overrides;
    const auto says_store = [](const std::string& setting) {
        return setting.find("data.store") != std::string::npos;
    };
    if (std::none_of(overrides.begin(), overrides.end(), says_store)) {
        settings.emplace_back("data.store=full");
    }
    DrivePlan plan = load_config(file, settings).config;
    if (plan.fidelity == Fidelity::kUntimed) {
        throw UserError(file, 1, "fidelity = \"untimed\" has no time to step", "fidelity = \"at\"");
    }
    if (plan.data.store != DataStore::kFull) {
        throw UserError(file, 1, "data.store keeps no data that the host could read back",
                        "data.store = \"full\"");
    }
    return plan;
}

void take_the_kernel(const std::string& name) {
    static bool taken = false;
    if (taken) {
        throw UserError(name, 1, "this process has, or had, a drive already",
                        "a process for each drive: SystemC is elaborated once");
    }
    if (sc_core::sc_get_status() != sc_core::SC_ELABORATION) {
        throw UserError(name, 1, "a simulation runs in this process already",
                        "a drive that is made before the simulation starts");
    }
    taken = true;
}

DrivePlan take_config(const std::string& name, const std::vector<std::string>& overrides) {
    DrivePlan plan = open_config(name, overrides);
    take_the_kernel(name);
    return plan;
}

} // namespace cavern
