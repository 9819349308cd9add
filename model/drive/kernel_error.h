#pragma once

#include <exception>
#include <systemc>

#include "core/base/error.h"
#include "core/drive/drive_core.h"

namespace cavern {

/// What a process throws reaches the caller of sc_start() as an sc_report: the text without the
/// type. Throws what it was.
[[noreturn]] inline void rethrow_kernel_error(const sc_core::sc_report& report,
                                              const DriveCore& core) {
    if (core.user_error() != nullptr) {
        std::rethrow_exception(core.user_error());
    }
    if (FirmwareError::is_of(report.get_msg())) {
        throw FirmwareError::again(report.get_msg());
    }
    throw ModelError(report.get_msg());
}

} // namespace cavern
