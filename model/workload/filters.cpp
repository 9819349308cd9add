#include "workload/filters.h"

#include <cmath>
#include <string>
#include <utility>

#include "core/base/check.h"
#include "core/base/error.h"

namespace cavern {

Filter::Filter(std::unique_ptr<RequestSourceIf> source)
    : source_(std::move(source)), position_(dynamic_cast<const PositionIf*>(source_.get())) {
    CAVERN_CHECK(source_ != nullptr, "a filter has a source");
}

SourcePosition Filter::position() const {
    if (position_ != nullptr) {
        return position_->position();
    }
    return {"workload", static_cast<std::size_t>(requests_)};
}

LimitFilter::LimitFilter(std::unique_ptr<RequestSourceIf> source, std::uint64_t count)
    : Filter(std::move(source)), left_(count) {}

bool LimitFilter::next(HostRequest& request) {
    if (left_ == 0 || !fetch(request)) {
        return false;
    }
    --left_;
    return true;
}

AddressFilter::AddressFilter(std::unique_ptr<RequestSourceIf> source, std::uint64_t capacity,
                             AddressPolicy policy)
    : Filter(std::move(source)), capacity_(capacity), policy_(policy) {
    CAVERN_CHECK(capacity >= kSectorBytes, "a drive has at least one sector");
}

bool AddressFilter::next(HostRequest& request) {
    if (!fetch(request)) {
        return false;
    }
    if (request.op == RequestOp::kFlush) {
        return true;
    }
    if (request.bytes <= capacity_ && request.offset <= capacity_ - request.bytes) {
        return true;
    }
    if (policy_ == AddressPolicy::kError || request.bytes > capacity_) {
        fail(request);
    }
    request.offset = folded(request);
    return true;
}

std::uint64_t AddressFilter::folded(const HostRequest& request) const {
    const std::uint64_t sectors = capacity_ / kSectorBytes;
    const std::uint64_t offset = request.offset % (sectors * kSectorBytes);
    const std::uint64_t highest = capacity_ - request.bytes;
    if (offset <= highest) {
        return offset;
    }
    // Down to the last place that fits and lies as the offset does in its sector.
    const std::uint64_t in_sector = offset % kSectorBytes;
    if (highest < in_sector) {
        return highest;
    }
    return (highest - in_sector) / kSectorBytes * kSectorBytes + in_sector;
}

void AddressFilter::fail(const HostRequest& request) const {
    const SourcePosition where = position();
    const std::string capacity = std::to_string(capacity_) + " bytes";
    if (request.bytes > capacity_) {
        throw error_at(where,
                       "a request of " + std::to_string(request.bytes) +
                           " bytes is larger than the drive",
                       "the drive has " + capacity);
    }
    throw error_at(where,
                   "the request of " + std::to_string(request.bytes) + " bytes at offset " +
                       std::to_string(request.offset) + " ends beyond the drive",
                   "the drive has " + capacity +
                       "; a larger one, or workload.out_of_range = \"wrap\", takes it");
}

SpeedupFilter::SpeedupFilter(std::unique_ptr<RequestSourceIf> source, double factor)
    : Filter(std::move(source)), factor_(factor) {
    CAVERN_CHECK(std::isfinite(factor) && factor > 0, "a speedup is a positive number");
}

bool SpeedupFilter::next(HostRequest& request) {
    if (!fetch(request)) {
        return false;
    }
    // long double: 2^53 ps is only two and a half hours.
    constexpr long double kLimit = 0x1.0p63L;
    const long double arrival = static_cast<long double>(request.arrival) / factor_;
    if (arrival >= kLimit) {
        const SourcePosition where = position();
        throw error_at(where, "the arrival lies more than 106 days after the start",
                       "a larger workload.speedup brings it nearer");
    }
    request.arrival = static_cast<TimePs>(arrival);
    return true;
}

std::unique_ptr<RequestSourceIf> apply_filters(std::unique_ptr<RequestSourceIf> source,
                                               const FilterOptions& options) {
    if (options.limit) {
        source = std::make_unique<LimitFilter>(std::move(source), *options.limit);
    }
    source =
        std::make_unique<AddressFilter>(std::move(source), options.capacity, options.out_of_range);
    if (options.speedup != 1.0) {
        source = std::make_unique<SpeedupFilter>(std::move(source), options.speedup);
    }
    return source;
}

} // namespace cavern
