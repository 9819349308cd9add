// What a drive does that can lose its power, and how it comes back.

#include "core/base/check.h"
#include "core/drive/drive_core.h"

namespace cavern {

void DriveCore::survive_power_loss(std::unique_ptr<TrimMap> trims, std::unique_ptr<MapLogIf> log) {
    trims_ = std::move(trims);
    map_log_ = std::move(log);
    versions_.number_in_sequence(0);
}

void DriveCore::begin_map_log(NandArray& array) {
    if (map_log_ != nullptr) {
        map_log_->start(view(), array);
    }
}

void DriveCore::resume_map_log(const NandArray& array) {
    if (map_log_ != nullptr) {
        map_log_->resume(view(), array);
    }
}

const Batch* DriveCore::seal_in_log() {
    ops_.clear();
    map_log_->seal(view(), ops_);
    if (ops_.empty()) {
        return nullptr;
    }
    execution_time_.add(ops_);
    return &staying_;
}

FlashContents DriveCore::flash_contents() const {
    return {trims_->contents(), map_log_ != nullptr ? map_log_->contents() : nullptr};
}

void DriveCore::mount(const MountedDrive& drive, const std::vector<PageVersion>& versions,
                      PageVersion latest) {
    CAVERN_CHECK(ftl_->parts().mount != nullptr,
                 "the translation layer can take over a drive that lost its power");
    ftl_->parts().mount->mount(drive);
    for (std::uint64_t page = 0; page < versions.size(); ++page) {
        versions_.restore(Lpn{page}, versions[page]);
    }
    versions_.number_in_sequence(latest);
    for (Lpn record = trims_->first_record(); raw(record) < ftl_->logical_pages();
         record = Lpn{raw(record) + 1}) {
        trims_->forget_but(record, drive.places[raw(record)] != 0 ? versions[raw(record)] : 0);
        if (drive.places[raw(record)] == 0) {
            continue;
        }
        for (const auto& [first, end] : trims_->read(record, versions[raw(record)])) {
            for (std::uint64_t page = first; page < end; ++page) {
                if (drive.places[page] == 0) {
                    trims_->trim(Lpn{page}, 1);
                }
            }
        }
    }
}

void DriveCore::note_programs(FlashOpList& ops, std::size_t first) {
    if (map_log_ != nullptr) {
        map_log_->note(ops, first);
    }
    for (std::size_t i = first; i < ops.size(); ++i) {
        const FlashOp& op = ops[i];
        if (op.kind != FlashOpKind::kProgram || raw(op.lpn) >= ftl_->logical_pages() ||
            (op.copies && !op.rewrites)) {
            continue;
        }
        if (trims_->is_record(op.lpn)) {
            trims_->keep(op.lpn, op.version, under_way());
            continue;
        }
        trims_->written(op.lpn);
        if (watch_ != nullptr) {
            watch_->programs(op.lpn, op.version, op.origin == Origin::kPadding);
        }
    }
}

/// Before the map forgets the pages: what making room for the record moves keeps its version, and
/// no block that holds one of them is erased for it.
void DriveCore::record_trim(Lpn first, std::uint64_t count) {
    if (count == 0) {
        return;
    }
    if (watch_ != nullptr) {
        watch_->host_trim(first, count);
    }
    trims_->trim(first, count);
    const Lpn last = trims_->record_of(Lpn{raw(first) + count - 1});
    for (Lpn record = trims_->record_of(first); raw(record) <= raw(last);
         record = Lpn{raw(record) + 1}) {
        write_record(record);
        fill_up_pages(ops_); // the next record waits for this one
    }
}

void DriveCore::write_record(Lpn record) {
    PlaneId plane{};
    place(&record, 1, &plane);
    if (!ftl_->has_room(plane, record)) {
        still_fits_ = 0;
        place(&record, 1, &plane);
    }
    const std::size_t before = ops_.size();
    ftl_->write(record, plane, ops_);
    for (std::size_t i = before; i < ops_.size(); ++i) {
        FlashOp& op = ops_[i];
        if (op.kind == FlashOpKind::kProgram && op.lpn == record && op.origin == Origin::kHost) {
            op.origin = Origin::kMapping; // its data are the controller's
            op.records = true;
            return;
        }
    }
    CAVERN_CHECK(false, "the translation layer programs a page that is written");
}

} // namespace cavern
