#include "core/ftl/ftl.h"

#include "core/base/check.h"

namespace cavern {

void FtlIf::mount(const MountedDrive&) {
    CAVERN_CHECK(false, "the translation layer cannot take over a drive that lost its power");
}

} // namespace cavern
