#include "core/ftl/block_ftl.h"

#include <string>

#include "core/ftl/ftl_why_not.h"

namespace cavern {

BlockFtl::BlockFtl(const Geometry& geometry, const FtlParams& params, std::uint32_t unit_pages,
                   DecisionLogIf* log)
    : logical_pages_(exported_pages(geometry, params.overprovision)), unit_pages_(unit_pages),
      units_(static_cast<Unit>((logical_pages_ + unit_pages - 1) / unit_pages)),
      background_(params.gc_background), by_unit_pages_(unit_pages),
      store_(geometry, params.strict_order, log), mapped_(std::uint64_t{units_} * unit_pages) {
    parts_.idle_work = background_ != 0 ? this : nullptr;
    parts_.mount = this;
}

void BlockFtl::check_range(Lpn lpn) const {
    CAVERN_CHECK(raw(lpn) < logical_pages_,
                 "logical page " + std::to_string(raw(lpn)) + " is beyond the drive");
}

bool BlockFtl::holds_pages(Unit unit) const {
    for (std::uint32_t offset = 0; offset < unit_pages_; ++offset) {
        if (mapped_.contains(raw(lpn_of(unit, offset)))) {
            return true;
        }
    }
    return false;
}

void BlockFtl::program(Lpn lpn, BlockId block, std::uint32_t page, Origin origin,
                       FlashOpList& ops) {
    store_.program(block, page, lpn, origin, location(lpn), ops);
    mapped_.insert(raw(lpn));
}

} // namespace cavern
