#include "serve/drive_export.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/check.h"
#include "core/base/sectors.h"

namespace cavern {
namespace {

LiveOp op_of(nbd::ExportOp op) {
    switch (op) {
    case nbd::ExportOp::kRead:
        return LiveOp::kRead;
    case nbd::ExportOp::kWrite:
        return LiveOp::kWrite;
    case nbd::ExportOp::kTrim:
        return LiveOp::kTrim;
    case nbd::ExportOp::kWriteZeroes:
        return LiveOp::kWriteZeroes;
    case nbd::ExportOp::kFlush:
        break;
    }
    return LiveOp::kFlush;
}

} // namespace

void DriveExport::connect(LiveDrive& drive, const ServeClock* clock) {
    drive_ = &drive;
    clock_ = clock;
}

std::uint32_t DriveExport::block_bytes() const {
    return kSectorBytes;
}

/// A page, where its size is a power of two.
std::uint32_t DriveExport::preferred_bytes() const {
    const std::uint32_t page = drive_->page_bytes();
    return (page & (page - 1)) == 0 ? page : 4096;
}

void DriveExport::submit(nbd::Session& session, std::uint32_t slot,
                         const nbd::ExportRequest& request) {
    Request ours;
    ours.session = &session;
    ours.slot = slot;
    ours.what = request;
    if (clock_ != nullptr) {
        ours.came = ServeClock::Wall::now() - clock_->transport();
    }
    begin(ours);
}

void DriveExport::begin(const Request& request) {
    const RequestId id = requests_.allocate();
    requests_[id] = request;
    const nbd::ExportRequest& what = request.what;
    drive_->submit({op_of(what.op), what.fua, what.no_hole, what.offset, what.bytes, raw(id)});
}

void DriveExport::write(std::uint64_t offset, std::byte* data, std::uint32_t bytes) {
    Request ours;
    ours.what.op = nbd::ExportOp::kWrite;
    ours.what.offset = offset;
    ours.what.bytes = bytes;
    ours.what.data = data;
    begin(ours);
}

void DriveExport::flush() {
    Request ours;
    ours.what.op = nbd::ExportOp::kFlush;
    begin(ours);
}

void DriveExport::settle() {
    while (drive_->outstanding() != 0) {
        drive_->step_to_completion(kNever);
        deliver();
    }
}

std::uint32_t DriveExport::deliver() {
    std::uint32_t delivered = 0;
    for (LiveCompletion done; drive_->poll(done); ++delivered) {
        const auto id = static_cast<RequestId>(done.tag);
        const Request request = requests_[id];
        requests_.release(id);
        if (request.session == nullptr) {
            continue;
        }
        const bool right = done.status == LiveStatus::kDone;
        ++statistics_.requests;
        statistics_.errors += right ? 0 : 1;
        statistics_.bytes_read += request.what.op == nbd::ExportOp::kRead ? request.what.bytes : 0;
        statistics_.bytes_written +=
            request.what.op == nbd::ExportOp::kWrite ? request.what.bytes : 0;
        const TimePs took = done.completed - done.submitted;
        latencies_ns_.add(to_ns(took));
        if (clock_ != nullptr) {
            const auto late = ServeClock::Wall::now() - request.came - clock_->on_the_wall(took);
            statistics_.late_ns.add(static_cast<std::uint64_t>(std::max<std::int64_t>(
                0, std::chrono::duration_cast<std::chrono::nanoseconds>(late).count())));
        }
        request.session->completed(request.slot, right ? nbd::kOk : nbd::kEio);
    }
    return delivered;
}

Histogram DriveExport::take_latencies() {
    return std::exchange(latencies_ns_, Histogram());
}

// ---- data ---------------------------------------------------------------------------------------

DriveExport::Request& DriveExport::request_of(std::uint64_t tag, std::uint64_t offset,
                                              std::uint32_t bytes) {
    Request& request = requests_[static_cast<RequestId>(tag)];
    CAVERN_CHECK(request.what.data != nullptr && offset + bytes <= request.what.bytes,
                 "the device moves the data of a request that there is");
    return request;
}

void DriveExport::take(std::uint64_t tag, std::uint64_t offset, std::byte* to,
                       std::uint32_t bytes) {
    std::memcpy(to, request_of(tag, offset, bytes).what.data + offset, bytes);
}

void DriveExport::give(std::uint64_t tag, std::uint64_t offset, const std::byte* from,
                       std::uint32_t bytes) {
    std::memcpy(request_of(tag, offset, bytes).what.data + offset, from, bytes);
}

// ---- the map ------------------------------------------------------------------------------------

bool DriveExport::is_mapped(std::uint64_t page) const {
    const DriveCore& core = drive_->ssd().core();
    const Lpn lpn{page};
    return core.ftl().location(lpn) != kNoPpn ||
           (core.buffer() != nullptr && core.buffer()->is_resident(lpn));
}

nbd::Extent DriveExport::extent(std::uint64_t offset, std::uint64_t most) const {
    constexpr std::uint64_t kMostPages = 4096;
    const std::uint64_t page_bytes = drive_->page_bytes();
    const std::uint64_t first = offset / page_bytes;
    const std::uint64_t end = (offset + most + page_bytes - 1) / page_bytes;
    const bool mapped = is_mapped(first);
    std::uint64_t page = first + 1;
    while (page < end && page - first < kMostPages && is_mapped(page) == mapped) {
        ++page;
    }
    return {std::min(most, page * page_bytes - offset), !mapped, !mapped};
}

} // namespace cavern
