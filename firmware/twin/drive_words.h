#pragma once

#include <cstdint>

#include "core/base/check.h"
#include "core/base/geometry.h"
#include "firmware/drive/drive.h"

namespace cavern {

/// A page as the firmware of a drive names it.
[[nodiscard]] inline Ppn page_of(std::uint32_t page) {
    return page == DRIVE_NONE ? kNoPpn : Ppn{page};
}

/// A number for the firmware, which holds 32 bits of it; a larger one stops the run.
[[nodiscard]] inline std::uint32_t narrow(std::uint64_t number) {
    CAVERN_CHECK(number < DRIVE_NONE, "a number that the firmware cannot hold");
    return static_cast<std::uint32_t>(number);
}

} // namespace cavern
