#include "core/drive/checkpoint_log.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/check.h"

namespace cavern {
CheckpointLog::CheckpointLog(const Geometry& geometry, std::uint64_t logical_pages,
                             const MapLogParams& params, std::shared_ptr<MapLogContents> contents)
    : MapLogIf(std::move(contents)), geometry_(geometry), params_(params),
      area_(geometry, params.reserved_blocks(geometry)),
      pages_(static_cast<std::uint32_t>(MapLogParams::checkpoint_pages(geometry, logical_pages))),
      changes_in_page_(static_cast<std::uint32_t>(MapLogParams::nand_page_bytes(geometry) /
                                                  MapLogParams::kChangeBytes)),
      blocks_(geometry.blocks()) {
    CAVERN_CHECK(pages_ <= area_.pages() && changes_in_page_ != 0,
                 "a checkpoint has room in its half, and a change in a page");
}

void CheckpointLog::look_at_blocks(const NandArray& array) {
    for (std::uint32_t block = 0; block < geometry_.blocks(); ++block) {
        blocks_[block] = {array.erase_count(BlockId{block}), array.write_pointer(BlockId{block})};
    }
    area_.look_at(array);
}

void CheckpointLog::start(const MapView& map, NandArray& array) {
    look_at_blocks(array);
    started_ = true;
    FlashOpList ops;
    write_checkpoint(map, ops);
    for (const FlashOp& op : ops) {
        array.program(op.page, op.lpn, op.version);
    }
    reset_counters();
    contents()->counters = {};
}

/// The base of what comes stays until the next one is whole.
void CheckpointLog::resume(const MapView&, const NandArray& array) {
    look_at_blocks(array);
    started_ = true;
    const std::vector<CheckpointPlace> found = find(array);
    half_ = found.empty() ? 1 : found.front().half;
    auto& kept = contents()->checkpoints;
    generation_ = kept.empty() ? 0 : kept.newest(); // no number is given twice
    for (const PageVersion each : kept.generations()) {
        const bool is_there = std::any_of(found.begin(), found.end(), [&](const auto& place) {
            return place.generation == each;
        });
        if (!is_there && each != generation_) {
            kept.forget(each);
        }
    }
}

std::vector<CheckpointPlace> CheckpointLog::find(const NandArray& array) const {
    std::vector<CheckpointPlace> found;
    for (std::uint32_t half = 0; half < LogArea::kHalves; ++half) {
        const PageVersion generation = area_.number(array, half, 0);
        std::uint32_t page = 0;
        while (generation != 0 && page < pages_ && area_.holds(array, half, page, generation)) {
            ++page;
        }
        if (page == pages_) {
            found.push_back({half, generation});
        }
    }
    if (found.size() == 2 && found[0].generation < found[1].generation) {
        std::swap(found[0], found[1]);
    }
    return found;
}

void CheckpointLog::note(FlashOpList& ops, std::size_t first) {
    if (!started_) {
        return;
    }
    for (std::size_t i = first; i < ops.size(); ++i) {
        const FlashOp& op = ops[i];
        if (op.kind == FlashOpKind::kRead || op.origin == Origin::kCheckpoint) {
            continue;
        }
        MapSnapshot::Block& block = blocks_[raw(geometry_.block_of(op.page))];
        const bool erase = op.kind == FlashOpKind::kErase;
        if (follows_) {
            worked_on_.push_back(geometry_.block_of(op.page));
            if (!erase) {
                trimmed(op.lpn, 1);
            }
        }
        if (erase) {
            ++block.erases;
            block.next = 0;
        } else {
            block.next = geometry_.page_in_block(op.page) + 1;
            ++programs_since_;
        }
        if (params_.journal != 0 && !due_) {
            changes_.push_back({op.page, op.lpn, op.version, erase});
        }
    }
}

void CheckpointLog::trimmed(Lpn first, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count && follows_; ++i) {
        touched_.push_back(Lpn{raw(first) + i});
    }
}

void CheckpointLog::end_decision(const MapView& map, FlashOpList& ops) {
    if (!started_ || ops.empty()) {
        return;
    }
    if (due_ || programs_since_ >= params_.interval) {
        write_checkpoint(map, ops);
    } else if (params_.journal != 0 && changes_.size() >= params_.journal) {
        journal_fits() ? write_journal(ops) : write_checkpoint(map, ops);
    }
}

void CheckpointLog::write_checkpoint(const MapView& map, FlashOpList& ops) {
    half_ = 1 - half_;
    ++generation_;
    const std::size_t first = ops.size();
    area_.erase(half_, ops);
    contents()->counters.erases += ops.size() - first;
    for (std::uint32_t page = 0; page < pages_; ++page) {
        area_.program(half_, page, generation_, page + 1 == pages_, ops);
    }
    count_programs(std::uint64_t{pages_} * geometry_.units_per_page);
    ++contents()->counters.checkpoints;
    keep(map);
    forget_old(map.under_way);
    next_ = pages_;
    changes_.clear();
    programs_since_ = 0;
    due_ = false;
}

bool CheckpointLog::journal_fits() const {
    return next_ + (changes_.size() + changes_in_page_ - 1) / changes_in_page_ <= area_.pages();
}

void CheckpointLog::write_journal(FlashOpList& ops) {
    std::vector<std::vector<MapSnapshot::Change>>& journal =
        contents()->checkpoints.journal(generation_);
    for (std::size_t i = 0; i < changes_.size(); i += changes_in_page_) {
        const auto from = changes_.begin() + static_cast<std::ptrdiff_t>(i);
        const std::size_t count = std::min<std::size_t>(changes_in_page_, changes_.size() - i);
        journal.emplace_back(from, from + static_cast<std::ptrdiff_t>(count));
        area_.program(half_, next_++, generation_, true, ops);
        count_programs(geometry_.units_per_page);
    }
    changes_.clear();
}

void CheckpointLog::keep(const MapView& map) {
    const std::uint64_t pages = map.ftl.logical_pages();
    const auto place_of = [&](Lpn page) {
        const Ppn place = map.ftl.location(page);
        return place == kNoPpn ? 0 : raw(place) + 1;
    };
    const auto version_of = [&](Lpn page, std::uint64_t place) {
        return place == 0 ? 0 : map.versions.newest(page);
    };
    if (follows_) {
        CheckpointStore::Difference difference;
        for (const Lpn page : touched_) {
            if (raw(page) < pages) {
                const std::uint64_t place = place_of(page);
                difference.pages.push_back({page, place, version_of(page, place)});
            }
        }
        for (const BlockId block : worked_on_) {
            difference.blocks.emplace_back(block, blocks_[raw(block)]);
        }
        difference.latest = map.versions.latest();
        contents()->checkpoints.add(generation_, std::move(difference));
    } else {
        MapSnapshot taken;
        taken.places.resize(pages);
        taken.versions.resize(pages);
        for (std::uint64_t page = 0; page < pages; ++page) {
            taken.places[page] = place_of(Lpn{page});
            taken.versions[page] = version_of(Lpn{page}, taken.places[page]);
        }
        taken.blocks = blocks_;
        taken.latest = map.versions.latest();
        contents()->checkpoints.add(generation_, std::move(taken));
    }
    follows_ = true;
    touched_.clear();
    worked_on_.clear();
}

/// Flash may hold two, of which one is being erased, and a part of the next one; behind that there
/// are those of which no page is done. The newest number is kept by a drive that comes back.
void CheckpointLog::forget_old(std::uint64_t under_way) {
    auto& kept = contents()->checkpoints;
    while (kept.size() > 4 + under_way / pages_) {
        kept.forget(kept.oldest());
    }
}

} // namespace cavern
