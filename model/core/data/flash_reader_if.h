#pragma once

#include "core/base/strong_id.h"
#include "core/data/page_content.h"

namespace cavern {

/// Reads pages of a flash in which programs are under way.
class FlashReaderIf {
  public:
    virtual ~FlashReaderIf() = default;
    /// What the page will hold when all that is decided is done.
    [[nodiscard]] virtual PageContent read(Ppn page) const = 0;
};

} // namespace cavern
