#pragma once

#include <cstdint>
#include <exception>

namespace cavern {

/// Thrown where the user stops what cannot end early with a result.
class Interrupted final : public std::exception {
  public:
    [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }
};

/// Called as the run goes on, for progress and interruption.
class RunObserverIf {
  public:
    static constexpr std::uint64_t kAskEvery = 16;

    virtual ~RunObserverIf() = default;
    /// Before request `id` is issued, of every kAskEvery. False: take no further requests, finish
    /// those outstanding.
    virtual bool dispatching(std::uint64_t id) = 0;
    /// Now and then before the first request: so many pages of at most so many are written. May
    /// throw Interrupted.
    virtual void preconditioning(std::uint64_t /*done*/, std::uint64_t /*most*/) {}
};

} // namespace cavern
