#pragma once

#include <optional>

#include "core/alloc/allocator.h"
#include "core/ftl/ftl.h"

namespace cavern {

/// Where a page goes is for the allocator to say as far as the translation layer lets it.
class PageDestination final : public DestinationIf {
  public:
    /// Both must outlive it.
    PageDestination(const FtlIf& ftl, const AllocatorIf& allocator)
        : ftl_(ftl), allocator_(allocator) {}
    [[nodiscard]] std::optional<DieId> destination(Lpn lpn) const override {
        return ftl_.destination(lpn, allocator_.destination(lpn));
    }

  private:
    const FtlIf& ftl_;
    const AllocatorIf& allocator_;
};

} // namespace cavern
