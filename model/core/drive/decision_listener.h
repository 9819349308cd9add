#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/error.h"
#include "core/base/strong_id.h"
#include "core/drive/decision.h"

namespace cavern {

/// A call of DriveCore by which pages are decided.
struct DecisionCall {
    enum class Kind : std::uint8_t {
        kWrite,
        kWriteThrough,
        kRead,
        kTrim,
        kFlushStep,
        kMaintain,
        kFill
    };
    Kind kind = Kind::kFlushStep;
    Lpn lpn = kNoLpn;          ///< written or read; the first one trimmed or filled
    std::uint64_t count = 1;   ///< pages trimmed or filled
    PlaneId plane{};           ///< of maintain()
    std::uint32_t copies = 0;  ///< of maintain(), at most
    const Lpn* lpns = nullptr; ///< of fill(): `count` pages
};

/// Who hears of every page that a DriveCore decides: a firmware that decides in its place, or one
/// that is compared with it. Not of what the core does of its own accord: DriveCore::evict_ahead(),
/// complete_pages(), and a new division of memory.
class DecisionListenerIf {
  public:
    virtual ~DecisionListenerIf() = default;
    /// The calls that follow are for the host's request of this number.
    virtual void begin_request(std::uint64_t number) = 0;
    /// The core is asked, and has not changed yet.
    virtual void deciding(const DecisionCall& call) = 0;
    /// What it decided. An exception ends the run.
    virtual void decided(const DecisionCall& call, const Decision& decision) = 0;
    /// It came to no decision; the listener may throw what says more.
    virtual void failed(const DecisionCall& call, const ModelError& error) = 0;
};

} // namespace cavern
