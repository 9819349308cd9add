#include "core/drive/drive_core.h"

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
      staying_{ops_, no_victims_, no_frames_}, load_(std::move(load)),
      handles_(ftl_->parts().handles), nand_pages_(ftl_->parts().nand_pages) {}

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
    CAVERN_CHECK(still_fits_ == 0, "pages leave the buffer when the NAND pages of a command that "
                                   "is written through are filled up");
    keeping_user_error([this] { write_back(evicting_.victims); });
    fill_up_pages(ops_);
    return evict_through(true);
}

/// A command that is written through goes on to fill the NAND pages it has begun; copies do not.
const Batch& DriveCore::evict_through(bool whole_pages) {
    if (nand_pages_ != nullptr) {
        nand_pages_->complete_copies(ops_);
    }
    count_operations(whole_pages);
    evicting_.units = buffer_ != nullptr ? buffer_->units() : 1;
    return evicting_;
}

WriteDecision DriveCore::decide_write(Lpn lpn, std::uint32_t pages_in_command, SectorMask sectors) {
    ops_.clear();
    if (watch_ != nullptr) {
        watch_->host_write(lpn);
    }
    if (handles_ != nullptr) {
        handles_->on_host_write(lpn);
    }
    if (buffer_ == nullptr) {
        ++unbuffered_.write_misses;
        if (log_ != nullptr) {
            log_->write(lpn, false);
        }
        pages_in_command_ = pages_in_command;
        SectorSpan missing = kNoSectors;
        if (tracks_sectors_) {
            missing = span_of(first_sectors(geometry_.page_bytes / kSectorBytes) & ~sectors);
        }
        through_.front() = Victim{lpn, kNoFrame, false, false, missing};
        keeping_user_error([this] { write_one(through_.front()); });
        return {false, kNoFrame, evict_through(nand_pages_ == nullptr)};
    }
    const BufferAccess access = buffer_->write(lpn, sectors);
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

WriteDecision DriveCore::decide_write_through(Lpn lpn, std::uint32_t pages_in_command,
                                              SectorMask sectors) {
    if (buffer_ == nullptr) {
        return decide_write(lpn, pages_in_command, sectors);
    }
    ops_.clear();
    if (watch_ != nullptr) {
        watch_->host_write(lpn);
    }
    if (handles_ != nullptr) {
        handles_->on_host_write(lpn);
    }
    inserted_ = false;
    const BufferAccess access = buffer_->write_through(lpn, sectors);
    if (!access.hit) {
        ftl_->prefetch_hint(lpn);
    }
    if (partition_ != nullptr) {
        partition_->on_trim(lpn);
    }
    keeping_user_error([this] { write_back(evicting_.victims); });
    return {access.hit, access.frame, evict_through(nand_pages_ == nullptr)};
}

const Batch* DriveCore::complete_pages() {
    ops_.clear();
    fill_up_pages(ops_);
    if (ops_.empty()) {
        return nullptr;
    }
    count_operations(true);
    return &staying_;
}

// The allocator knows only what is programmed as one.
void DriveCore::place_units(const Lpn* lpns, std::size_t count, PlaneId* planes) {
    const std::uint32_t units = geometry_.units_per_program();
    for (std::size_t i = 0; i < count; ++i) {
        if (still_fits_ == 0) {
            const Lpn page{raw(lpns[i]) / units};
            allocator_->place(&page, 1, &plane_);
            still_fits_ = units;
        }
        planes[i] = plane_;
        --still_fits_;
    }
}

void DriveCore::write_back(const std::vector<Victim>& victims) {
    if (victims.size() == 1) {
        write_one(victims.front());
        return;
    }
    lpns_.clear();
    for (const Victim& victim : victims) {
        lpns_.push_back(victim.lpn);
    }
    planes_.resize(victims.size());
    place(lpns_.data(), lpns_.size(), planes_.data());
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
}

void DriveCore::count_operations(bool whole_pages) {
    number(ops_);
    if (whole_pages) {
        end_decision();
    }
    execution_time_.add(ops_);
    if (load_ != nullptr && load_->measures() && !load_->is_timed()) {
        load_->add(execution_time_.costs(ops_));
    }
}

[[gnu::always_inline]] inline std::size_t DriveCore::name_frame(const Victim& victim,
                                                                std::size_t op) {
    while (op < ops_.size() && !ops_[op].is_hosts()) {
        ++op;
    }
    CAVERN_CHECK(op < ops_.size() && ops_[op].lpn == victim.lpn,
                 "the translation layer programs each page of a unit once, in order");
    ops_[op].frame = raw(victim.frame);
    if (!victim.missing.empty() && tracks_sectors_ && ops_[op].supersedes != kNoPpn) {
        read_rest(op++, victim.missing);
    }
    return op + 1;
}

void DriveCore::write_unit(const std::vector<Victim>& victims, std::size_t first, std::size_t end) {
    // Placed as a batch, the units before this one may have taken the last room of its planes.
    bool room = true;
    for (std::size_t i = first; i < end; ++i) {
        room = room && ftl_->has_room(planes_[i], lpns_[i]);
    }
    if (!room) {
        still_fits_ = 0;
        place(&lpns_[first], end - first, &planes_[first]);
    }
    unit_.clear();
    for (std::size_t i = first; i < end; ++i) {
        unit_.push_back({victims[i].lpn, planes_[i], victims[i].padding, pages_in_command_});
    }
    std::size_t op = ops_.size();
    ftl_->write_unit(unit_.data(), unit_.size(), ops_);
    for (std::size_t i = first; i < end; ++i) {
        op = victims[i].padding ? op : name_frame(victims[i], op);
    }
}

// As a unit of several, in one pass.
void DriveCore::write_one(const Victim& victim) {
    PlaneId plane{};
    place(&victim.lpn, 1, &plane);
    if (!ftl_->has_room(plane, victim.lpn)) {
        still_fits_ = 0;
        place(&victim.lpn, 1, &plane);
    }
    const UnitPage page{victim.lpn, plane, victim.padding, pages_in_command_};
    const std::size_t first = ops_.size();
    ftl_->write_unit(&page, 1, ops_);
    if (!victim.padding) {
        name_frame(victim, first);
    }
}

/// The least that a read moves.
SectorSpan DriveCore::moved(SectorSpan wanted) const {
    if (read_grain_ == 0) {
        return {};
    }
    const auto piece = [this](std::uint8_t sector) { return sector / read_grain_ * read_grain_; };
    return {static_cast<std::uint8_t>(piece(wanted.first)),
            static_cast<std::uint8_t>(piece(wanted.last) + read_grain_ - 1)};
}

void DriveCore::read_rest(std::size_t program, SectorSpan missing) {
    const FlashOp write = ops_[program];
    const auto place = static_cast<std::int32_t>(program);
    FlashOp read(FlashOpKind::kRead, Origin::kRmw, write.supersedes, write.lpn, write.after);
    read.want(moved(missing));
    ops_.insert(ops_.begin() + place, read);
    ops_[program + 1].after = place;
    ops_[program + 1].merges = true;
    for (std::size_t i = program + 2; i < ops_.size(); ++i) {
        ops_[i].after += ops_[i].after >= place ? 1 : 0;
    }
    ++rmw_pages_;
}

ReadDecision DriveCore::decide_read(Lpn lpn, SectorMask sectors) {
    ops_.clear();
    if (buffer_ != nullptr) {
        const BufferAccess access = buffer_->read(lpn, sectors);
        inserted_ = !access.hit && !access.completes && access.frame != kNoFrame;
        if (access.hit) {
            return {true, access.frame, kNoPpn, false, 0, staying_};
        }
        if (access.completes) {
            return read_rest_of(lpn, access.frame, access.missing);
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

/// Where flash has nothing of the page, the rest of it is zeros.
ReadDecision DriveCore::read_rest_of(Lpn lpn, FrameId frame, SectorSpan missing) {
    ReadDecision decision = look_up(lpn, frame, staying_);
    decision.completes = true;
    decision.wanted = moved(missing);
    decision.hit = decision.page == kNoPpn;
    CAVERN_CHECK(!decision.hit || !decision.looked_up,
                 "to find that flash has nothing of a page takes no operation");
    return decision;
}

ReadDecision DriveCore::look_up(Lpn lpn, FrameId frame, const Batch& batch) {
    const std::size_t before = ops_.size();
    const Ppn page = ftl_->read(lpn, ops_);
    number(ops_, before);
    return {false, frame, page, ops_.size() != before, versions_.newest(lpn), batch};
}

TrimDecision DriveCore::decide_trim(Lpn first, std::uint64_t count) {
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
    if (trims_ != nullptr) {
        record_trim(first, count);
    }
    ftl_->trim_range(first, count, ops_);
    number(ops_);
    for (std::uint64_t page = raw(first); page < raw(first) + count; ++page) {
        versions_.forget(Lpn{page});
    }
    if (map_log_ != nullptr) {
        map_log_->trimmed(first, count);
    }
    end_decision();
    return {count, trimmed_, staying_, first};
}

const Batch* DriveCore::decide_flush_step() {
    ops_.clear();
    if (buffer_ == nullptr || !buffer_->flush_batch()) {
        return nullptr;
    }
    return &evict();
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

const Batch* DriveCore::decide_maintain(PlaneId plane, std::uint32_t copies) {
    ops_.clear();
    IdleWorkIf* idle = ftl_->parts().idle_work;
    if (idle == nullptr ||
        !keeping_user_error([&] { return idle->maintain(plane, copies, ops_); })) {
        return nullptr;
    }
    fill_up_pages(ops_);
    number(ops_);
    end_decision();
    execution_time_.add(ops_);
    return &staying_;
}

const Batch& DriveCore::decide_fill(const Lpn* lpns, std::size_t count) {
    ops_.clear();
    planes_.resize(count);
    place(lpns, count, planes_.data());
    unit_.clear();
    for (std::size_t i = 0; i < count; ++i) {
        unit_.push_back({lpns[i], planes_[i]});
    }
    ftl_->write_unit(unit_.data(), count, ops_);
    fill_up_pages(ops_);
    number(ops_);
    return staying_;
}

BufferCounters DriveCore::buffer_counters() const {
    BufferCounters counters = buffer_ != nullptr ? buffer_->counters() : unbuffered_;
    counters.rmw_pages = rmw_pages_;
    return counters;
}

void DriveCore::reset_counters() {
    if (buffer_ != nullptr) {
        buffer_->reset_counters();
    }
    if (queue_pins_ != nullptr) {
        queue_pins_->reset_counters();
    }
    unbuffered_ = {};
    rmw_pages_ = 0;
    if (partition_ != nullptr) {
        partition_->keep(*ftl_->parts().map_cache);
    }
    ftl_->reset_counters();
    if (map_log_ != nullptr) {
        map_log_->reset_counters();
    }
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
    MapCacheIf* map = ftl_->parts().map_cache;
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
    const PartitionChange change = partition_->tune(*ftl_->parts().map_cache);
    if (log_ != nullptr) {
        log_->tune({partition_->requests(), partition_->buffer_bytes(), partition_->map_bytes(),
                    change.buffer_benefit, change.map_benefit});
    }
    if (partition_->map_bytes() == map_bytes) {
        return nullptr;
    }
    ftl_->parts().map_cache->resize_cache(partition_->map_bytes(), ops_);
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
