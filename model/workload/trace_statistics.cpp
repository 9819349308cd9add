#include "workload/trace_statistics.h"

#include <algorithm>
#include <cmath>

#include "core/base/wide.h"

namespace cavern {
namespace {

constexpr std::size_t kMostTouchedPages = std::size_t{1} << 23;
constexpr std::uint64_t kNoEnd = ~std::uint64_t{0};
constexpr std::uint32_t kRead = 1;
constexpr std::uint32_t kWritten = 2;

double share(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Spreads page numbers over 64 bits; pages whose lowest bits are zero form the sample.
std::uint64_t spread(std::uint64_t page) {
    page = (page ^ (page >> 31)) * 0x9E3779B97F4A7C15u;
    return page >> 16 ^ page;
}

std::size_t bin_of(std::uint64_t value, std::uint64_t span, std::size_t bins) {
    const auto scaled = static_cast<Uint128>(value) * bins / std::max<std::uint64_t>(span, 1);
    return static_cast<std::size_t>(std::min<Uint128>(scaled, bins - 1));
}

} // namespace

TraceStatistics::TraceStatistics(TimePs duration, std::uint64_t end, const DeviceMap& devices,
                                 bool reuse)
    : span_(duration), end_(end), with_reuse_(reuse), marks_(1024),
      map_(2 * kPlaceBins * kTimeBins) {
    for (const DeviceMap::Device& device : devices.devices()) {
        device_bases_.push_back(device.base);
    }
    if (device_bases_.empty()) {
        device_bases_.push_back(0);
    }
    device_ends_.assign(device_bases_.size(), kNoEnd);
}

void TraceStatistics::add(const HostRequest& request) {
    add_gap(request.arrival);
    ++requests_;
    Operation& operation = by_op_[static_cast<std::size_t>(request.op)];
    ++operation.count;
    operation.bytes += request.bytes;
    if (request.op == RequestOp::kFlush || request.op == RequestOp::kZone) {
        return;
    }
    operation.max_bytes = std::max(operation.max_bytes, request.bytes);
    operation.sectors.add((request.bytes + 511) / 512);
    const unsigned bits = 64u - static_cast<unsigned>(__builtin_clzll(request.bytes));
    ++operation.size_bins[std::min<std::size_t>(bits, kSizeBins - 1)];
    if (request.op == RequestOp::kTrim) {
        return;
    }
    ++moving_;
    aligned_ += request.offset % kPageBytes == 0 && request.bytes % kPageBytes == 0 ? 1 : 0;
    const auto known = exact_sizes_.find(request.bytes);
    if (known != exact_sizes_.end()) {
        ++known->second;
    } else if (exact_sizes_.size() < kMaxExactSizes) {
        exact_sizes_.emplace(request.bytes, 1);
    }
    add_order(request, operation);
    add_pages(request, operation);
    map_[(static_cast<std::size_t>(request.op) * kPlaceBins +
          bin_of(request.offset, end_, kPlaceBins)) *
             kTimeBins +
         bin_of(request.arrival, span_, kTimeBins)] += request.bytes;
}

void TraceStatistics::add_gap(TimePs now) {
    if (requests_ == 0) {
        first_ = now;
    } else {
        const TimePs gap = now - last_;
        gaps_ns_.add(gap / kNs);
        zero_gaps_ += gap == 0 ? 1 : 0;
        const double seconds = static_cast<double>(gap) / static_cast<double>(kSecond);
        gap_squares_ += seconds * seconds;
    }
    last_ = now;
    if (now / kSecond != second_) {
        second_ = now / kSecond;
        in_second_ = 0;
    }
    busiest_ = std::max(busiest_, ++in_second_);
}

void TraceStatistics::add_order(const HostRequest& request, Operation& operation) {
    const std::uint64_t end = request.offset + request.bytes;
    operation.sequential += request.offset == operation.last_end ? 1 : 0;
    operation.last_end = end;
    sequential_across_ += request.offset == last_end_ ? 1 : 0;
    last_end_ = end;
    const auto after = std::upper_bound(device_bases_.begin(), device_bases_.end(), request.offset);
    const auto device = static_cast<std::size_t>(after - device_bases_.begin()) - 1;
    sequential_ += request.offset == device_ends_[device] ? 1 : 0;
    device_ends_[device] = end;
}

void TraceStatistics::add_pages(const HostRequest& request, Operation& operation) {
    const std::uint64_t first = request.offset / kPageBytes;
    const std::uint64_t last = (request.offset + request.bytes - 1) / kPageBytes;
    operation.page_accesses += last - first + 1;
    const bool write = request.op == RequestOp::kWrite;
    for (std::uint64_t page = first; page <= last; ++page) {
        touch(page, write ? kWritten : kRead);
        if (with_reuse_) {
            reuse_.access(page);
            if (write) {
                write_reuse_.access(page);
            }
        }
    }
}

void TraceStatistics::touch(std::uint64_t page, std::uint32_t mark) {
    if ((spread(page) & ((std::uint64_t{1} << halvings_) - 1)) != 0) {
        return;
    }
    const std::uint32_t before = marks_.find(page);
    if (before == FlatMap::kNone) {
        marks_.set(page, mark);
        pages_.push_back(page);
        ++marked_[mark];
        if (pages_.size() > kMostTouchedPages) {
            thin_out();
        }
    } else if ((before | mark) != before) {
        marks_.set(page, before | mark);
        --marked_[before];
        ++marked_[before | mark];
    }
}

void TraceStatistics::thin_out() {
    ++halvings_;
    const std::uint64_t mask = (std::uint64_t{1} << halvings_) - 1;
    const auto gone = [&](std::uint64_t page) {
        if ((spread(page) & mask) == 0) {
            return false;
        }
        --marked_[marks_.find(page)];
        static_cast<void>(marks_.erase(page));
        return true;
    };
    pages_.erase(std::remove_if(pages_.begin(), pages_.end(), gone), pages_.end());
}

double TraceStatistics::random_share() const {
    return moving_ == 0 ? 0 : 1 - share(sequential_, moving_);
}

double TraceStatistics::random_share_across_devices() const {
    return moving_ == 0 ? 0 : 1 - share(sequential_across_, moving_);
}

double TraceStatistics::aligned_share() const {
    return share(aligned_, moving_);
}

TraceStatistics::Footprint TraceStatistics::footprint() const {
    const double scale = std::ldexp(1.0, static_cast<int>(halvings_));
    const auto pages = [scale](std::uint64_t count) { return scale * static_cast<double>(count); };
    return {pages(marked_[kRead] + marked_[kRead | kWritten]),
            pages(marked_[kWritten] + marked_[kRead | kWritten]),
            pages(marked_[kRead] + marked_[kWritten] + marked_[kRead | kWritten]), halvings_ == 0};
}

double TraceStatistics::zero_gap_share() const {
    return share(zero_gaps_, gaps_ns_.count());
}

double TraceStatistics::gap_variation() const {
    if (gaps_ns_.count() == 0 || duration() == 0) {
        return 0;
    }
    const auto count = static_cast<double>(gaps_ns_.count());
    const double mean = static_cast<double>(duration()) / static_cast<double>(kSecond) / count;
    return std::sqrt(std::max(0.0, gap_squares_ / count - mean * mean)) / mean;
}

std::uint64_t TraceStatistics::busiest_second() const {
    return busiest_;
}

} // namespace cavern
