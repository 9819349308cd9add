#include "library/nvme_config.h"

#include "core/base/units.h"
#include "library/open_config.h"
#include "timed/host/pcie_link.h"

namespace cavern {

std::uint64_t pcie_data_rate(std::uint32_t generation, std::uint32_t lanes) {
    constexpr std::uint64_t kBytes = std::uint64_t{1} << 20;
    PcieLink::Params params;
    params.generation = generation;
    params.lanes = lanes;
    return kBytes * kSecond / PcieLink(params).data_time(0, kBytes);
}

DrivePlan open_nvme_config(const std::string& name, const std::vector<std::string>& overrides) {
    const DrivePlan as_given = open_config(name, overrides);
    const bool is_nvme = as_given.host.link->name == "nvme";
    const std::uint64_t rate = is_nvme
                                   ? pcie_data_rate(as_given.host.generation, as_given.host.lanes)
                                   : pcie_data_rate(3, 4);
    std::vector<std::string> all = overrides;
    for (const std::string& setting :
         {std::string("host.interface=direct"), "host.bandwidth=" + std::to_string(rate) + "B/s",
          std::string("host.duplex=full"), std::string("host.queue_depth=256")}) {
        all.push_back(setting);
    }
    return take_config(name, all);
}

} // namespace cavern
