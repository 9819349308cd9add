#pragma once

#include <cstdint>
#include <optional>

#include "config/config.h"
#include "config/config_problem.h"

namespace cavern {

/// What keeps the keys power_loss.* from describing a loss of power that this drive survives.
[[nodiscard]] std::optional<ConfigProblem> find_power_loss_problem(const SsdConfig& config);

/// Energy to program a dirty page of the write buffer when the host's power is gone, in joules: of
/// the die, of its bus, and of the controller, whose time the dies share. 0: not known.
[[nodiscard]] double drained_page_energy(const SsdConfig& config);

/// Likewise, of what else is done to drain it.
[[nodiscard]] double drain_read_energy(const SsdConfig& config);
[[nodiscard]] double drain_erase_energy(const SsdConfig& config);

/// Pages that the stored energy drains.
[[nodiscard]] std::uint64_t drained_pages(const SsdConfig& config);

} // namespace cavern
