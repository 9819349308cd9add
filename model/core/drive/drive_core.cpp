#include "core/drive/drive_core.h"

#include <utility>

namespace cavern {

DriveCore::DriveCore(const Geometry& geometry, std::unique_ptr<WriteBuffer> buffer,
                     std::unique_ptr<AllocatorIf> allocator, std::unique_ptr<FtlIf> ftl,
                     ArrayTimes times, DecisionLogIf* log)
    : geometry_(geometry), buffer_(std::move(buffer)), allocator_(std::move(allocator)),
      ftl_(std::move(ftl)), execution_time_(geometry, std::move(times)), log_(log) {}

const std::vector<Victim>& DriveCore::victims() const {
    return buffer_ != nullptr ? buffer_->victims() : through_;
}

WriteDecision DriveCore::write(Lpn lpn) {
    ops_.clear();
    if (buffer_ == nullptr) {
        ++unbuffered_.write_misses;
        if (log_ != nullptr) {
            log_->write(lpn, false);
        }
        through_.assign(1, Victim{lpn, kNoFrame});
        write_back(through_);
        return {false, kNoFrame, true};
    }
    const BufferAccess access = buffer_->write(lpn);
    if (access.evicted) {
        write_back(buffer_->victims());
    }
    return {access.hit, access.frame, access.evicted};
}

void DriveCore::write_back(const std::vector<Victim>& victims) {
    lpns_.clear();
    for (const Victim& victim : victims) {
        lpns_.push_back(victim.lpn);
    }
    planes_.resize(victims.size());
    allocator_->place(lpns_.data(), lpns_.size(), planes_.data());
    for (std::size_t i = 0; i < victims.size(); ++i) {
        // Placed as a batch, the pages before this one may have taken the last room of its plane.
        if (!ftl_->has_room(planes_[i])) {
            allocator_->place(&lpns_[i], 1, &planes_[i]);
        }
        ftl_->write(victims[i].lpn, planes_[i], ops_);
        ops_.back().frame = raw(victims[i].frame);
    }
    execution_time_.add(ops_);
}

ReadDecision DriveCore::read(Lpn lpn) {
    ops_.clear();
    if (buffer_ != nullptr) {
        const BufferAccess access = buffer_->read(lpn);
        if (access.hit) {
            return {access.frame, kNoPpn};
        }
    } else {
        ++unbuffered_.read_misses;
        if (log_ != nullptr) {
            log_->read(lpn, false);
        }
    }
    return {kNoFrame, ftl_->read(lpn, ops_)};
}

FrameId DriveCore::trim(Lpn lpn) {
    ops_.clear();
    if (log_ != nullptr) {
        log_->trim(lpn);
    }
    const FrameId frame = buffer_ != nullptr ? buffer_->trim(lpn) : kNoFrame;
    ftl_->trim(lpn, ops_);
    return frame;
}

bool DriveCore::flush_step() {
    ops_.clear();
    if (buffer_ == nullptr || !buffer_->evict_batch()) {
        return false;
    }
    write_back(buffer_->victims());
    return true;
}

BufferCounters DriveCore::buffer_counters() const {
    return buffer_ != nullptr ? buffer_->counters() : unbuffered_;
}

void DriveCore::reset_counters() {
    if (buffer_ != nullptr) {
        buffer_->reset_counters();
    }
    unbuffered_ = {};
    ftl_->reset_counters();
    execution_time_.reset();
}

std::uint64_t DriveCore::check_invariants() const {
    return ftl_->check_invariants() + (buffer_ != nullptr ? buffer_->check_invariants() : 0);
}

} // namespace cavern
