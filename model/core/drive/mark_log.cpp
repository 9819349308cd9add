#include "core/drive/mark_log.h"

#include <algorithm>
#include <iterator>

namespace cavern {
namespace {

/// In the spare area, where 0 is no mark.
PageVersion stored(PageVersion mark) {
    return mark + 1;
}

} // namespace

MarkLog::MarkLog(const Geometry& geometry, const MapLogParams& params,
                 std::shared_ptr<MapLogContents> contents)
    : MapLogIf(std::move(contents)), geometry_(geometry), params_(params),
      area_(geometry, params.reserved_blocks(geometry)), superseded_(geometry.blocks()) {}

void MarkLog::start(const MapView& map, NandArray& array) {
    started_ = true;
    newest_ = map.versions.latest();
    area_.look_at(array);
    FlashOpList ops;
    mark(ops);
    for (const FlashOp& op : ops) {
        array.program(op.page, op.lpn, op.version);
    }
    reset_counters();
    contents()->counters = {};
}

void MarkLog::resume(const MapView& map, const NandArray& array) {
    started_ = true;
    newest_ = map.versions.latest();
    area_.look_at(array);
    const std::optional<Mark> found = find(array);
    if (found) {
        half_ = found->half;
        next_ = area_.pages(); // what is left of a half may not have been erased
        marked_ = found->number;
    }
    auto& marks = contents()->marks;
    for (auto each = marks.begin(); each != marks.end();) {
        each = found && each->first == found->number ? std::next(each) : marks.erase(each);
    }
}

std::optional<MarkLog::Mark> MarkLog::find(const NandArray& array) const {
    std::optional<Mark> best;
    std::array<std::uint32_t, LogArea::kHalves> read{};
    for (std::uint32_t half = 0; half < LogArea::kHalves; ++half) {
        std::optional<Mark> newest;
        std::uint32_t page = 0;
        for (; page < area_.pages() && array.is_programmed(area_.page(half, page)); ++page) {
            const PageVersion number = area_.number(array, half, page);
            // What was not erased yet is older.
            if (number != 0 && (!newest || number - 1 >= newest->number)) {
                newest = Mark{number - 1, half, page, {}};
            }
        }
        read[half] = page + (page < area_.pages() ? 1 : 0);
        if (newest && (!best || newest->number >= best->number)) {
            best = newest;
        }
    }
    if (best) {
        best->pages_read = read;
    }
    return best;
}

void MarkLog::note(FlashOpList& ops, std::size_t first) {
    if (!started_) {
        return;
    }
    for (std::size_t i = first; i < ops.size(); ++i) {
        const FlashOp& op = ops[i];
        if (op.origin == Origin::kCheckpoint || op.kind == FlashOpKind::kRead) {
            continue;
        }
        const BlockId block = geometry_.block_of(op.page);
        if (op.kind == FlashOpKind::kErase) {
            if (superseded_[raw(block)] > marked_ && keeps_superseded()) {
                mark_before(ops, i);
                i += mark_.size();
            }
            continue;
        }
        ++programs_since_;
        if (op.lpn != kNoLpn && !(op.copies && !op.rewrites)) {
            newest_ = std::max(newest_, op.version);
            if (op.supersedes != kNoPpn) {
                superseded_[raw(geometry_.block_of(op.supersedes))] = op.version;
            }
        }
    }
}

void MarkLog::mark_before(FlashOpList& ops, std::size_t place) {
    mark_.clear();
    mark(mark_);
    const auto at = static_cast<std::int32_t>(place);
    const auto shift = static_cast<std::int32_t>(mark_.size());
    ops.insert(ops.begin() + at, mark_.begin(), mark_.end());
    for (std::size_t i = place + mark_.size(); i < ops.size(); ++i) {
        ops[i].after += ops[i].after >= at ? shift : 0;
    }
}

/// Marks are programmed in order: behind the newest in flash are those under way.
void MarkLog::end_decision(const MapView& map, FlashOpList& ops) {
    if (started_ && programs_since_ >= params_.interval) {
        mark(ops);
    }
    auto& marks = contents()->marks;
    while (marks.size() > map.under_way + 1) {
        marks.erase(marks.begin());
    }
}

void MarkLog::seal(const MapView&, FlashOpList& ops) {
    if (started_ && seals()) {
        mark(ops);
    }
}

void MarkLog::mark(FlashOpList& ops) {
    if (next_ == area_.pages()) {
        half_ = 1 - half_;
        next_ = 0;
        const std::size_t first = ops.size();
        area_.erase(half_, ops);
        contents()->counters.erases += ops.size() - first;
    }
    area_.program(half_, next_++, stored(newest_), true, ops);
    count_programs(geometry_.units_per_page);
    ++contents()->counters.checkpoints;
    marked_ = newest_;
    programs_since_ = 0;
    contents()->marks.insert_or_assign(newest_, gone_);
}

} // namespace cavern
