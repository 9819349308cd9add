#pragma once

#include <string_view>

#include "workload/fio_job.h"
#include "workload/fio_values.h"

namespace cavern {

/// "4k". `entry` says what a prefix means. The first three throw JobTextError.
[[nodiscard]] FioSizes one_size(const FioEntry& entry, std::string_view text);
/// "4k-64k".
[[nodiscard]] FioSizes size_range(const FioEntry& entry, std::string_view text);
/// "4k/60:64k/40".
[[nodiscard]] FioSizes size_shares(const FioEntry& entry, std::string_view text);
/// The value of the entry: "10g", "30%", "4z". Throws UserError.
[[nodiscard]] FioLength length_of(const FioEntry& entry);

} // namespace cavern
