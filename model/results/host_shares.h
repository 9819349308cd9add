#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/statistics.h"
#include "timed/host/host_interface.h"

namespace cavern {

/// Reads and writes of the jobs of a workload, and of the queues of its host, apart: where there
/// are several of them.
class HostShares final : public RequestLogIf {
  public:
    /// More are not told apart: a Histogram can take some hundred kilobytes.
    static constexpr std::size_t kMost = 64;
    struct Kind {
        Histogram latency_ns;
        std::uint64_t bytes = 0;
    };
    struct Share {
        std::array<Kind, 2> kinds; ///< reads, writes
    };

    /// Null where there is nothing to tell apart. `jobs` are their names.
    [[nodiscard]] static std::unique_ptr<HostShares> of(std::vector<std::string> jobs,
                                                        std::size_t queues);

    void completed(const CompletedRequest& request) override;
    void statistics_restarted() override;

    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    /// Empty: there is one, or there are too many.
    [[nodiscard]] const std::vector<Share>& jobs() const { return jobs_; }
    [[nodiscard]] const std::vector<Share>& queues() const { return queues_; }

  private:
    HostShares(std::vector<std::string> jobs, std::size_t queues);

    std::vector<std::string> names_;
    std::vector<Share> jobs_;
    std::vector<Share> queues_;
};

} // namespace cavern
