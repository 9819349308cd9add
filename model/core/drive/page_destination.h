#pragma once

#include <optional>

#include "core/alloc/allocator.h"
#include "core/ftl/ftl.h"

namespace cavern {

/// Where a page goes is for the allocator to say as far as the translation layer lets it.
class PageDestination final : public DestinationIf {
  public:
    /// Both must outlive it. The allocator knows NAND pages only.
    PageDestination(const FtlIf& ftl, const AllocatorIf& allocator, std::uint32_t together = 1)
        : ftl_(ftl), allocator_(allocator), together_(together) {}
    [[nodiscard]] std::optional<DieId> destination(Lpn lpn) const override {
        return ftl_.destination(lpn, allocator_.destination(Lpn{raw(lpn) / together_}));
    }

  private:
    const FtlIf& ftl_;
    const AllocatorIf& allocator_;
    std::uint32_t together_;
};

} // namespace cavern
