#pragma once

#include <memory>
#include <string>

#include "core/base/error.h"
#include "tb/allocator_stream.h"
#include "tb/lockstep_allocator.h"
#include "tb/reference_allocator.h"

namespace cavern {

inline std::string error_of(ChannelAllocatorIf& allocator, const AllocatorShape& shape) {
    AllocatorStream stream(shape, 5);
    try {
        for (int n = 0; n < 100'000; ++n) {
            allocator.step(stream.next());
        }
    } catch (const ModelError& error) {
        return error.what();
    }
    return {};
}

inline std::string allocator_lockstep_error(const AllocatorShape& shape) {
    LockstepAllocator lockstep(make_rtl_allocator(shape, 1, "allocator"),
                               std::make_unique<ReferenceAllocator>(shape), "allocator");
    return error_of(lockstep, shape);
}

/// The RTL without a twin beside it: only its own properties can see the fault.
inline std::string allocator_property_error(const AllocatorShape& shape) {
    return error_of(*make_rtl_allocator(shape, 1, "allocator"), shape);
}

} // namespace cavern
