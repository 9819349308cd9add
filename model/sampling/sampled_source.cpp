#include "sampling/sampled_source.h"

#include <algorithm>

#include "core/base/check.h"

namespace cavern {

SampledSource::SampledSource(RequestSourceIf& source, const SamplingPlan& plan,
                             WindowPlayerIf& player)
    : source_(source), plan_(plan), player_(player), has_jobs_(source.has_jobs()) {
    await_next();
}

void SampledSource::await_next() {
    step_ = Step::kApproach;
    if (window_ == plan_.windows()) {
        stop_ = kNoStop;
        return;
    }
    const std::uint64_t place = plan_.place_of(window_);
    stop_ = std::max(given_, place - std::min(place, player_.most_before()));
}

void SampledSource::stop() {
    while (given_ == stop_) {
        switch (step_) {
        case Step::kApproach: {
            const WindowApproach asked = player_.approach(window_);
            const std::uint64_t place = plan_.place_of(window_);
            begin_ = std::max(given_, place - std::min(place, asked.warmup));
            stop_ = std::max(given_, begin_ - std::min(begin_, asked.lead));
            step_ = Step::kFork;
            break;
        }
        case Step::kFork:
            if (!has_jobs_) {
                read_window();
            }
            if (player_.fork_for(window_)) {
                step_ = Step::kPlay;
                stop_ = begin_;
            } else {
                ++window_;
                await_next();
            }
            break;
        case Step::kPlay:
            player_.play(window_, *this);
        }
    }
}

bool SampledSource::give(HostRequest& request) {
    if (!fetch(request)) {
        return false;
    }
    if (has_jobs_) {
        unanswered_.push(request.job);
    } else {
        first_arrival_ = given_ <= plan_.first ? request.arrival : first_arrival_;
        last_arrival_ = request.arrival;
    }
    ++given_;
    return true;
}

bool SampledSource::fetch(HostRequest& request) {
    if (ahead_.empty()) {
        return source_.next(request);
    }
    request = ahead_.pop();
    return true;
}

/// What is to be given until the window ends.
void SampledSource::read_window() {
    const std::uint64_t requests = begin_ - given_ + length();
    HostRequest request;
    while (ahead_.size() < requests && source_.next(request)) {
        ahead_.push(request);
    }
}

/// A drive without time answers in the order of the requests.
void SampledSource::answered(std::uint32_t job) {
    CAVERN_CHECK(!unanswered_.empty() && unanswered_.pop() == job,
                 "answers come in the order of the requests");
    source_.answered(job);
}

/// Its drive begins with nothing outstanding: what the run has not answered yet is answered.
WindowSource::WindowSource(SampledSource& run) : run_(run), left_(run.length()) {
    while (!run_.unanswered_.empty()) {
        run_.source_.answered(run_.unanswered_.pop());
    }
}

bool WindowSource::next(HostRequest& request) {
    if (ended()) {
        return false;
    }
    if (!run_.fetch(request)) {
        left_ = run_.has_jobs_ ? left_ : 0; // jobs may have more when they have answers
        return false;
    }
    --left_;
    begin_ = begin_ == kNever ? request.arrival : begin_;
    request.arrival -= begin_;
    return true;
}

} // namespace cavern
