#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cavern {

/// The devices of a trace and where each begins when they are laid end to end: ascending by host
/// name, then number. Each begins on a multiple of 1 MiB, so that requests keep their alignment to
/// flash pages.
class DeviceMap {
  public:
    static constexpr std::size_t kMaxDevices = 4096;
    static constexpr std::uint64_t kAlignment = 1024 * 1024;

    struct Device {
        std::string host; ///< empty where the format has none
        std::uint64_t number = 0;
        std::uint64_t end = 0;  ///< one past the last byte used
        std::uint64_t base = 0; ///< where byte 0 lies, after lay_out()
    };

    /// The device, or null.
    [[nodiscard]] Device* find(std::string_view host, std::uint64_t number) {
        return is_at(last_, host, number) ? &devices_[last_] : search(host, number);
    }
    /// The device, added if new; null when kMaxDevices are there already. Invalidates pointers.
    [[nodiscard]] Device* add(std::string_view host, std::uint64_t number);

    /// Sets every base from the ends seen. Returns one past the last byte used; kTooLarge where the
    /// sum would pass 2^63 - 1.
    static constexpr std::uint64_t kTooLarge = ~std::uint64_t{0};
    std::uint64_t lay_out();

    [[nodiscard]] const std::vector<Device>& devices() const { return devices_; }
    /// "prxy_0, prxy_1" or "0, 3, 7": at most ten, for messages.
    [[nodiscard]] std::string names() const;

  private:
    [[nodiscard]] bool is_at(std::size_t at, std::string_view host, std::uint64_t number) const {
        return at < devices_.size() && devices_[at].number == number && devices_[at].host == host;
    }
    [[nodiscard]] Device* search(std::string_view host, std::uint64_t number);
    [[nodiscard]] std::size_t position(std::string_view host, std::uint64_t number) const;

    std::vector<Device> devices_;
    std::size_t last_ = 0; ///< the device asked for last: requests come in runs
};

/// Name of a device for `workload.device`: "prxy_0" where it has a host, else "0".
[[nodiscard]] std::string device_name(std::string_view host, std::uint64_t number);

} // namespace cavern
