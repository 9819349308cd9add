#include "drive/untimed_host.h"

#include "drive/host_builder.h"

namespace cavern {

UntimedHost::UntimedHost(RequestSourceIf& source, RunObserverIf* observer, const HostConfig& config,
                         std::uint32_t depth, std::uint32_t window, std::uint64_t first)
    : source_(source), observer_(observer), config_(config), depth_(depth), window_(window),
      has_jobs_(source.has_jobs()), sent_(first) {}

bool UntimedHost::fetch(std::uint64_t outstanding) {
    if (!has_next_ && !ended_) {
        if (sent_ % RunObserverIf::kAskEvery == 0 && observer_ != nullptr &&
            !observer_->dispatching(sent_)) {
            ended_ = true;
        } else if (has_jobs_) {
            has_next_ = ask(outstanding);
            ended_ = !has_next_ && outstanding == 0;
        } else {
            has_next_ = source_.next(next_);
            ended_ = !has_next_;
        }
    }
    return has_next_;
}

/// Of a source with jobs. What the device has done is answered when there is no room left in the
/// window, or when no job asks for anything without an answer.
bool UntimedHost::ask(std::uint64_t outstanding) {
    while (unanswered_.size() > outstanding &&
           (unanswered_.size() >= window_ || depth_ == window_)) {
        answer_oldest();
    }
    while (!source_.next(next_)) {
        if (unanswered_.size() <= outstanding) {
            return false;
        }
        answer_oldest();
    }
    unanswered_.push(next_.job);
    return true;
}

bool UntimedHost::send(std::uint64_t outstanding, HostRequest& request) {
    if (outstanding >= depth_ || (alone_ && outstanding != 0) || !fetch(outstanding)) {
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
