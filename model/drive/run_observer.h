#pragma once

#include <cstdint>

namespace cavern {

/// Called as the run goes on, for progress and interruption.
class RunObserverIf {
  public:
    virtual ~RunObserverIf() = default;
    /// Before request `id` is issued. False: take no further requests, finish those outstanding.
    virtual bool dispatching(std::uint64_t id) = 0;
};

} // namespace cavern
