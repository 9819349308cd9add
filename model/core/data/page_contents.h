#pragma once

#include <cstdint>

#include "core/base/geometry.h"
#include "core/base/lazy_array.h"
#include "core/data/page_content.h"

namespace cavern {

class StateArchive;

/// What the pages of the flash array hold. Pages never touched cost nothing, others 8 bytes.
class PageContents {
  public:
    explicit PageContents(const Geometry& geometry)
        : pages_per_block_(geometry.pages_per_block), words_(geometry.pages()) {}
    PageContents(const PageContents&) = delete;
    PageContents& operator=(const PageContents&) = delete;
    ~PageContents();

    [[nodiscard]] PageContent read(Ppn page) const;
    void program(Ppn page, PageContent content);
    /// The block that has `page`.
    void erase(Ppn page);
    /// Of a drive that was filled: pages that one write has written whole. Others are refused.
    void serialize(StateArchive& archive);

  private:
    std::uint32_t pages_per_block_;
    LazyArray<std::uint64_t> words_; ///< PageContent::detach()
};

} // namespace cavern
