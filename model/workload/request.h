#pragma once

#include <cstdint>

#include "core/base/request_op.h"
#include "core/base/sectors.h"
#include "core/base/units.h"

namespace cavern {

inline constexpr std::uint16_t kMaxStream = 0xFFFF; // NVMe: a directive is specified by 16 bits

/// One host command. Offset and size in bytes; a flush or a command on a zone has size 0.
struct HostRequest {
    TimePs arrival = 0; ///< since the start of the workload
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0; ///< of a read or write below 4 GiB
    RequestOp op = RequestOp::kRead;
    bool fua = false;      ///< a write that is done when it is in flash (force unit access)
    std::uint32_t job = 0; ///< of a source with jobs: whose request it is
    /// Stream of a write's data, as a placement identifier of NVMe; 0: none named.
    std::uint16_t stream = 0;
    ZoneAction zone = ZoneAction::kNone;
};

/// A stream of host commands: a trace reader, a generator, a filter over either. Constant memory.
class RequestSourceIf {
  public:
    virtual ~RequestSourceIf() = default;
    /// Fills `request` with the next command; false at the end. Throws UserError naming file and
    /// line where the input is malformed.
    virtual bool next(HostRequest& request) = 0;

    /// Whether requests are of jobs that wait for answers. Such a source has to be told of each
    /// answer, and next() may give no request as long as some are outstanding: it is asked again
    /// after each answer. Does not change.
    [[nodiscard]] virtual bool has_jobs() const { return false; }
    /// Whether requests may come later although next() gave none and none is outstanding. The host
    /// is then told when there are some (HostInterface::ask_again()). Once false, always false.
    [[nodiscard]] virtual bool is_live() const { return false; }
    /// Where next() gave none: the time at which it is to be asked again although nothing was
    /// answered until then; kNever: there is none.
    [[nodiscard]] virtual TimePs ask_again_at() const { return kNever; }
    /// A request of the job is answered.
    virtual void answered(std::uint32_t /*job*/) {}
};

} // namespace cavern
