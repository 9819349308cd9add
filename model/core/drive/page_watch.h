#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/strong_id.h"
#include "core/ftl/flash_op.h"

namespace cavern {

/// Hears what becomes of the host's writes, in the order decided: what has to survive a loss of
/// power is told from that. Must not change the core.
class PageWatchIf {
  public:
    virtual ~PageWatchIf() = default;
    /// What follows is for the host's request of this number.
    virtual void begin_request(std::uint64_t number) = 0;
    virtual void host_write(Lpn lpn) = 0;
    virtual void host_trim(Lpn first, std::uint64_t count) = 0;
    /// A program of a new version was decided: it holds what the page holds now. `pads`: it holds
    /// what flash holds, or is to hold, of the page; of a write decided at this moment nothing.
    virtual void programs(Lpn lpn, PageVersion version, bool pads) = 0;
};

} // namespace cavern
