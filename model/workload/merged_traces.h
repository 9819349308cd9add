#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "workload/position.h"
#include "workload/request.h"
#include "workload/trace_reader.h"

namespace cavern {

/// Several traces as one stream, by arrival, at equal arrival in their order: each is a flow, and
/// its requests are of the job with its number. All begin together. Each has a region of the drive
/// of its own. Memory: that of the readers.
class MergedTraces final : public RequestSourceIf, public PositionIf {
  public:
    struct Flow {
        std::unique_ptr<TraceReader> reader; ///< null: it is left out
        std::uint64_t base = 0;              ///< where its byte 0 lies
    };
    explicit MergedTraces(std::vector<Flow> flows) : flows_(std::move(flows)) {}
    bool next(HostRequest& request) override;
    /// Of the request given last.
    [[nodiscard]] SourcePosition position() const override;

  private:
    std::vector<Flow> flows_;
    std::vector<std::optional<HostRequest>> ahead_; ///< the next request of each
    std::size_t last_ = 0;
    SourcePosition position_;
};

} // namespace cavern
