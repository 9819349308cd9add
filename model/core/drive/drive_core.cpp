#include "core/drive/drive_core.h"

#include <utility>

#include "core/base/check.h"
#include "core/base/error.h"

namespace cavern {

DriveCore::DriveCore(const Geometry& geometry, std::unique_ptr<WriteBuffer> buffer,
                     std::unique_ptr<AllocatorIf> allocator, std::unique_ptr<FtlIf> ftl,
                     ArrayTimes times, DecisionLogIf* log, std::unique_ptr<DieLoad> load)
    : geometry_(geometry), buffer_(std::move(buffer)), allocator_(std::move(allocator)),
      ftl_(std::move(ftl)), execution_time_(geometry, std::move(times)), versions_(geometry),
      log_(log), evicting_{ops_, buffer_ != nullptr ? buffer_->victims() : through_,
                           buffer_ != nullptr ? buffer_->dropped() : no_frames_},
      staying_{ops_, no_victims_, no_frames_}, load_(std::move(load)) {}

template <typename Act>
auto DriveCore::keeping_user_error(Act act) {
    try {
        return act();
    } catch (const UserError&) {
        user_error_ = std::current_exception();
        throw;
    }
}

const Batch& DriveCore::evict() {
    keeping_user_error([this] { write_back(evicting_.victims); });
    evicting_.units = buffer_ != nullptr ? buffer_->units() : 1;
    evicting_.stay = false;
    return evicting_;
}

WriteDecision DriveCore::write(Lpn lpn, std::uint32_t pages_in_command) {
    ops_.clear();
    if (buffer_ == nullptr) {
        ++unbuffered_.write_misses;
        if (log_ != nullptr) {
            log_->write(lpn, false);
        }
        pages_in_command_ = pages_in_command;
        through_.assign(1, Victim{lpn, kNoFrame});
        return {false, kNoFrame, evict()};
    }
    const BufferAccess access = buffer_->write(lpn);
    inserted_ = !access.hit;
    if (inserted_) {
        ftl_->prefetch_hint(lpn);
        versions_.prefetch(lpn);
        if (partition_ != nullptr) {
            partition_->on_buffer_miss(lpn, true, true);
        }
    }
    if (!access.evicted) {
        return {access.hit, access.frame, staying_};
    }
    remember_victims();
    return {access.hit, access.frame, evict()};
}

WriteDecision DriveCore::write_through(Lpn lpn, std::uint32_t pages_in_command) {
    if (buffer_ == nullptr) {
        return write(lpn, pages_in_command);
    }
    ops_.clear();
    inserted_ = false;
    const BufferAccess access = buffer_->write_through(lpn);
    if (!access.hit) {
        ftl_->prefetch_hint(lpn);
    }
    if (partition_ != nullptr) {
        partition_->on_trim(lpn);
    }
    return {access.hit, access.frame, evict()};
}

void DriveCore::write_back(const std::vector<Victim>& victims) {
    lpns_.clear();
    for (const Victim& victim : victims) {
        lpns_.push_back(victim.lpn);
    }
    planes_.resize(victims.size());
    allocator_->place(lpns_.data(), lpns_.size(), planes_.data());
    const bool by_block = buffer_ != nullptr && buffer_->evicts_blocks();
    for (std::size_t i = 0; i < victims.size();) {
        std::size_t end = i + 1;
        if (by_block) {
            const Lbn lbn = geometry_.lbn_of(victims[i].lpn);
            while (end < victims.size() && geometry_.lbn_of(victims[end].lpn) == lbn) {
                ++end;
            }
        }
        write_unit(victims, i, end);
        i = end;
    }
    versions_.number(ops_);
    execution_time_.add(ops_);
    if (load_ != nullptr && load_->measures() && !load_->is_timed()) {
        load_->add(execution_time_.costs(ops_));
    }
}

void DriveCore::write_unit(const std::vector<Victim>& victims, std::size_t first, std::size_t end) {
    // Placed as a batch, the units before this one may have taken the last room of its planes.
    bool room = true;
    for (std::size_t i = first; i < end; ++i) {
        room = room && ftl_->has_room(planes_[i], lpns_[i]);
    }
    if (!room) {
        allocator_->place(&lpns_[first], end - first, &planes_[first]);
    }
    unit_.clear();
    for (std::size_t i = first; i < end; ++i) {
        unit_.push_back({victims[i].lpn, planes_[i], victims[i].padding, pages_in_command_});
    }
    std::size_t op = ops_.size();
    ftl_->write_unit(unit_.data(), unit_.size(), ops_);
    for (std::size_t i = first; i < end; ++i) {
        if (victims[i].padding) {
            continue;
        }
        while (op < ops_.size() &&
               (ops_[op].kind != FlashOpKind::kProgram || ops_[op].origin != Origin::kHost)) {
            ++op;
        }
        CAVERN_CHECK(op < ops_.size() && ops_[op].lpn == victims[i].lpn,
                     "the translation layer programs each page of a unit once, in order");
        ops_[op++].frame = raw(victims[i].frame);
    }
}

ReadDecision DriveCore::read(Lpn lpn) {
    ops_.clear();
    if (buffer_ != nullptr) {
        const BufferAccess access = buffer_->read(lpn);
        inserted_ = !access.hit && access.frame != kNoFrame;
        if (access.hit) {
            return {true, access.frame, kNoPpn, false, 0, staying_};
        }
        if (partition_ != nullptr) {
            partition_->on_buffer_miss(lpn, false, inserted_);
        }
        if (!access.evicted) {
            return look_up(lpn, access.frame, staying_);
        }
        remember_victims();
        const Batch& batch = evict();
        // After the eviction, which may have moved the page.
        return look_up(lpn, access.frame, batch);
    }
    ++unbuffered_.read_misses;
    if (log_ != nullptr) {
        log_->read(lpn, false);
    }
    return look_up(lpn, kNoFrame, staying_);
}

ReadDecision DriveCore::look_up(Lpn lpn, FrameId frame, const Batch& batch) {
    const std::size_t before = ops_.size();
    const Ppn page = ftl_->read(lpn, ops_);
    versions_.number(ops_, before);
    return {false, frame, page, ops_.size() != before, versions_.newest(lpn), batch};
}

TrimDecision DriveCore::trim(Lpn first, std::uint64_t count) {
    ops_.clear();
    trimmed_.clear();
    inserted_ = false;
    for (std::uint64_t page = raw(first); page < raw(first) + count; ++page) {
        const Lpn lpn{page};
        if (log_ != nullptr) {
            log_->trim(lpn);
        }
        const FrameId frame = buffer_ != nullptr ? buffer_->trim(lpn) : kNoFrame;
        if (frame != kNoFrame) {
            trimmed_.push_back(frame);
        }
        if (partition_ != nullptr) {
            partition_->on_trim(lpn);
        }
    }
    ftl_->trim_range(first, count, ops_);
    versions_.number(ops_);
    for (std::uint64_t page = raw(first); page < raw(first) + count; ++page) {
        versions_.forget(Lpn{page});
    }
    return {count, trimmed_, staying_};
}

const Batch* DriveCore::flush_step() {
    ops_.clear();
    if (buffer_ == nullptr || !buffer_->flush_batch()) {
        return nullptr;
    }
    const Batch& batch = evict();
    evicting_.stay = buffer_->keeps_flushed();
    return &batch;
}

const Batch* DriveCore::evict_ahead(const BufferLoad& load) {
    if (!works_ahead()) {
        return nullptr;
    }
    ops_.clear();
    if (!buffer_->evict_ahead(load)) {
        return nullptr;
    }
    remember_victims();
    return &evict();
}

const Batch* DriveCore::maintain(PlaneId plane, std::uint32_t copies) {
    ops_.clear();
    if (!keeping_user_error([&] { return ftl_->maintain(plane, copies, ops_); })) {
        return nullptr;
    }
    versions_.number(ops_);
    execution_time_.add(ops_);
    return &staying_;
}

BufferCounters DriveCore::buffer_counters() const {
    return buffer_ != nullptr ? buffer_->counters() : unbuffered_;
}

void DriveCore::reset_counters() {
    if (buffer_ != nullptr) {
        buffer_->reset_counters();
    }
    if (queue_pins_ != nullptr) {
        queue_pins_->reset_counters();
    }
    unbuffered_ = {};
    if (partition_ != nullptr) {
        partition_->keep(*ftl_->map_cache());
    }
    ftl_->reset_counters();
    execution_time_.reset();
}

void DriveCore::begin_run() {
    reset_counters();
    if (partition_ != nullptr) {
        partition_->forget();
    }
}

// ---- memory divided between buffer and mapping cache --------------------------------------------

void DriveCore::partition_by(std::unique_ptr<AdaptivePartition> partition) {
    MapCacheIf* map = ftl_->map_cache();
    CAVERN_CHECK(buffer_ != nullptr && map != nullptr,
                 "memory is divided between a write buffer and a mapping cache");
    partition_ = std::move(partition);
    map->set_listener(partition_.get());
    map->resize_cache(partition_->map_bytes(), ops_);
    buffer_->set_capacity(partition_->buffer_pages());
    CAVERN_CHECK(ops_.empty() && buffer_->victims().empty(), "memory is divided before it is used");
}

const Batch* DriveCore::repartition() {
    ops_.clear();
    inserted_ = false;
    const std::uint64_t map_bytes = partition_->map_bytes();
    const PartitionChange change = partition_->tune(*ftl_->map_cache());
    if (log_ != nullptr) {
        log_->tune({partition_->requests(), partition_->buffer_bytes(), partition_->map_bytes(),
                    change.buffer_benefit, change.map_benefit});
    }
    if (partition_->map_bytes() == map_bytes) {
        return nullptr;
    }
    ftl_->map_cache()->resize_cache(partition_->map_bytes(), ops_);
    buffer_->set_capacity(partition_->buffer_pages());
    remember_victims();
    return &evict();
}

/// Before they are written back, which may evict entries of the map.
void DriveCore::remember_victims() {
    if (partition_ == nullptr) {
        return;
    }
    for (const Victim& victim : buffer_->victims()) {
        if (!victim.padding) {
            partition_->on_buffer_eviction(victim.lpn);
        }
    }
}

std::uint64_t DriveCore::check_invariants() const {
    return ftl_->check_invariants() + (buffer_ != nullptr ? buffer_->check_invariants() : 0) +
           (partition_ != nullptr ? partition_->check_invariants() : 0);
}

} // namespace cavern
