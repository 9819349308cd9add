#include "workload/fio_pace.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/wide.h"

namespace cavern {
namespace {

TimePs bounded(Uint128 time) {
    return static_cast<TimePs>(std::min<Uint128>(time, FioPace::kEndOfTime));
}

} // namespace

FioPace::FioPace(const FioJob& job, bool timed) : job_(job), timed_(timed) {
    for (std::size_t i = 0; i < rates_.size(); ++i) {
        // A rate_iops is one of the least size, as in fio.
        rates_[i].bytes_per_second =
            job.rate[i] != 0 ? job.rate[i] : job.rate_iops[i] * job.sizes[i].least;
    }
}

void FioPace::begin(TimePs now) {
    begin_ = now;
    thought_since_ = now;
}

bool FioPace::waits(TimePs now) {
    if (outstanding_ >= job_.iodepth || answers_ < answers_wanted_ ||
        (blocked_ && outstanding_ != 0)) {
        return true;
    }
    blocked_ = false;
    if (std::exchange(may_think_, false)) {
        think(now);
    }
    if (drains_ && outstanding_ != 0) {
        return true;
    }
    if (std::exchange(drains_, false)) {
        resumes_at_ = bounded(Uint128{now} + pause_);
    }
    return timed_ && now < resumes_at_;
}

void FioPace::pause(TimePs length) {
    drains_ = true;
    pause_ = length;
}

/// handle_thinktime() of fio: after so many blocks, or so long a time.
void FioPace::think(TimePs now) {
    if (job_.thinktime == 0) {
        return;
    }
    // Flushes are under way as well, and which of them are answered is not told.
    const std::uint64_t answered = made_ - std::min<std::uint64_t>(made_, outstanding_);
    const std::uint64_t blocks = job_.thinktime_counts_issued ? made_ : answered;
    const bool by_time = job_.thinktime_iotime != 0 &&
                         now - thought_since_ >= job_.thinktime_iotime + job_.thinktime;
    const bool by_blocks =
        job_.thinktime_blocks != 0 && blocks >= thought_at_ + job_.thinktime_blocks;
    if (!by_time && !by_blocks) {
        return;
    }
    thought_at_ = blocks;
    thought_since_ = now;
    pause(std::max(job_.thinktime, job_.thinktime_spin));
    Rate& own = of(last_);
    if (job_.rate_ignore_thinktime) {
        own.gaps = bounded(Uint128{own.gaps} + job_.thinktime);
        // What would have been done meanwhile counts as done, but for a whole block.
        const auto missed =
            static_cast<std::uint64_t>(Uint128{own.bytes_per_second} * job_.thinktime / kSecond);
        const std::uint64_t block = job_.sizes[index_of(last_)].least;
        own.bytes += missed < block ? missed : missed - block;
    }
}

/// rate_ddir() of fio: the direction itself where it is due, else the other one of a mix where that
/// is, else a pause until the first of them.
std::optional<FioDirection> FioPace::by_rate(FioDirection direction, TimePs now) {
    const TimePs since = now - begin_;
    if (!timed_ || of(direction).due <= since) {
        return direction;
    }
    const FioDirection other =
        direction == FioDirection::kRead ? FioDirection::kWrite : FioDirection::kRead;
    const double share = other == FioDirection::kRead ? job_.rwmixread : 100 - job_.rwmixread;
    if (job_.mixes() && share > 0) {
        if (of(other).due <= since) {
            return other;
        }
        direction = of(direction).due <= of(other).due ? direction : other;
    }
    paused_ = direction;
    pause(of(direction).due - since);
    if (job_.offload) {
        drains_ = false;
        resumes_at_ = bounded(Uint128{now} + pause_);
    }
    return std::nullopt;
}

std::optional<FioDirection> FioPace::take_paused() {
    return std::exchange(paused_, std::nullopt);
}

void FioPace::made(FioDirection direction, std::uint64_t bytes, Random& random) {
    ++made_;
    last_ = direction;
    may_think_ = true;
    Rate& own = of(direction);
    if (own.bytes_per_second == 0) {
        return;
    }
    own.bytes += bytes;
    if (job_.poisson) {
        const double mean = static_cast<double>(job_.sizes[index_of(direction)].least) /
                            static_cast<double>(own.bytes_per_second) *
                            static_cast<double>(kSecond);
        const double gap = -std::log(1 - random.uniform()) * mean;
        own.due = own.gaps = bounded(own.gaps + static_cast<Uint128>(gap));
    } else {
        own.due = bounded(Uint128{own.bytes} * kSecond / own.bytes_per_second);
    }
}

/// A queue that it fills has to be answered before it is filled again: a batch, or until it is low.
void FioPace::sent(RequestOp op) {
    blocked_ = (job_.waits_for_flush && op == RequestOp::kFlush) ||
               (job_.waits_for_trim && op == RequestOp::kTrim);
    if (++outstanding_ == job_.iodepth) {
        const std::uint32_t low = job_.iodepth_low != 0 ? job_.iodepth_low : job_.iodepth;
        const std::uint32_t batch = std::min(job_.iodepth_batch_complete, job_.iodepth);
        const std::uint32_t rounds =
            std::max<std::uint32_t>((job_.iodepth - low + batch - 1) / batch, 1);
        answers_wanted_ = answers_ + std::min(rounds * batch, job_.iodepth);
    }
}

void FioPace::answered() {
    --outstanding_;
    ++answers_;
}

} // namespace cavern
