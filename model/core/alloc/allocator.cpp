#include "core/alloc/allocator.h"

#include "core/base/error.h"

namespace cavern {

std::exception_ptr SpaceIf::lack_of_room() const {
    return std::make_exception_ptr(ModelError("invariant: a die has room for another page"));
}

} // namespace cavern
