#include "drive/untimed_host.h"

#include "drive/host_builder.h"

namespace cavern {

UntimedHost::UntimedHost(RequestSourceIf& source, RunObserverIf* observer, const HostConfig& config,
                         std::uint32_t depth, std::uint64_t first)
    : source_(source), observer_(observer), config_(config), depth_(depth), sent_(first) {}

bool UntimedHost::fetch() {
    if (!has_next_ && !ended_) {
        has_next_ = (observer_ == nullptr || observer_->dispatching(sent_)) && source_.next(next_);
        ended_ = !has_next_;
    }
    return has_next_;
}

bool UntimedHost::send(std::uint64_t outstanding, HostRequest& request) {
    if (outstanding >= depth_ || (alone_ && outstanding != 0) || !fetch()) {
        return false;
    }
    const bool alone = depth_ > 1 && runs_alone(config_, next_.op);
    if (alone && outstanding != 0) {
        return false;
    }
    alone_ = alone;
    has_next_ = false;
    ++sent_;
    request = next_;
    return true;
}

} // namespace cavern
