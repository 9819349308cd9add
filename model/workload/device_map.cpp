#include "workload/device_map.h"

#include <algorithm>
#include <limits>

#include "workload/field.h"

namespace cavern {

std::string device_name(std::string_view host, std::uint64_t number) {
    return host.empty() ? std::to_string(number) : std::string(host) + "_" + std::to_string(number);
}

std::size_t DeviceMap::position(std::string_view host, std::uint64_t number) const {
    const auto before = [host, number](const Device& device) {
        const int order = std::string_view(device.host).compare(host);
        return order < 0 || (order == 0 && device.number < number);
    };
    return static_cast<std::size_t>(std::partition_point(devices_.begin(), devices_.end(), before) -
                                    devices_.begin());
}

DeviceMap::Device* DeviceMap::search(std::string_view host, std::uint64_t number) {
    const std::size_t at = position(host, number);
    if (!is_at(at, host, number)) {
        return nullptr;
    }
    last_ = at;
    return &devices_[last_];
}

DeviceMap::Device* DeviceMap::add(std::string_view host, std::uint64_t number) {
    if (Device* known = find(host, number)) {
        return known;
    }
    if (devices_.size() == kMaxDevices) {
        return nullptr;
    }
    last_ = position(host, number);
    const auto place = devices_.begin() + static_cast<std::ptrdiff_t>(last_);
    return &*devices_.insert(place, Device{std::string(host), number, 0, 0});
}

std::uint64_t DeviceMap::lay_out() {
    constexpr std::uint64_t kMaxEnd = std::numeric_limits<std::int64_t>::max();
    std::uint64_t base = 0;
    std::uint64_t end = 0;
    for (Device& device : devices_) {
        if (device.end > kMaxEnd - base) {
            return kTooLarge;
        }
        device.base = base;
        end = base + device.end;
        base = (end + kAlignment - 1) / kAlignment * kAlignment;
        if (base > kMaxEnd) {
            base = kMaxEnd;
        }
    }
    return end;
}

std::string DeviceMap::names() const {
    constexpr std::size_t kMost = 10;
    std::string out;
    for (std::size_t i = 0; i < devices_.size(); ++i) {
        out += i == 0 ? "" : ", ";
        if (i == kMost) {
            return out + "...";
        }
        const std::string quoted = quote(device_name(devices_[i].host, devices_[i].number));
        out.append(quoted, 1, quoted.size() - 2); // hosts are the user's bytes
    }
    return out;
}

} // namespace cavern
