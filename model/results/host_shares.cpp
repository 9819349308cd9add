#include "results/host_shares.h"

#include <utility>

#include "timed/tlm/time.h"

namespace cavern {
namespace {

/// The number of shares that are told apart.
std::size_t told_apart(std::size_t count) {
    return count > 1 && count <= HostShares::kMost ? count : 0;
}

} // namespace

std::unique_ptr<HostShares> HostShares::of(std::vector<std::string> jobs, std::size_t queues) {
    if (jobs.size() <= 1 && queues <= 1) {
        return nullptr;
    }
    return std::unique_ptr<HostShares>(new HostShares(std::move(jobs), queues));
}

HostShares::HostShares(std::vector<std::string> jobs, std::size_t queues)
    : names_(std::move(jobs)), jobs_(told_apart(names_.size())), queues_(told_apart(queues)) {}

void HostShares::completed(const CompletedRequest& done) {
    if (!moves_data(done.request.op)) {
        return;
    }
    const auto kind = static_cast<std::size_t>(done.request.op);
    const std::uint64_t latency = to_ns(done.completed - done.where->arrival);
    const auto add = [&](std::vector<Share>& shares, std::size_t index) {
        if (!shares.empty()) {
            Kind& share = shares.at(index).kinds[kind];
            share.latency_ns.add(latency);
            share.bytes += done.where->refused ? 0 : done.request.bytes;
        }
    };
    add(jobs_, done.request.job);
    add(queues_, done.where->queue);
}

void HostShares::statistics_restarted() {
    jobs_.assign(jobs_.size(), {});
    queues_.assign(queues_.size(), {});
}

} // namespace cavern
